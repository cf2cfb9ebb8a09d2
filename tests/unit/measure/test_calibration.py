"""What a chat teaches, from call to call."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.measure import Learned
from compact_chat.measure.gauge import HIGHEST, LOWEST, REMEMBERED_TOKENS, SUREST, UNSUREST

CERTAINTY = 4_000


def taught(*steps: tuple[float, float], is_held: bool = True) -> Learned:
    """What these steps teach: what was counted, and what was grown by."""
    learned = Learned()
    for expected, grown in steps:
        learned = learned.after(expected, grown, is_held)
    return learned


def test_nothing_was_seen() -> None:
    """At first, what is counted is what there is."""
    assert Learned().ratio(CERTAINTY) == 1.0


def test_one_step() -> None:
    """A step weighs against what the family is worth."""
    assert taught((1_000, 1_500)).ratio(CERTAINTY) == pytest.approx(5_500 / 5_000)


def test_the_latest_steps_count_most() -> None:
    """Each step makes those before it weigh a tenth less."""
    assert taught((1_000, 1_500), (1_000, 1_000)).ratio(CERTAINTY) == pytest.approx(
        (1_350 + 1_000 + 4_000) / (900 + 1_000 + 4_000)
    )


def test_many_steps_find_the_ratio() -> None:
    """A chat that grows by 1.5 for each token that is counted ends near that; a family that is certain stays."""
    learned = taught(*[(2_000, 3_000)] * 100)

    assert learned.ratio(CERTAINTY) == pytest.approx(1.5, abs=0.1)
    assert learned.ratio(1_000_000) == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("step", [(0, 0), (0, 500), (-5, 5), (1_000, -500), (1_000, 0), (1_000, 600), (1_000, 1_700)])
def test_implausible_steps_teach_no_ratio(step: tuple[float, float]) -> None:
    """Where a prompt shrank, or grew by far less or more than was counted, the host did something else."""
    assert taught(step).ratio(CERTAINTY) == 1.0


def test_the_doubt_follows_what_was_held() -> None:
    """Bounds that hold get a little narrower, those that do not much wider; in the balance, nine of ten hold."""
    assert SUREST <= taught((1_000, 1_000)).doubt < 1.0 < taught((1_000, 1_000), is_held=False).doubt

    learned = Learned()
    for number in range(2_000):
        learned = learned.after(0, 0, number % 11 > 0)
    assert learned.doubt == pytest.approx(1.0, abs=0.5)


def test_what_is_remembered() -> None:
    """A new chat begins with the same ratio, at the weight of a few calls."""
    learned = taught(*[(9_000, 12_000)] * 50)
    remembered = learned.remembered()

    assert remembered.expected == REMEMBERED_TOKENS < learned.expected
    assert remembered.grown / remembered.expected == pytest.approx(learned.grown / learned.expected)
    assert remembered.remembered() == remembered
    assert Learned(50, 60).remembered() == Learned(50, 60)


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.booleans())), st.integers(1, 10**6))
def test_bounds(steps: list[tuple[float, float, bool]], certainty: int) -> None:
    """Whatever is seen, ratio and doubt stay within bounds."""
    learned = Learned()
    for expected, grown, is_held in steps:
        learned = learned.after(expected, grown, is_held)

    assert LOWEST <= learned.ratio(certainty) <= HIGHEST
    assert SUREST <= learned.doubt <= UNSUREST
