"""The lines of a Codex session, of which only what a model still gets is decoded whole."""

from __future__ import annotations

import json
from typing import Any

from compact_chat.read import Source
from compact_chat.read.codex import Item, Session, session_of

Record = dict[str, Any]


def said(words: str, role: str = "user") -> Record:
    """A message in its envelope."""
    item = {"type": "message", "role": role, "content": [{"type": "input_text", "text": words}]}
    return {"type": "response_item", "payload": item}


def event(kind: str, **more: Any) -> Record:
    """An event in its envelope."""
    return {"type": "event_msg", "payload": {"type": kind, "message": "x", **more}}


def session(*records: Record) -> Session:
    """A session file of these records, gone through."""
    return session_of(Source.of_bytes("\n".join(map(json.dumps, records)).encode()))


def test_items_are_decoded_whole() -> None:
    """Of an event no more is kept than what it says of the session."""
    found = session(said("a"), event("x", thread_name="t"), said("b"))
    first, last = (record.step for record in found.records)
    assert isinstance(first, Item)
    assert isinstance(last, Item)
    assert (first.raw, last.raw) == (said("a")["payload"], said("b")["payload"])
    assert found.title == "t"


def test_records_of_any_kind_are_counted() -> None:
    """Who goes on behind the last line knows the number of records."""
    assert session_of(Source.of_bytes(b'{"type":"x"}\n\n{"a":1}{"b":2}\n{"cut')).count == 3
