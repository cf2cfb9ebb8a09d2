"""Sessions of VS Code, read as the files that they come in."""

from __future__ import annotations

import json
from typing import Any

from compact_chat.chat import Chat
from compact_chat.read import Source, read_chat


def session_chat(state: dict[str, Any]) -> Chat:
    """Read the chat of a session with this state."""
    session = {"sessionId": "s", "responderUsername": "GitHub Copilot", "requests": [], **state}
    return read_chat(Source.of_text(json.dumps(session)))
