"""The records of a Gemini CLI session, applied in their order, and the messages that are left of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from compact_chat.chat import JsonObject
from compact_chat.read.gemini_host import opens_with_summary
from compact_chat.read.lenient import fields, objects, word

_KINDS_OF_ROLES = {"user": "user", "model": "gemini"}


class Session(Struct, frozen=True):
    """What is told of a session, and the messages that are left of it."""

    about: JsonObject
    messages: list[JsonObject]


def session_of(records: Iterable[JsonObject]) -> Session:
    """Apply the records: each goes back, replaces all messages, tells of the session, or is a message."""
    about: JsonObject = {}
    kept: dict[str, JsonObject] = {}
    for record in records:
        if isinstance(goal := record.get("$rewindTo"), str):
            _rewind(kept, goal)
        elif isinstance(name := record.get("id"), str) and "messages" not in record:
            kept[name] = record
        else:
            told = fields(record.get("$set")) or record
            about |= told
            kept = _replaced(kept, told["messages"]) if isinstance(told.get("messages"), list) else kept
    return Session(about, list(kept.values()))


def checkpoint_records(document: object) -> list[JsonObject]:
    """The turns of a saved checkpoint as records, where the document is one."""
    turns = objects(document.get("history") if isinstance(document, dict) else document)
    if not all(word(turn.get("role")) in _KINDS_OF_ROLES and isinstance(turn.get("parts"), list) for turn in turns):
        return []
    return [
        {"id": f"m{place}", "type": _KINDS_OF_ROLES[turn["role"]], "content": turn["parts"]}
        for place, turn in enumerate(turns)
    ]


def _rewind(kept: dict[str, JsonObject], goal: str) -> None:
    """Drop a message and all behind it; where it is not there, all, as Gemini CLI does."""
    if goal not in kept:
        kept.clear()
    while kept and kept.popitem()[0] != goal:
        pass


def _replaced(before: dict[str, JsonObject], messages: Sequence[object]) -> dict[str, JsonObject]:
    """The new messages by their ids; after a compaction none of them tells of the prompt as it now is."""
    after: dict[str, JsonObject] = {}
    for place, message in enumerate(objects(messages)):
        name = word(message.get("id"))
        after[name if name and name not in after else f"#{place}"] = message
    compacted = before and any(opens_with_summary(message) for name, message in after.items() if name not in before)
    return {name: _unmeasured(message) for name, message in after.items()} if compacted else after


def _unmeasured(message: JsonObject) -> JsonObject:
    return {key: value for key, value in message.items() if key != "tokens"}
