"""Calls with their results, how they ended, and the commands among them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Message, ToolCall
from compact_chat.facts import (
    find_steps,
    shortened,
)
from tests.samples.chats import a, anything, call, res, u


def test_results_are_matched_by_id() -> None:
    """Parallel results may come late, in any order and in blocks; an orphaned result is no step."""
    chat = [
        a(call("1"), call("2")),
        u(res("2", "two")),
        u(res("1", "one")),
        a(call("1")),
        u(res("1", "a", "b"), res("3", "x")),
    ]

    assert [step.answer for step in find_steps(chat)] == ["one", "two", "a\nb"]


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("fatal: no such branch\n<shellId: 51 completed with exit code 128>", 128),
        ("main\n<shellId: 51 completed with exit code 0>", 0),
        ("<command with shellId: 51 is still running after 30 seconds>", None),
    ],
)
def test_copilot_cli_tells_how_a_shell_ended(answer: str, code: int | None) -> None:
    """T21: in its last line."""
    (step,) = find_steps([a(ToolCall("1", "bash", {"command": "git log"})), u(res("1", answer))])

    assert (step.code, step.outcome) == (code, "failed" if code else "ok")


@given(anything())
def test_there_is_a_step_for_each_call(chat: tuple[Message, ...]) -> None:
    """Whatever the chat holds, each call is one step, in order."""
    assert [step.call for step in find_steps(chat)] == [part for message in chat for part in message.calls]


# Text for comparing and quoting.


def test_shortened_cuts_behind_a_word() -> None:
    """Words are not cut, unless one word is nearly the whole text."""
    assert shortened("one two three", 9) == "one two…"
    assert shortened("one two", 7) == "one two"
    assert shortened("x" * 20, 9) == "x" * 8 + "…"


@given(st.text(max_size=200), st.integers(4, 50))
def test_shortened_keeps_to_the_limit(text: str, limit: int) -> None:
    """The result is one line of at most `limit` characters."""
    assert len(shortened(text, limit)) <= limit
    assert "\n" not in shortened(text, limit)
