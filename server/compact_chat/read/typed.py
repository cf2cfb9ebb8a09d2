"""What a person typed of a message of the user's, whichever tool wrote around it."""

from __future__ import annotations

from collections.abc import Iterable

from compact_chat.read import claude_code as claude_host
from compact_chat.read import cline as cline_host
from compact_chat.read import codex as codex_host
from compact_chat.read import copilot as copilot_host
from compact_chat.read import gemini as gemini_host
from compact_chat.read import vscode as vscode_user


def typed_texts(texts: Iterable[str]) -> list[str]:
    """The words of a person among the texts of one message."""
    bare = list(filter(None, map(claude_host.typed_text, map(vscode_user.unframed, texts))))
    bare = copilot_host.typed_texts(codex_host.typed_texts(bare))
    return cline_host.typed_texts(gemini_host.typed_texts(bare))
