"""Rules X1 to X3, the default budget, and the advice with its reason."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.errors import InvalidParams
from compact_chat.measure import Window, advise, default_budget
from compact_chat.measure.report import should_compact, should_prune

HUGE = 10**30


@pytest.mark.parametrize(
    ("tokens", "budget", "expected"),
    [
        (5_001, 5_000, True),
        (5_000, 5_000, False),
        (1, 0, False),
        (1, None, False),
        (HUGE + 1, HUGE, True),
        (HUGE, HUGE, False),
    ],
)
def test_should_compact(tokens: int, budget: int | None, expected: bool) -> None:
    """X1, X3: above the budget yes, equal no; no budget, no limit."""
    assert should_compact(tokens, budget) is expected


@pytest.mark.parametrize(
    ("tokens", "budget", "pct", "expected"),
    [
        (701, 1_000, 70, True),
        (700, 1_000, 70, False),
        (1_000, 1_000, 70, True),
        (1_001, 1_000, 70, False),
        (1, 0, 70, False),
        (0, 0, 0, False),
        (1, None, 70, False),
        (1_000, 1_000, 100, False),
        (1, 1_000, 0, True),
        (0, 1_000, 0, False),
        (HUGE * 7 + 1, HUGE * 10, 70, True),
        (HUGE * 7, HUGE * 10, 70, False),
        (571, 1_000, 57.1, False),
        (572, 1_000, Fraction("57.1"), True),
    ],
)
def test_should_prune(tokens: int, budget: int | None, pct: float | Fraction, expected: bool) -> None:
    """X2, X3: above the percentage and not above the budget, with integers of any size."""
    assert should_prune(tokens, budget, pct) is expected


@pytest.mark.parametrize("pct", [101, -1, -0.001, 100.5, float("nan"), float("inf"), True, "70"])
def test_pct_is_a_percentage(pct: Any) -> None:
    """X3: anything but a number from 0 to 100 is refused, also where there is no limit."""
    for budget in (1_000, 0, None):
        with pytest.raises(InvalidParams, match=r"\$\.pct"):
            should_prune(1, budget, pct)


@pytest.mark.parametrize("wrong", [-1, 1.5, True, float("nan"), "5"])
def test_counts_are_whole_numbers(wrong: Any) -> None:
    """G4: counts that are negative, fractional or booleans are refused by name."""
    for judge in (should_compact, should_prune):
        with pytest.raises(InvalidParams, match=r"\$\.tokens"):
            judge(wrong, 5)
        with pytest.raises(InvalidParams, match=r"\$\.budget"):
            judge(5, wrong)


@given(st.integers(min_value=0), st.integers(min_value=0), st.integers(0, 100))
def test_never_both(tokens: int, budget: int, pct: int) -> None:
    """X2: above the budget it is compaction's turn."""
    assert not (should_compact(tokens, budget) and should_prune(tokens, budget, pct))


@pytest.mark.parametrize(
    ("window", "tool", "budget"),
    [
        (Window(200_000, 64_000), "", 180_000),
        (Window(200_000, 8_192), "unknown", 191_808),
        (Window(200_000, 64_000), "claude-code", 167_000),
        (Window(272_000, 128_000), "codex", 244_800),
        (Window(1_048_576, 65_536), "gemini", 524_288),
        (Window(3_000, 64_000), "", 1_500),
        (Window(30_000, 64_000), "claude-code", 15_000),
        (Window(0, 0), "", 0),
    ],
)
def test_default_budget(window: Window, tool: str, budget: int) -> None:
    """The budget is where the tool compacts by itself, else the window less room for a reply, at most half of it."""
    assert default_budget(window, tool) == budget


@pytest.mark.parametrize(
    ("used", "advice", "says"),
    [
        (690, "none", "There is room for 10 more tokens, up to 700, 70% of the budget of 1,000."),
        (700, "none", "There is room for 0 more tokens, up to 700, 70% of the budget of 1,000."),
        (
            701,
            "prune",
            "Cutting old tool results is advised: 701 tokens are more than 700, 70% of the budget of 1,000.",
        ),
        (
            1_000,
            "prune",
            "Cutting old tool results is advised: 1,000 tokens are more than 700, 70% of the budget of 1,000.",
        ),
        (1_001, "compact", "A summary is advised: 1,001 tokens are more than the budget of 1,000."),
    ],
)
def test_advise(used: int, advice: str, says: str) -> None:
    """The advice follows X1 and X2, and its reason names both numbers."""
    assert advise(used, 1_000, 0.7, 1.0) == (advice, says)


@pytest.mark.parametrize(("used", "advice"), [(690, "none"), (701, "none"), (1_000, "none"), (1_001, "compact")])
def test_nothing_is_cut_where_nothing_can_be(used: int, advice: str) -> None:
    """X2, X4: where the newest messages hold all there is to cut, cutting is not advised."""
    assert advise(used, 1_000, 0.7, 1.0, can_cut=lambda: False)[0] == advice


def test_the_reason_says_that_nothing_can_be_cut() -> None:
    """X2: a person reads why there is no advice though the threshold is passed, and how much room is left."""
    assert advise(801, 1_000, 0.7, 0.9, can_cut=lambda: False)[1] == (
        "No old tool result can be cut, though 801 tokens are more than 700, 70% of the budget of 1,000."
        " There is room for 99 more tokens, up to 900, 90% of the budget of 1,000."
    )


@pytest.mark.parametrize("used", [700, 1_001])
def test_results_are_looked_for_only_where_they_matter(used: int) -> None:
    """G5: below the threshold and above the budget nobody looks."""
    assert advise(used, 1_000, 0.7, 1.0, can_cut=pytest.fail)[0] != "prune"


def test_advice_counts_decimal_fractions() -> None:
    """0.29 of 1,000 is 290, though the binary number behind 0.29 is a little less."""
    assert advise(290, 1_000, 0.29, 1.0)[0] == "none"
    assert advise(291, 1_000, 0.29, 1.0)[0] == "prune"


def test_compacting_may_be_advised_below_the_budget() -> None:
    """A lower fraction for compacting is heeded, and beats pruning."""
    assert advise(801, 1_000, 0.7, 0.8)[0] == "compact"
    assert advise(800, 1_000, 0.7, 0.8)[0] == "prune"
    assert advise(600, 1_000, 0.9, 0.5)[0] == "compact"


@pytest.mark.parametrize("budget", [0, None])
def test_no_limit_no_advice(budget: int | None) -> None:
    """X3: without a known limit nothing is advised, and the reason says so."""
    assert advise(10**9, budget, 0.7, 1.0) == ("none", "No limit is known for this chat, so nothing is advised.")
