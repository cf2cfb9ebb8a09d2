"""What a person typed of a message of the user's, whichever tool wrote around it."""

from __future__ import annotations

from collections.abc import Iterable

from compact_chat.read import claude_host, cline_host, codex_host, copilot_host, gemini_host, vscode_user


def typed_texts(texts: Iterable[str]) -> list[str]:
    """The words of a person among the texts of one message."""
    bare = list(filter(None, map(claude_host.typed_text, map(vscode_user.unframed, texts))))
    bare = copilot_host.typed_texts(codex_host.typed_texts(bare))
    return cline_host.typed_texts(gemini_host.typed_texts(bare))
