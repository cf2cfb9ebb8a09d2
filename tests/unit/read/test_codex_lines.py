"""The lines of a Codex session, of which only what a model still gets is decoded whole."""

from __future__ import annotations

import json
from typing import Any

from compact_chat.read import Source
from compact_chat.read.codex import Session, session_of
from compact_chat.read.codex_history import Item

Record = dict[str, Any]


def said(words: str, role: str = "user") -> Record:
    """A message in its envelope."""
    item = {"type": "message", "role": role, "content": [{"type": "input_text", "text": words}]}
    return {"type": "response_item", "payload": item}


def event(kind: str, **more: Any) -> Record:
    """An event in its envelope."""
    return {"type": "event_msg", "payload": {"type": kind, "message": "x", **more}}


def compacted(**payload: Any) -> Record:
    """A compaction."""
    return {"type": "compacted", "payload": payload}


def session(*records: Record) -> Session:
    """A session file of these records, gone through."""
    return session_of(Source.of_bytes("\n".join(map(json.dumps, records)).encode()))


def places(*records: Record) -> str:
    """The places of the records that make the history."""
    return " ".join(record.place for record in session(*records).records)


def test_places_are_numbers_among_all_records() -> None:
    """A record keeps its place, whatever is left out before it."""
    assert places(said("a"), {"type": "other"}, event("agent_message"), said("b")) == "r1 r4"


def test_what_was_replaced_is_left_out() -> None:
    """Before the newest compaction that holds its history nothing is decoded, but what is said of the session stays."""
    turn = {"type": "turn_context", "payload": {"model": "m", "cwd": "/w", "user_instructions": "long"}}
    size = event("token_count", info={"last_token_usage": {"input_tokens": 9}})
    cut = compacted(message="", replacement_history=[])
    records = (said(" "), said("a"), said("b"), cut, turn, said("c"), size, cut, said("d"))
    found = session(*records)
    assert places(*records) == "r8 r9"
    assert (found.title, found.model, found.workspace) == ("a", "m", "/w")


def test_a_compaction_of_an_old_version_replaces_nothing() -> None:
    """Without a history of its own it needs what the user said before."""
    assert places(said("a"), said("b"), compacted(message="s", replacement_history=None), said("c")) == "r1 r2 r3 r4"


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
