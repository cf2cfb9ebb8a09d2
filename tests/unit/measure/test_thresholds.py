"""Rules X1 to X3, the default budget, and the advice with its reason."""

from __future__ import annotations

import pytest

from compact_chat.measure import Window, advise, default_budget

HUGE = 10**30


@pytest.mark.parametrize(
    ("used", "budget", "prune_at", "advice"),
    [
        (5_001, 5_000, 0.7, "compact"),
        (5_000, 5_000, 0.7, "prune"),
        (HUGE + 1, HUGE, 0.7, "compact"),
        (HUGE, HUGE, 0.7, "prune"),
        (HUGE * 7 + 1, HUGE * 10, 0.7, "prune"),
        (HUGE * 7, HUGE * 10, 0.7, "none"),
        (1_000, 1_000, 1.0, "none"),
        (1, 1_000, 0.0, "prune"),
        (0, 1_000, 0.0, "none"),
        (571, 1_000, 0.571, "none"),
        (572, 1_000, 0.571, "prune"),
    ],
)
def test_thresholds(used: int, budget: int, prune_at: float, advice: str) -> None:
    """X1 to X3: a threshold is passed above it, not at it, with integers of any size; above the budget none cuts."""
    assert advise(used, budget, prune_at, 1.0)[0] == advice


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
