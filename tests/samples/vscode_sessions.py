"""VS Code sessions, read as the files that they come in, and their logs, replayed."""

from __future__ import annotations

import json
from typing import Any

from compact_chat.chat import Chat
from compact_chat.read import Source, read_chat
from compact_chat.read.vscode import replay


def session_chat(state: dict[str, Any]) -> Chat:
    """Read the chat of a session with this state."""
    session = {"sessionId": "s", "responderUsername": "GitHub Copilot", "requests": [], **state}
    return read_chat(Source.of_text(json.dumps(session)))


def replayed(log: str) -> tuple[Any, int | None]:
    """Return the state that a log leads to, and the line at which it stops."""
    return replay(Source.of_text(log))
