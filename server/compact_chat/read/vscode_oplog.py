"""VS Code keeps a chat as a log of operations: replay it into the state of the session.

What no operation looks into stays undecoded: most of a log is results of tools, each written once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

import msgspec
from msgspec import Raw, Struct

from compact_chat.chat import JsonObject
from compact_chat.read.lenient import fields
from compact_chat.read.members import opened, value_of
from compact_chat.read.records import whole_number

Values = Callable[[bytes], tuple[list[Any], bool]]  # those on a line of any kind, and whether nothing of it was lost
_ROOT = "state"
_NOTHING = Raw(b"null")


class _Entry(Struct):
    kind: Any = None
    k: Any = None
    v: Any = None
    i: Any = None


class _RawEntry(_Entry):
    v: Raw = _NOTHING


_DECODER = msgspec.json.Decoder(_RawEntry)


def replay(lines: Iterable[tuple[int, bytes]], values: Values) -> tuple[JsonObject | None, int | None]:
    """Replay a log; where a line cannot be, tell its number with what was replayed before it."""
    log: JsonObject = {}
    for number, line in lines:
        entries, whole = _entries(line, values)
        if not whole or not all(_applied(log, entry) for entry in entries):
            return _state(log), number
    return _state(log), None


def decoded(held: object) -> object:
    """A part of a state with all that stands in it; what is decoded of it already is filled up in place."""
    if isinstance(held, Raw):
        return value_of(held)
    waiting = [held]
    while waiting:
        match waiting.pop():
            case dict() as members:
                waiting += _fill(members, list(members.items()))
            case list() as items:
                waiting += _fill(items, list(enumerate(items)))
    return held


def taken(items: list[object]) -> Iterator[object]:
    """The items of a list in a state, decoded one after the other; none is kept."""
    for place, item in enumerate(items):
        items[place] = None
        yield decoded(item)


def _fill(held: Any, members: Iterable[tuple[Any, object]]) -> Iterator[object]:
    """Decode the members that are not yet; give those that may hold some."""
    for key, member in members:
        if isinstance(member, Raw):
            held[key] = value_of(member)
        elif isinstance(member, dict | list):
            yield member


def _entries(line: bytes, values: Values) -> tuple[list[_Entry], bool]:
    try:
        if not line.isascii():
            line.decode()
        return [_DECODER.decode(line)], True
    except (ValueError, RecursionError):
        found, whole = values(line)
    known = [fields(value) for value in found]
    return [_Entry(one.get("kind"), one.get("k"), one.get("v"), one.get("i")) for one in known], whole


def _state(log: JsonObject) -> JsonObject | None:
    state = log.get(_ROOT)
    return state if isinstance(state, dict) else None


def _applied(log: JsonObject, entry: _Entry) -> bool:
    """Apply an entry: 0 is the whole state, 1 sets, 2 cuts an array and appends to it, 3 deletes."""
    match entry.kind, entry.k:
        case 0, _:
            state = opened(entry.v)
            log[_ROOT] = state if isinstance(state, dict) else log.get(_ROOT)
            return isinstance(state, dict)
        case ((1 | 3), [*path, key]):
            return _put(_found(log, path), key, entry.v)  # nothing reads a null otherwise than an absence
        case 2, [*path, key]:
            return _pushed(_found(log, path), key, opened(entry.v), entry.i)
    return False


def _found(log: JsonObject, path: Iterable[object]) -> object:
    place: object = log.get(_ROOT)
    for key in path:
        place = _member(place, key)
    return place


def _member(place: object, key: object) -> object:
    """What stands in an object or a list, decoded by one level."""
    if isinstance(place, dict) and isinstance(key, str) and key in place:
        place[key] = opened(place[key])
        return place[key]
    index = whole_number(key)
    if not isinstance(place, list) or index is None or not 0 <= index < len(place):
        return None
    place[index] = opened(place[index])
    return cast("object", place[index])


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
