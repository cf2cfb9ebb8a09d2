"""Codex items as messages, and the sizes beside them."""

from __future__ import annotations

from typing import Any

import pytest

from compact_chat.chat import Message, Text, Thinking, Unknown, Usage
from compact_chat.read.codex import Session
from compact_chat.read.codex_history import Entry, item_of, messages_of


def said(role: str, text: str = "x", **more: Any) -> dict[str, Any]:
    """A message as an item."""
    return {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}], **more}


def made(*items: dict[str, Any] | Usage) -> tuple[Message, ...]:
    """The messages of items, and of sizes among them."""
    return messages_of(
        [one if isinstance(one, Usage) else Entry(f"r{place}", item_of(one)) for place, one in enumerate(items)]
    )


def count(last: object, total: object = None, window: object = None) -> dict[str, Any]:
    """A record of the size of a call."""
    info = {"last_token_usage": last, "total_token_usage": {"total_tokens": total}, "model_context_window": window}
    return {"type": "event_msg", "payload": {"type": "token_count", "info": info}}


def taken(*records: dict[str, Any]) -> tuple[Session, list[Usage]]:
    """A session of these records, and the sizes among them."""
    session = Session()
    return session, [record.step for record in session.whole(records) if isinstance(record.step, Usage)]


CALL = Usage(100, 9, "m")
WHOLE = Usage(50, 0, "m", whole=True)


def test_a_new_call_is_a_new_message() -> None:
    """Items of the assistant on both sides of a size were given by two calls."""
    first, second = made(said("assistant", "a"), said("assistant", "b"), CALL, said("assistant", "c"))
    assert [part.text for part in first.parts if isinstance(part, Text)] == ["a", "b"]
    assert (first.usage, second.usage) == (CALL, None)


def test_an_estimate_is_of_all_there_is() -> None:
    """The estimate after a compaction stands beside the newest message, whoever wrote it, until a call follows."""
    assert [message.usage for message in made(said("user"), said("assistant"), CALL, said("user"), WHOLE)] == [
        None,
        CALL,
        WHOLE,
    ]
    assert [message.usage for message in made(said("user"), WHOLE, said("assistant"), CALL)] == [None, CALL]
    assert made(WHOLE, CALL) == ()


def test_who_wrote_a_message_is_told() -> None:
    """Developer messages are the system's, wrappers the host's, and words of other agents come in the user's name."""
    wrapper = "<environment_context>x</environment_context>"
    other = {"type": "agent_message", "author": "/root", "content": [{"type": "input_text", "text": "go"}]}
    found = made(said("developer"), said("user", wrapper), said("user", "hi"), other)
    assert [(message.role, message.by_host) for message in found] == [
        ("system", False),
        ("user", True),
        ("user", False),
        ("user", True),
    ]


@pytest.mark.parametrize("kind", ["compaction", "compaction_summary", "context_compaction"])
def test_an_encrypted_summary_is_a_summary(kind: str) -> None:
    """What a model alone can read is marked as the summary that it is, and stands alone."""
    item = {"type": kind, "encrypted_content": "gAAA"}
    found = made(said("assistant"), item, said("assistant"))
    assert [message.is_summary for message in found] == [False, True, False]
    assert found[1].parts == (Unknown(kind, item),)


def test_searches_for_tools_are_calls() -> None:
    """A search for tools and what it found are a call and its result."""
    call, answer = made(
        {"type": "tool_search_call", "call_id": "c", "arguments": {"query": "q"}},
        {"type": "tool_search_output", "call_id": "c", "tools": [{"type": "function", "name": "f"}]},
    )
    assert [(one.id, one.name, one.input) for one in call.calls] == [("c", "tool_search", {"query": "q"})]
    assert [result.call_id for result in answer.results] == ["c"]


def test_open_thoughts_are_read() -> None:
    """Models of open weights write their thoughts in the item itself, without a summary."""
    (thought,) = made({"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "hm"}]})
    assert thought.parts == (Thinking("hm"),)


@pytest.mark.parametrize(
    ("action", "given"),
    [
        ({"type": "search", "query": "q", "url": None}, {"type": "search", "query": "q"}),
        ({"type": "open_page", "url": "u"}, {"type": "open_page", "url": "u"}),
        (None, {}),
    ],
)
def test_searches_in_the_web_are_calls(action: object, given: object) -> None:
    """A search has its query; its result went to the model alone, so that no call is left open."""
    items = (said("assistant"), {"type": "web_search_call", "status": "completed", "action": action}, said("assistant"))
    before, answer, after = made(*items)
    assert [(one.id, one.name, one.input) for one in before.calls] == [("r1", "web_search", given)]
    assert [(one.call_id, one.content, one.is_error) for one in answer.results] == [("r1", (Text("completed"),), False)]
    assert (before.id, answer.id, after.id) == ("r0", "r1.found", "r2")


def test_a_search_may_fail() -> None:
    """What is recorded of it says so."""
    _, answer = made({"type": "web_search_call", "id": "ws", "status": "failed", "action": {}})
    assert [(result.call_id, result.is_error) for result in answer.results] == [("ws", True)]


def test_items_of_unknown_kinds_stay() -> None:
    """T7: what we do not know is kept as it came, whatever is wrong with it."""
    for item in ({"type": "image_generation_call"}, {"type": "new"}, {"type": "message", "role": 3}, {}):
        (message,) = made(item)
        assert [part.raw for part in message.parts if isinstance(part, Unknown)] == [item]


def test_no_two_messages_share_an_id() -> None:
    """An id that a file has twice gets a number, also where that is taken."""
    ids = [message.id for message in made(*(said("user", id=name) for name in ("a#2", "a", "a", "a", "")))]
    assert ids == ["a#2", "a", "a#3", "a#4", "r4"]


def test_a_repeated_event_is_no_new_call() -> None:
    """Only an event that tells something new stands for a call; one without figures for none."""
    last = {"input_tokens": 5, "output_tokens": 1}
    empty = {"type": "event_msg", "payload": {"type": "token_count", "info": None}}
    _, found = taken(count(last, 6), count(last, 6), count(None, 7), empty, count(last, 8))
    assert found == [Usage(5, 1, ""), Usage(5, 1, "")]


def test_an_event_without_a_prompt_is_an_estimate() -> None:
    """Zeros beside a total are Codex's own estimate; zeros alone are nothing."""
    zeros = {"input_tokens": 0, "output_tokens": 0}
    _, found = taken(count({**zeros, "total_tokens": 230}, 1), count({**zeros, "total_tokens": 0}, 2))
    assert found == [Usage(230, 0, "", whole=True)]


@pytest.mark.parametrize("wrong", [None, "9", -9, 0, 1.5, True, [9], 10**30])
def test_implausible_figures_are_none(wrong: object) -> None:
    """What cannot be a number of tokens is not taken for one."""
    session, found = taken(count({"input_tokens": wrong, "total_tokens": wrong}, 1, window=wrong))
    assert found == []
    assert session.window is None


def test_the_newest_model_and_window_hold() -> None:
    """Model and window change in mid-session; a call has the model of its turn."""
    turns = [{"type": "turn_context", "payload": {"model": name}} for name in ("a", "b")]
    started = {"type": "event_msg", "payload": {"type": "task_started", "model_context_window": 9}}
    session, found = taken(turns[0], count({"input_tokens": 5}, 1, window=7), turns[1], started)
    assert (session.model, session.window) == ("b", 9)
    assert [usage.model for usage in found] == ["a"]
