"""The lines of a Codex session, of which only what a model still gets is decoded whole."""

from __future__ import annotations

import json
from typing import Any

from compact_chat.read import Source
from compact_chat.read.codex import Seen, records_of

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


def places(*records: Record) -> str:
    """The places of the records that are given, and whether each is whole."""
    source = Source.of_bytes("\n".join(map(json.dumps, records)).encode())
    return " ".join(record.place for record in records_of(source))


def test_places_are_numbers_among_all_records() -> None:
    """A record keeps its place, whatever is left out before it."""
    assert places(said("a"), {"type": "other"}, event("agent_message"), said("b")) == "r1 r4"


def test_what_was_replaced_is_left_out() -> None:
    """Before the newest compaction that holds its history, only the first words of a person and events are kept."""
    turn = {"type": "turn_context", "payload": {"model": "m", "cwd": "/w", "user_instructions": "long"}}
    told = event("token_count", info={"last_token_usage": {}})
    cut = compacted(message="", replacement_history=[])
    assert places(said(" "), said("a"), said("b"), cut, turn, said("c"), told, cut, said("d")) == "r1 r2 r5 r7 r8 r9"


def test_a_compaction_of_an_old_version_replaces_nothing() -> None:
    """Without a history of its own it needs what the user said before."""
    assert places(said("a"), said("b"), compacted(message="s", replacement_history=None), said("c")) == "r1 r2 r3 r4"


def test_the_members_that_count_are_kept() -> None:
    """Of an event what its readers ask for, of an item everything."""
    source = Source.of_bytes("\n".join(map(json.dumps, [said("a"), event("x", thread_name="t"), said("b")])).encode())
    first, named, last = records_of(source)
    assert (first.payload, last.payload) == (said("a")["payload"], said("b")["payload"])
    assert named.payload["thread_name"] == "t"
    assert "message" not in named.payload


def test_what_was_seen_is_counted() -> None:
    """Who goes on behind the last line knows the number of records."""
    seen = Seen()
    records_of(Source.of_bytes(b'{"type":"x"}\n\n{"a":1}{"b":2}\n{"cut'), seen)
    assert seen.records == 3
