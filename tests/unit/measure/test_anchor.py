"""What a recorded call tells of its reply."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from compact_chat.chat import Usage
from compact_chat.measure import Weight
from compact_chat.measure.families import GEMINI, GPT, UNKNOWN
from compact_chat.measure.gauge import PICTURE_DOUBT, ROUNDING, Size, anchor_of, doubt

FAMILY = replace(UNKNOWN, below=2.0, above=1.0)
REPLY = Weight(text=100, tool_calls=60, thinking=40)


@pytest.mark.parametrize(
    ("output", "reply", "thoughts"),
    [
        (1, Size(200), Size(40)),
        (25, Size(200), Size(40)),
        (129, Size(200), Size(40)),
        (130, Size(known=130), Size()),
        (210, Size(known=210), Size(known=50)),
        (900, Size(known=900), Size(known=740)),
    ],
)
def test_a_placeholder_is_not_believed(output: int, reply: Size, thoughts: Size) -> None:
    """Far below what was written, the output is the stream's first figure; above it, it holds what was not shown."""
    anchor = anchor_of(Usage(5_000, output, "m"), REPLY, Size(7), FAMILY, 1.0)

    assert (anchor.before, anchor.reply, anchor.thoughts) == (Size(7), reply, thoughts)


def test_thoughts_that_are_reported() -> None:
    """Where the vendor reports its hidden thoughts, that is what they are."""
    usage = Usage(5_000, 400, "gpt-5.5", reasoning_tokens=300)

    assert anchor_of(usage, Weight(text=90), Size(), GPT, 1.0).thoughts == Size(known=300)


def test_a_guess_at_hidden_thoughts_rejects_no_output() -> None:
    """A short reply after a thought that is not shown is no placeholder."""
    assert anchor_of(Usage(5_000, 12, "gpt-5.5"), Weight(text=10, thinking=130), Size(), GPT, 1.0).reply == Size(
        known=12
    )


def test_without_thoughts_the_rest_is_none() -> None:
    """An output above the count is no thought where nothing was thought."""
    assert anchor_of(Usage(5_000, 400, "m"), Weight(text=90), Size(), FAMILY, 1.0).thoughts == Size()


def test_a_tools_own_count_of_the_whole() -> None:
    """A figure for all that would be sent has the message in it."""
    assert anchor_of(Usage(5_000, 0, "m", whole=True), REPLY, Size(7), FAMILY, 1.0).reply == Size()


def test_doubt() -> None:
    """Nothing counted is nothing to doubt; the doubt grows slower than the count; a note can only come on top."""
    assert doubt(0, 0, FAMILY, note=0, share=1.0) == (ROUNDING, ROUNDING)
    assert doubt(-5, 100, FAMILY, note=9, share=1.0) == (ROUNDING + 100 * PICTURE_DOUBT, ROUNDING + 34)

    below, above = doubt(1_000, 0, FAMILY, note=0, share=1.0)
    assert below - ROUNDING == pytest.approx(2 * (above - ROUNDING))
    assert below < doubt(10_000, 0, FAMILY, note=0, share=1.0)[0] < 10 * below
    assert doubt(1_000, 0, FAMILY, note=0, share=2.0)[0] - ROUNDING == pytest.approx(2 * (below - ROUNDING))


def test_thoughts_that_are_never_sent_again_are_no_part_of_the_next_prompt() -> None:
    """Gemini bills what it thought and does not get it back."""
    usage = Usage(1_000, 300, "gemini-2.5-pro", reasoning_tokens=250)
    anchor = anchor_of(usage, Weight(text=50), Size(), GEMINI, 1.0)
    assert (anchor.reply, anchor.thoughts) == (Size(known=50), Size())
