"""What must be known of the lines of a Codex session before those that a model still gets are decoded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Raw, Struct

from compact_chat.chat import JsonObject
from compact_chat.read.codex_host import is_typed, texts_of, typed_texts
from compact_chat.read.codex_records import Record, record_at, whole_records
from compact_chat.read.members import is_list
from compact_chat.read.scanning import record_of
from compact_chat.read.source import Source

# What is asked of an event: the rest of most is a copy of an item, for the screen.
_EVENT = ("type", "info", "model_context_window", "num_turns", "thread_name")


class _Payload(Struct, gc=False):
    type: Any = None
    info: Any = None
    model_context_window: Any = None
    num_turns: Any = None
    thread_name: Any = None
    cwd: Any = None
    model: Any = None
    role: Any = None
    replacement_history: Raw = Raw(b"null")


class _Envelope(Struct, gc=False):
    type: Any = None
    payload: _Payload | None = None


class _Line(Struct, frozen=True, gc=False):
    number: int  # among all records
    kind: str
    payload: JsonObject | None  # None where it is still to be decoded
    replaces: bool = False  # the history up to here


_DECODER = msgspec.json.Decoder(_Envelope)


class Seen:
    """How many records there were so far, and whether one of them holds what a person typed."""

    def __init__(self) -> None:
        self.records = 0
        self._has_typed = False

    def light(self, line: bytes) -> _Line | None:
        """Look at a line; of most of it no values are made."""
        shape = _DECODER.decode(line)
        kind, payload = shape.type, shape.payload
        if payload is None:
            return self.slow(record_of(line))
        if kind == "event_msg":
            self.records += 1
            return _Line(self.records, kind, _thin(payload)) if _tells(payload) else None
        if kind == "response_item" and (self._has_typed or payload.role != "user"):
            self.records += 1
            return _Line(self.records, kind, None)
        return self._rare(kind, payload) or self.slow(record_of(line))

    def _rare(self, kind: object, payload: _Payload) -> _Line | None:
        """What there is less of; None for what has to be decoded whole at once."""
        match kind:
            case "turn_context":
                line = _Line(self.records + 1, kind, {"cwd": payload.cwd, "model": payload.model})
            case "compacted":
                replaces = is_list(payload.replacement_history)
                line = _Line(self.records + 1, kind, None, replaces)
            case "inter_agent_communication":
                line = _Line(self.records + 1, kind, None)
            case _:
                return None
        self.records += 1
        return line

    def slow(self, record: JsonObject) -> _Line | None:
        """Look at a record whose members may be of any type."""
        self.records += 1
        found = record_at(self.records, record)
        if found is None:
            return None
        if found.kind == "response_item" and is_typed(found.payload):
            self._has_typed = self._has_typed or any(text.strip() for text in typed_texts(texts_of(found.payload)))
        replaces = found.kind == "compacted" and isinstance(found.payload.get("replacement_history"), list)
        return _Line(self.records, found.kind, found.payload, replaces)


def _tells(event: _Payload) -> bool:
    """Whether an event is more than a copy of an item for the screen."""
    told = (event.info, event.model_context_window, event.num_turns, event.thread_name)
    return told != (None, None, None, None)


def _thin(event: _Payload) -> JsonObject:
    return {name: getattr(event, name) for name in _EVENT}


def records_of(source: Source, seen: Seen | None = None) -> list[Record]:
    """The records of a session, in order, but for what tells nothing, or was replaced before anybody could need it."""
    return whole_records(source.document) or list(_records(source, seen or Seen()))


def _records(source: Source, seen: Seen) -> Iterator[Record]:
    lines = source.scan(seen.light, seen.slow)
    begin = max((number for number, (_, line) in enumerate(lines) if line.replaces), default=0)
    found = source.records_at(spot for spot, line in lines[begin:] if line.payload is None)
    for number, (_, line) in enumerate(lines):
        if line.payload is not None:
            yield Record(f"r{line.number}", line.kind, line.payload)
        elif number >= begin:
            yield from _decoded(line, next(found), source)


def _decoded(line: _Line, record: JsonObject | None, source: Source) -> Iterator[Record]:
    found = record_at(0, record or {})
    if found is None or found.kind != line.kind:
        source.has_changed = True
    else:
        yield Record(f"r{line.number}", line.kind, found.payload)
