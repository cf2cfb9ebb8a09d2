"""What model APIs accept."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from msgspec.structs import replace

from compact_chat.chat import Message, Part, Text, Thinking, ToolCall, ToolResult, Usage, raws
from compact_chat.read import resolved
from compact_chat.resume import as_anthropic, make_valid, sendable
from tests.oracles.valid_chat import anthropic_faults
from tests.samples.chats import PICTURE, a, anything, call, conversations, res, s, talk, turns, u

CUT_OFF = ToolResult("1", (Text("[Tool call interrupted]"),), is_error=True, as_text=True)
OMITTED = u("[Earlier messages omitted]")


def bare(messages: Sequence[Message]) -> list[tuple[str, tuple[Part, ...]]]:
    """Roles and parts alone."""
    return [(message.role, message.parts) for message in messages]


Q, ONE, TWO, R, R2 = u("q"), a(call("1")), a(call("1"), call("2")), res("1", "r"), res("2", "r")
CASES: dict[str, tuple[list[Message], list[Message]]] = {
    "V1 thinking goes": ([Q, a(Thinking("hm"), "text")], [Q, a("text")]),
    "V1 neighbors of a dropped turn merge": ([Q, a(Thinking("")), u("y"), a("z")], [u("q", "y"), a("z")]),
    "V2 spread results": ([Q, TWO, u(R), u(R2, "w")], [Q, TWO, u(R, R2, "w")]),
    "V2 a late result": ([Q, ONE, u("w"), a("x"), u(R)], [Q, ONE, u(R, "w"), a("x")]),
    "V2 a system message between": ([Q, ONE, s("n"), u(R, "w")], [Q, ONE, u(R), s("n"), u("w")]),
    "V2 result without a call": ([u("q", R), a("x")], [Q, a("x")]),
    "V2 a second result": ([Q, ONE, u(R, res("1", "again"))], [Q, ONE, u(R)]),
    "V2 ids unique": (
        [Q, ONE, u(R), ONE, u(res("1", "t"))],
        [Q, ONE, u(R), a(call("1-2")), u(res("1-2", "t"))],
    ),
    "V2 no id": ([Q, a(call("")), u(res("", "r"))], [Q, a(call("call")), u(res("call", "r"))]),
    "V2 a call that is not the assistant's": ([u("q", call("1")), a("x")], [Q, a("x")]),
    "V3 blank text": ([Q, a("", call("1"))], [Q, ONE]),
    "V3 blank message": ([Q, a(" \n"), u("y")], [u("q", "y")]),
    "V3 in lists": ([Q, ONE, u(res("1", " ", PICTURE))], [Q, ONE, u(res("1", PICTURE))]),
    "V3 nothing else in a list": (
        [Q, ONE, u(res("1", "", ""))],
        [Q, ONE, u(ToolResult("1", (Text("(no output)"),)))],
    ),
    "V3 no list": ([Q, ONE, u(res("1", " "))], [Q, ONE, u(res("1", " "))]),
    "V4 assistant first": ([a("x"), u("y")], [OMITTED, a("x"), u("y")]),
    "V4 behind system text": ([s("r"), a("x")], [s("r"), OMITTED, a("x")]),
    "V4 V2 nothing left of the first": ([u(R), a("x")], [OMITTED, a("x")]),
    "V4 system text alone": ([s("r")], [s("r")]),
    "V5 neighbors": ([Q, u("y"), a("x"), a("z")], [u("q", "y"), a("x", "z")]),
    "V5 results first": ([Q, ONE, u("w", R)], [Q, ONE, u(R, "w")]),
    "J1 system messages stay apart": ([s("r"), s("n"), Q], [s("r"), s("n"), Q]),
    "V6 pictures stay": ([u("q", PICTURE), ONE, u(res("1", PICTURE))], [u("q", PICTURE), ONE, u(res("1", PICTURE))]),
    "V7 open at the end": ([Q, TWO, u(R2)], [Q, TWO, u(R2)]),
    "V7 words behind it": ([Q, ONE, u("stop")], [Q, ONE, u(CUT_OFF, "stop")]),
    "V7 given up": ([Q, TWO, u(R2), a("x")], [Q, TWO, u(R2, CUT_OFF), a("x")]),
    "V7 nothing left behind it": ([Q, ONE, s(R2)], [Q, ONE]),
    "nothing": ([], []),
}
SENT: dict[str, tuple[Sequence[Message], list[Message]]] = {
    "assistant last": (turns(2), [u("u0"), a("a1"), u("Go on.")]),
    "user last": (turns(1), [u("u0")]),
    "V7 open call": ([Q, ONE], [Q, ONE]),
    "V7 one of two open": ([Q, TWO, u(R2)], [Q, TWO, u(R2)]),
    "given up": ([Q, ONE, s("n")], [Q, ONE, u(CUT_OFF), s("n"), u("Go on.")]),
    "nothing": ([], [u("Go on.")]),
}


@pytest.mark.parametrize(("messages", "result"), CASES.values(), ids=CASES)
def test_a_chat_becomes_valid(messages: list[Message], result: list[Message]) -> None:
    """V1 to V7, each by example."""
    assert bare(make_valid(talk(*messages))) == bare(result)


@given(anything() | conversations())
def test_every_chat_becomes_valid(messages: tuple[Message, ...]) -> None:
    """V1 to V5, V7: whatever comes in, what goes out keeps every rule, and a second time changes nothing."""
    before = repr(messages)
    once = make_valid(messages)
    again = make_valid(once)

    assert all(new is old for new, old in zip(again, once, strict=True))
    assert repr(messages) == before


@given(anything() | conversations())
def test_untouched_messages_are_the_same_objects(messages: tuple[Message, ...]) -> None:
    """V: a message with its parts as they were is the object itself; merged ones as they were have several raws."""
    originals = {message.id: message for message in messages}

    for message in make_valid(messages):
        old = originals.get(message.id)
        pieces = [messages[item["place"]] for item in raws(message)]
        assert message is old or message.raw is None or len(pieces) > 1
        assert not pieces or message.parts == tuple(part for piece in pieces for part in piece.parts)
        assert old is None or message is old or message.parts != old.parts


@given(anything() | conversations())
def test_every_chat_becomes_sendable(messages: tuple[Message, ...]) -> None:
    """V7, V8: the valid chat ends with the user, or with calls that are open for the host."""
    sent = sendable(messages, "Go on.")

    assert anthropic_faults(as_anthropic(sent, foreign=True)) == []
    assert sent[-1].role == "user" or sent[-1].calls
    assert sent[: len(make_valid(messages))] == make_valid(messages)


@pytest.mark.parametrize(("messages", "result"), SENT.values(), ids=SENT)
def test_a_chat_to_send_ends_with_the_user(messages: list[Message], result: list[Message]) -> None:
    """V8: the closing words are the user's, where neither the user has the last word nor the host a call to answer."""
    assert bare(sendable(messages, "Go on.")) == bare(result)


def test_a_merged_message_is_what_its_pieces_were() -> None:
    """V5: it is a summary if one piece was, the host's only if all were, came as all came, and has no usage."""
    pieces = talk(replace(u("S"), is_summary=True, by_host=True), replace(u("y"), usage=Usage(1, 1, "m")))

    came = ({"place": 0}, {"place": 1})
    assert make_valid(pieces) == (Message("m0", "user", (Text("S"), Text("y")), raw=came, is_summary=True),)


def test_worded_results_answer_their_calls() -> None:
    """V2: hosts that tell results in words leave no call open; the message is no longer as it came."""
    told = "[read_file for 'a.py'] Result:\nprint(1)"
    asked = a(ToolCall("1", "read_file", {}))
    messages = make_valid(list(resolved(talk(u("q"), asked, u(told), a("x"), u("y")), "cline")))

    assert messages[2].results == (ToolResult("1", (Text(told),), as_text=True),)
    assert messages[2].raw is None
    assert bare(make_valid(list(resolved(talk(u(*asked.parts, "q"), u(told)), "cline")))) == bare([u("q", told)])
