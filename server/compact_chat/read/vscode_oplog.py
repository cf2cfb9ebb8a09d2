"""VS Code keeps a chat as a log of operations: replay it into the state of the session."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from compact_chat.chat import JsonObject
from compact_chat.read.json_text import parse_line
from compact_chat.read.lenient import fields
from compact_chat.read.records import whole_number

_ROOT = "state"


def replay(text: str) -> tuple[JsonObject | None, int | None]:
    """Replay a log; where a line cannot be, tell its number with what was replayed before it."""
    log: JsonObject = {}
    for number, line in enumerate(text.split("\n"), 1):
        entries, whole = parse_line(line)
        if not whole or not all(_applied(log, fields(entry)) for entry in entries):
            return log.get(_ROOT), number
    return log.get(_ROOT), None


def _applied(log: JsonObject, entry: JsonObject) -> bool:
    """Apply an entry: 0 is the whole state, 1 sets, 2 cuts an array and appends to it, 3 deletes."""
    match entry:
        case {"kind": 0, "v": dict(state)}:
            log[_ROOT] = state
            return True
        case {"kind": 1 | 3, "k": [*path, key]}:
            return _put(_found(log, path), key, entry.get("v"))  # nothing reads a null otherwise than an absence
        case {"kind": 2, "k": [*path, key]}:
            return _pushed(_found(log, path), key, entry.get("v"), entry.get("i"))
    return False


def _found(log: JsonObject, path: Iterable[object]) -> object:
    place: object = log.get(_ROOT)
    for key in path:
        place = _member(place, key)
    return place


def _member(place: object, key: object) -> object:
    if isinstance(place, dict):
        return place.get(key) if isinstance(key, str) else None
    if isinstance(place, list):
        index = whole_number(key)
        return place[index] if index is not None and 0 <= index < len(place) else None
    return None


def _put(place: object, key: object, value: object) -> bool:
    if isinstance(place, dict) and isinstance(key, str):
        place[key] = value
        return True
    index = whole_number(key)
    if not isinstance(place, list) or index is None or not 0 <= index <= len(place):
        return False
    place[index : index + 1] = [value]
    return True


def _pushed(place: object, key: object, values: object, start: object) -> bool:
    items = _member(place, key)
    given = values if values is not None else []
    cut = whole_number(start)
    if not isinstance(items, list | None) or not isinstance(given, list):
        return False
    if start is not None and (cut is None or cut < 0):
        return False
    kept = cast("list[object]", items if items is not None else [])
    if cut is not None:
        del kept[cut:]
    kept += given
    return _put(place, key, kept)
