"""Live records of a Claude Code session become messages."""

from __future__ import annotations

from typing import Any

import pytest

from compact_chat.chat import Message, Text, ToolCall, ToolResult, Usage
from compact_chat.read.claude_code import Outline, Session, Whole, messages_of, model_of
from compact_chat.read.loose import loose

Record = dict[str, Any]
CLEARED = "[Old tool result content cleared]"


def user(uuid: str, content: object, **more: Any) -> Record:
    """A line of the user's."""
    return {"type": "user", "uuid": uuid, "message": {"role": "user", "content": content}, **more}


def reply(uuid: str, message_id: str, *blocks: Record, usage: object = None, **more: Any) -> Record:
    """A line of a reply."""
    message = {"id": message_id, "role": "assistant", "model": "claude-x", "content": list(blocks), "usage": usage}
    return {"type": "assistant", "uuid": uuid, "message": message, **more}


def text(words: str) -> Record:
    """A text block."""
    return {"type": "text", "text": words}


def call(name: str) -> Record:
    """A block with a call of this id."""
    return {"type": "tool_use", "id": name, "name": "f", "input": {}}


def result(name: str) -> Record:
    """A block with the result of the call of this id."""
    return {"type": "tool_result", "tool_use_id": name, "content": f"of {name}"}


def read(*records: Record, cleared: frozenset[str] = frozenset()) -> list[Message]:
    """The messages of these live records."""
    return messages_of(typed(*records), cleared)


def typed(*records: Record) -> list[Whole]:
    """The records as the reader decodes them."""
    return [loose(Whole, record) for record in records]


def test_the_lines_of_one_reply_are_one_message() -> None:
    """Lines that share a message id are one assistant message, under the uuid of the first."""
    messages = read(
        user("u", "go"), reply("a", "m", text("hm")), reply("b", "m", call("1")), reply("c", "n", text("x"))
    )
    assert [message.id for message in messages] == ["u", "a", "c"]
    assert messages[1].parts == (Text("hm"), ToolCall("1", "f", {}))


def test_the_results_of_one_reply_are_one_message() -> None:
    """Results that answer one reply are one user message, also where other lines lie between."""
    lines = [
        reply("a", "m", call("1")),
        user("r", [result("1")]),
        reply("b", "m", call("2")),
        user("t", "wait"),
        user("s", [result("2")]),
    ]
    messages = read(*lines)
    assert [message.id for message in messages] == ["a", "r", "t"]
    assert [part.call_id for part in messages[1].results] == ["1", "2"]


def test_results_without_a_call_stand_alone() -> None:
    """A result whose call is gone stays a message of its own."""
    assert [message.id for message in read(user("a", [result("gone")]), user("b", [result("lost")]))] == ["a", "b"]


def test_raw_is_what_the_api_took() -> None:
    """A message that is exactly one line can go back as it came; merged ones cannot."""
    messages = read(user("u", "go"), reply("a", "m", text("x")), reply("b", "n", text("y")), reply("c", "n", call("1")))
    assert [message.raw for message in messages] == [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [text("x")]},
        None,
    ]


@pytest.mark.parametrize(
    "record",
    [
        reply("a", "m", text("API Error"), isApiErrorMessage=True),
        {"type": "assistant", "uuid": "a", "message": {"model": "<synthetic>", "content": [text("No response")]}},
        {"type": "system", "uuid": "a", "message": {"content": "x"}},
        {"type": "progress", "uuid": "a"},
        {"type": "user", "uuid": "a", "message": "error"},
        {"type": "user", "uuid": "a", "message": {"role": "user"}},
        {"type": "user", "uuid": "a"},
        {"type": "attachment", "uuid": "a", "attachment": {"type": "hook_success"}},
    ],
)
def test_what_is_not_sent_is_no_message(record: Record) -> None:
    """API errors, synthetic replies, the tool's own records and empty lines are left out."""
    assert read(record) == []


@pytest.mark.parametrize(
    ("record", "by_host"),
    [
        (user("u", "go"), False),
        (user("u", "go", isMeta=True), True),
        (user("u", "<command-name>/init</command-name>"), True),
        (user("u", [text("<system-reminder>x</system-reminder>"), text("go")]), False),
        (user("u", "<system-reminder>x</system-reminder> go"), False),
        (user("u", [result("1")]), False),
        (reply("a", "m", text("<system-reminder>x</system-reminder>")), False),
    ],
)
def test_who_wrote_a_message(record: Record, by_host: bool) -> None:
    """Meta lines and lines of nothing but wrappers are sent, but no person typed them."""
    assert read(record)[0].by_host is by_host


def test_a_compaction_summary_is_marked() -> None:
    """The tool's own summary is one, and no person wrote it."""
    message = read(user("u", "This session is being continued ...", isCompactSummary=True))[0]
    assert (message.is_summary, message.by_host) == (True, True)


def test_usage_is_that_of_the_last_line() -> None:
    """The lines before carry the first values of the stream; the prompt is input and both caches."""
    first = {
        "input_tokens": 10,
        "cache_creation_input_tokens": 100,
        "cache_read_input_tokens": 20_000,
        "output_tokens": 3,
    }
    message = read(
        reply("a", "m", text("x"), usage=first), reply("b", "m", call("1"), usage={**first, "output_tokens": 60})
    )[0]
    assert message.usage == Usage(20_110, 60, "claude-x")


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        {"input_tokens": 0, "output_tokens": 5},
        {"input_tokens": "12"},
        {"input_tokens": True},
        {"input_tokens": -4},
    ],
)
def test_placeholders_are_no_usage(usage: object) -> None:
    """Where the prompt side is nothing, nothing was measured."""
    assert read(reply("a", "m", text("x"), usage=usage))[0].usage is None


def test_cleared_results_become_a_short_text() -> None:
    """Results that a microcompaction took out keep their place and error flag, not their text."""
    failed = {**result("2"), "is_error": True}
    messages = read(user("a", [result("1")]), user("b", [failed]), cleared=frozenset({"2"}))
    assert messages[0].results[0].content == (Text("of 1"),)
    assert messages[1].parts == (ToolResult("2", (Text(CLEARED),), is_error=True, as_text=True),)
    assert messages[1].raw is None


def test_cleared_attachments_are_gone() -> None:
    """An attachment that a microcompaction took out is not sent any more."""
    note = {"type": "attachment", "uuid": "n", "attachment": {"type": "date_change", "newDate": "2026-01-01"}}
    assert len(read(note)) == 1
    assert read(note, cleared=frozenset({"n"})) == []


def test_what_microcompactions_cleared() -> None:
    """All boundaries together name what is cleared; odd values name nothing."""
    first = {"microcompactMetadata": {"compactedToolIds": ["1", 5], "clearedAttachmentUUIDs": ["n"]}}
    second = {"microcompactMetadata": {"compactedToolIds": "x"}}
    session = Session()
    for record in (first, second, {"microcompactMetadata": 3}, {}):
        session.note(loose(Outline, record))
    assert session.cleared == {"1", "n"}


def test_the_model_is_the_newest_real_one() -> None:
    """Synthetic replies name no model, and no replies mean none."""
    odd = {"type": "assistant", "uuid": "b", "message": {"model": "<synthetic>"}}
    assert model_of(typed(reply("a", "m"), odd, user("u", "x"))) == "claude-x"
    assert model_of(typed(odd)) is None
