"""Tasks of Cline as it stores them, made by hand."""

from __future__ import annotations

import json
from typing import Any

from compact_chat.chat import Chat
from compact_chat.read import Source, read_chat

Item = dict[str, Any]
DETAILS = (
    "<environment_details>\n# Visual Studio Code Visible Files\nsrc/app.py\n\n"
    "# Current Working Directory (/home/me/shop) Files\nsrc/app.py\n\n"
    "# Context Window Usage\n92,557 / 128K tokens used (72%)\n</environment_details>"
)


def asked(*texts: str, **more: Any) -> Item:
    """A stored message of the user's, with a block for each text."""
    return {"role": "user", "content": [{"type": "text", "text": text} for text in texts], **more}


def said(text: str, *blocks: Item, **more: Any) -> Item:
    """A stored message of the assistant's."""
    return {"role": "assistant", "content": [{"type": "text", "text": text}, *blocks], **more}


def used(name: str) -> Item:
    """A call of a tool."""
    return {"type": "tool_use", "id": name, "name": "read_file", "input": {"path": "a.py"}}


def answered(name: str) -> Item:
    """The result of a call, as versions with native calls store it."""
    return {"type": "tool_result", "tool_use_id": name, "content": "text"}


def call(place: int, tokens: int, **more: Any) -> Item:
    """A call of the model, as the screen shows it while this place of the history is the newest."""
    text = json.dumps({"request": "...", "tokensIn": tokens, "tokensOut": 7, "cacheReads": 100, "cacheWrites": 10})
    return {"ts": 1, "type": "say", "say": "api_req_started", "text": text, "conversationHistoryIndex": place, **more}


def source(history: object, ui: object = None, edits: object = None, **more: object) -> Source:
    """A history, with files beside it."""
    files = {"ui_messages.json": ui, "context_history.json": edits, "task_metadata.json": more.get("metadata")}
    beside = {name: json.dumps(held).encode() for name, held in files.items() if held is not None}
    return Source.of_bytes(json.dumps(history).encode(), "api_conversation_history.json", beside)


def read(history: object, ui: object = None, edits: object = None, **more: object) -> Chat:
    """Read a history with the files beside it."""
    return read_chat(source(history, ui, edits, **more))


TASK = asked("<task>\nMend the shop.\n</task>", DETAILS)
HISTORY = [TASK, *(said(f"a{n}") if n % 2 else asked(f"u{n}") for n in range(1, 10))]


def words(chat: Chat) -> list[str]:
    """The first line of each message."""
    return [message.text.partition("\n")[0] for message in chat.messages]
