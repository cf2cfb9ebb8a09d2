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


@pytest.mark.parametrize(
    ("messages", "result"),
    [
        pytest.param([u("q"), a(Thinking("hm"), "text")], [u("q"), a("text")], id="V1 thinking goes"),
        pytest.param(
            [u("q"), a(Thinking("")), u("y"), a("z")], [u("q", "y"), a("z")], id="V1 neighbours of a dropped turn merge"
        ),
        pytest.param(
            [u("q"), a(call("1"), call("2")), u(res("1", "r")), u(res("2", "r"), "w")],
            [u("q"), a(call("1"), call("2")), u(res("1", "r"), res("2", "r"), "w")],
            id="V2 spread results",
        ),
        pytest.param(
            [u("q"), a(call("1")), u("w"), a("x"), u(res("1", "r"))],
            [u("q"), a(call("1")), u(res("1", "r"), "w"), a("x")],
            id="V2 a late result",
        ),
        pytest.param(
            [u("q"), a(call("1")), s("n"), u(res("1", "r"), "w")],
            [u("q"), a(call("1")), u(res("1", "r")), s("n"), u("w")],
            id="V2 a system message between",
        ),
        pytest.param([u("q", res("1", "r")), a("x")], [u("q"), a("x")], id="V2 result without a call"),
        pytest.param(
            [u("q"), a(call("1")), u(res("1", "r"), res("1", "again"))],
            [u("q"), a(call("1")), u(res("1", "r"))],
            id="V2 a second result",
        ),
        pytest.param(
            [u("q"), a(call("1")), u(res("1", "r")), a(call("1")), u(res("1", "t"))],
            [u("q"), a(call("1")), u(res("1", "r")), a(call("1-2")), u(res("1-2", "t"))],
            id="V2 ids unique",
        ),
        pytest.param(
            [u("q"), a(call("")), u(res("", "r"))], [u("q"), a(call("call")), u(res("call", "r"))], id="V2 no id"
        ),
        pytest.param([u("q"), a("", call("1"))], [u("q"), a(call("1"))], id="V3 blank text"),
        pytest.param([u("q"), a(" \n"), u("y")], [u("q", "y")], id="V3 blank message"),
        pytest.param(
            [u("q"), a(call("1")), u(res("1", " ", PICTURE))],
            [u("q"), a(call("1")), u(res("1", PICTURE))],
            id="V3 in lists",
        ),
        pytest.param(
            [u("q"), a(call("1")), u(res("1", "", ""))],
            [u("q"), a(call("1")), u(ToolResult("1", (Text("(no output)"),)))],
            id="V3 nothing else in a list",
        ),
        pytest.param(
            [u("q"), a(call("1")), u(res("1", " "))], [u("q"), a(call("1")), u(res("1", " "))], id="V3 no list"
        ),
        pytest.param([a("x"), u("y")], [OMITTED, a("x"), u("y")], id="V4 assistant first"),
        pytest.param([s("r"), a("x")], [s("r"), OMITTED, a("x")], id="V4 behind system text"),
        pytest.param([u(res("1", "r")), a("x")], [OMITTED, a("x")], id="V4 V2 nothing left of the first"),
        pytest.param([s("r")], [s("r")], id="V4 system text alone"),
        pytest.param([u("q"), u("y"), a("x"), a("z")], [u("q", "y"), a("x", "z")], id="V5 neighbours"),
        pytest.param(
            [u("q"), a(call("1")), u("w", res("1", "r"))],
            [u("q"), a(call("1")), u(res("1", "r"), "w")],
            id="V5 results first",
        ),
        pytest.param([s("r"), s("n"), u("q")], [s("r"), s("n"), u("q")], id="J1 system messages stay apart"),
        pytest.param(
            [u("q", PICTURE), a(call("1")), u(res("1", PICTURE))],
            [u("q", PICTURE), a(call("1")), u(res("1", PICTURE))],
            id="V6 pictures stay",
        ),
        pytest.param(
            [u("q"), a(call("1"), call("2")), u(res("2", "r"))],
            [u("q"), a(call("1"), call("2")), u(res("2", "r"))],
            id="V7 open at the end",
        ),
        pytest.param(
            [u("q"), a(call("1")), u("stop")], [u("q"), a(call("1")), u(CUT_OFF, "stop")], id="V7 words behind it"
        ),
        pytest.param(
            [u("q"), a(call("1"), call("2")), u(res("2", "r")), a("x")],
            [u("q"), a(call("1"), call("2")), u(res("2", "r"), CUT_OFF), a("x")],
            id="V7 given up",
        ),
        pytest.param([u("q"), a(call("1")), s(res("2", "r"))], [u("q"), a(call("1"))], id="V7 nothing left behind it"),
        pytest.param([u("q", call("1")), a("x")], [u("q"), a("x")], id="V2 a call that is not the assistant's"),
        pytest.param([], [], id="nothing"),
    ],
)
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


@pytest.mark.parametrize(
    ("messages", "result"),
    [
        pytest.param(turns(2), [u("u0"), a("a1"), u("Go on.")], id="assistant last"),
        pytest.param(turns(1), [u("u0")], id="user last"),
        pytest.param([u("q"), a(call("1"))], [u("q"), a(call("1"))], id="V7 open call"),
        pytest.param(
            [u("q"), a(call("1"), call("2")), u(res("2", "r"))],
            [u("q"), a(call("1"), call("2")), u(res("2", "r"))],
            id="V7 one of two open",
        ),
        pytest.param(
            [u("q"), a(call("1")), s("n")], [u("q"), a(call("1")), u(CUT_OFF), s("n"), u("Go on.")], id="given up"
        ),
        pytest.param([], [u("Go on.")], id="nothing"),
    ],
)
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
