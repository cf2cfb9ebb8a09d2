"""What an API gets to see of a message."""

from __future__ import annotations

import pytest
from hypothesis import given

from compact_chat.chat import Message, Text, Thinking, ToolResult
from compact_chat.plan import seen, with_parts
from tests.samples.chats import PICTURE, a, anything, call, res, s, u


@pytest.mark.parametrize(
    ("message", "left"),
    [
        pytest.param(a(Thinking("hm"), Thinking(""), "x"), a("x"), id="V1 thinking"),
        pytest.param(a(Thinking("hm")), a(), id="V1 nothing else"),
        pytest.param(u("", " \n\u2028", "x"), u("x"), id="V3 blank texts"),
        pytest.param(u(res("1", "", PICTURE, " ")), u(res("1", PICTURE)), id="V3 blank texts of a result"),
        pytest.param(u(res("1", "", "")), u(ToolResult("1", (Text("(no output)"),))), id="V3 T3 nothing else in it"),
        pytest.param(u(res("1", " ")), u(res("1", " ")), id="V3 a result that is one text"),
        pytest.param(u("x", call("1")), u("x"), id="V2 a call of the user"),
        pytest.param(s(call("1")), s(), id="V2 a call of the system"),
        pytest.param(a("x", call("1"), PICTURE), a("x", call("1"), PICTURE), id="all of it"),
    ],
)
def test_some_parts_are_not_seen(message: Message, left: Message) -> None:
    """V1 to V3: thinking, blank texts and calls of anybody but the assistant are left out."""
    assert seen(message).parts == left.parts


@given(anything())
def test_what_is_seen_whole_is_the_message_itself(messages: tuple[Message, ...]) -> None:
    """V: a message that loses nothing goes on as it came, one that does is no longer the caller's."""
    for message in messages:
        shown = seen(message)
        assert seen(shown) is shown
        assert (shown is message) == (shown.parts == message.parts) == (shown.raw is not None)
        assert with_parts(message, message.parts) is message
