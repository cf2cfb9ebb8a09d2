"""A transcript shrinks in five steps, in their order, and only as far as it must."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Text, Thinking, ToolCall, ToolResult
from compact_chat.prompt import fit, write_transcript
from compact_chat.prompt.transcript import Limits, shrinking
from tests.samples.chats import a, u

CHAT = [
    u("U" * 9000),
    a(Thinking("T" * 900), "A" * 9000, ToolCall("k", "write", {"q": "J" * 900})),
    u(ToolResult("k", (Text("R" * 9000),))),
]
STEPS = shrinking(Limits())


@pytest.mark.parametrize("step", range(6))
def test_takes_the_first_step_that_fits(step: int) -> None:
    """T8: results to 500, thinking out, arguments to 200, assistant to 2,000, user to 4,000: one after the other."""
    wanted = write_transcript(CHAT, STEPS[step])
    assert fit(CHAT, len(wanted))[0] == wanted
    assert fit(CHAT, len(wanted))[1]


@pytest.mark.parametrize("step", range(5))
def test_one_character_less_takes_the_next_step(step: int) -> None:
    """T8: a transcript over the limit by one character is shrunk further."""
    fitted = fit(CHAT, len(write_transcript(CHAT, STEPS[step])) - 1)
    assert fitted[0] == write_transcript(CHAT, STEPS[step + 1])


def test_says_when_it_does_not_fit() -> None:
    """T8: after the last step the shortest transcript comes back, and that it is too long."""
    fitted = fit(CHAT, 100)
    assert fitted[0] == write_transcript(CHAT, STEPS[-1])
    assert not fitted[1]


def test_the_steps_only_shrink() -> None:
    """T8: each step makes this chat shorter than the one before."""
    lengths = [len(write_transcript(CHAT, limits)) for limits in STEPS]
    assert lengths == sorted(set(lengths), reverse=True)


@given(st.lists(st.text(max_size=50), max_size=5), st.integers(0, 300))
def test_fits_means_fits(texts: list[str], max_chars: int) -> None:
    """T8: `fits` tells truly whether the text keeps the limit."""
    fitted = fit([u(text) for text in texts], max_chars)
    assert fitted[1] == (len(fitted[0]) <= max_chars)
