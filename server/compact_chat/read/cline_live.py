"""Which messages of a task of Cline are live: it hides a stretch of them, and rewrites blocks of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compact_chat.chat import JsonObject
from compact_chat.read.cline_task import Task
from compact_chat.read.lenient import fields, word
from compact_chat.read.records import whole_number

_KEPT = 2  # the task and the first answer are never hidden
_RANGE = "conversationHistoryDeletedRange"


def live_items(task: Task) -> dict[int, JsonObject]:
    """The messages that are sent, with the newest text of each block."""
    cut = hidden_end(task.ui)
    edits = _edits(task.edits)
    return {
        place: _edited(item, edits.get(place, {})) for place, item in task.items.items() if place < _KEPT or place > cut
    }


def hidden_end(ui: Sequence[JsonObject]) -> int:
    """The place of the last hidden message, or -1."""
    return next(filter(None, (_end(message) for message in reversed(ui))), -1)


def measured_from(ui: Sequence[JsonObject]) -> int:
    """The place behind which answers were given to the messages that are live now."""
    cut = hidden_end(ui)
    first = next((message for message in ui if cut > 0 and _end(message) == cut), {})
    place = whole_number(first.get("conversationHistoryIndex"))
    return -1 if place is None else place


def _end(message: JsonObject) -> int | None:
    bounds = message.get(_RANGE)
    return whole_number(bounds[1]) if isinstance(bounds, list) and len(bounds) == 2 else None


def _edits(stored: object) -> dict[int, dict[int, str]]:
    """The newest text of each block, by the places of message and block."""
    found: dict[int, dict[int, str]] = {}
    for place, about in _pairs(stored):
        blocks = about[1] if isinstance(about, list) and len(about) == 2 else None
        found[place] = {number: text for number, updates in _pairs(blocks) for text in _newest(updates)}
    return found


def _pairs(stored: object) -> list[tuple[int, object]]:
    """The entries of a map that was stored as a list of pairs."""
    entries = stored if isinstance(stored, list) else []
    pairs = [entry for entry in entries if isinstance(entry, list) and len(entry) == 2]
    return [(key, value) for key, value in pairs if whole_number(key) is not None]


def _newest(updates: object) -> list[str]:
    """The text of the last update, if it is one of a text."""
    last = updates[-1] if isinstance(updates, list) and updates else None
    if not isinstance(last, list) or len(last) < 3 or last[1] != "text" or not isinstance(last[2], list):
        return []
    return last[2][:1] if word(last[2][0] if last[2] else None) else []


def _edited(item: JsonObject, texts: Mapping[int, str]) -> JsonObject:
    content = item.get("content")
    if not texts or not isinstance(content, list):
        return item
    return {**item, "content": [_with_text(block, texts.get(number)) for number, block in enumerate(content)]}


def _with_text(block: object, text: str | None) -> object:
    held = fields(block)
    return {**held, "text": text} if text is not None and held.get("type") == "text" else block
