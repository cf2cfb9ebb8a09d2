"""The ratio of a chat is learned from the calls that it records."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from compact_chat.chat import Message, Usage
from compact_chat.measure.calibration import comparable_calls, learned_ratio
from compact_chat.measure.families import UNKNOWN
from compact_chat.measure.weights import Weight
from tests.fakes.chats import a, u

FAMILY = replace(UNKNOWN, ratio=1.0)


def answered(prompt: int, model: str = "m") -> Message:
    """An answer whose call had a prompt of this size."""
    return replace(a("ok"), usage=Usage(prompt, 0, model))


def session(*prompts: int, model: str = "m") -> list[Message]:
    """A question and an answer for each prompt."""
    return [message for prompt in prompts for message in (u("go"), answered(prompt, model))]


def ratio_of(messages: list[Message], words: int, images: int = 0) -> float:
    """The ratio learned where every message weighs as much."""
    weights = [Weight(text=words, images=images)] * len(messages)
    return learned_ratio(comparable_calls(messages), weights, FAMILY)


def test_without_two_calls_the_family_decides() -> None:
    """With one call there is nothing to learn from."""
    assert ratio_of([], 500) == 1.0
    assert ratio_of(session(9_000), 500) == 1.0


def test_one_step() -> None:
    """The family's ratio counts for 4,000 tokens beside what was seen."""
    assert ratio_of(session(9_000, 10_500), 500) == pytest.approx((1_500 + 4_000) / (1_000 + 4_000))


def test_the_latest_steps_count_most() -> None:
    """Each step makes those before it weigh a tenth less."""
    assert ratio_of(session(9_000, 10_500, 11_500), 500) == pytest.approx(
        (1_350 + 1_000 + 4_000) / (900 + 1_000 + 4_000)
    )


def test_many_steps_find_the_ratio() -> None:
    """A chat that grows by 1.6 tokens for each of ours ends near 1.6, whatever the family says."""
    assert ratio_of(session(*range(9_000, 400_000, 3_200)), 1_000) == pytest.approx(1.6, abs=0.11)


@pytest.mark.parametrize("prompts", [(9_000, 9_000), (9_000, 4_000), (9_000, 9_700), (9_000, 11_500)])
def test_implausible_steps_teach_nothing(prompts: tuple[int, int]) -> None:
    """Where a prompt shrank, or grew by far less or more than was said, the host did something else."""
    assert ratio_of(session(*prompts), 500) == 1.0


def test_pictures_are_left_out() -> None:
    """What pictures take is known in the model's own tokens, and teaches nothing about words."""
    assert ratio_of(session(9_000, 10_500 + 2 * 765), 500, images=765) == ratio_of(session(9_000, 10_500), 500)


def test_another_model_is_another_measure() -> None:
    """A change of the model forgets what was before."""
    before = session(9_000, 10_500)

    assert ratio_of(before + session(20_000, model="n"), 500) == 1.0
    assert comparable_calls(before + session(20_000, 21_000, model="n"))[0] == (5, Usage(20_000, 0, "n"))


def test_a_summary_is_another_start() -> None:
    """Calls before a summary are not compared with those after it, but are known while there are none after it."""
    summary = replace(u("so far"), is_summary=True)
    before = session(9_000, 10_500)

    assert [index for index, _ in comparable_calls([*before, summary, *session(4_000)])] == [6]
    assert [index for index, _ in comparable_calls([*before, summary])] == [1, 3]


def test_calls_that_say_nothing() -> None:
    """A call with a prompt of 0 was recorded by mistake."""
    assert comparable_calls([answered(0), answered(5)]) == [(1, Usage(5, 0, "m"))]


def test_the_ratio_has_bounds() -> None:
    """No chat makes the ratio less than 0.8 or more than 2.4."""
    for ratio, bound in ((0.5, 0.8), (9.0, 2.4)):
        assert learned_ratio([], [], replace(FAMILY, ratio=ratio)) == bound
