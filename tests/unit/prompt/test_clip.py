"""A text too long keeps its beginning and its end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.prompt import clip


@pytest.mark.parametrize(("limit", "head", "tail"), [(500, 375, 125), (2000, 1500, 500), (10, 7, 3), (0, 0, 0)])
def test_keeps_three_quarters_and_the_end(limit: int, head: int, tail: int) -> None:
    """T6: a text over the limit keeps its first three quarters and its end, and says how much is missing."""
    text = "a" * head + "m" * 4000 + "z" * tail
    assert clip(text, limit) == "a" * head + "\n[... 4000 characters omitted ...]\n" + "z" * tail


def test_the_row_of_the_rules() -> None:
    """T6: 900 letters under a limit of 500 lose 400."""
    assert clip("x" * 900, 500) == "x" * 375 + "\n[... 400 characters omitted ...]\n" + "x" * 125


@pytest.mark.parametrize("length", [0, 499, 500, 510, 533])
def test_a_cut_that_does_not_shorten_is_not_made(length: int) -> None:
    """T6: a text within the limit, or not shortened by the cut, stays."""
    assert clip("x" * length, 500) == "x" * length


def test_a_cut_is_made_as_soon_as_it_shortens() -> None:
    """T6: one character more than the marker takes, and the text is cut."""
    assert len(clip("x" * 534, 500)) == 533


def test_counts_code_points() -> None:
    """G2: 700 CJK characters fit a limit of 2,000, though not in bytes."""
    assert clip("漢" * 700, 2000) == "漢" * 700
    assert clip("😀" * 900, 500).count("😀") == 500


def test_without_a_limit_all_stays() -> None:
    """T6: no limit cuts nothing."""
    assert clip("x" * 100_000, None) == "x" * 100_000


@given(st.text(max_size=300), st.integers(min_value=0, max_value=300))
def test_never_grows_and_keeps_both_ends(text: str, limit: int) -> None:
    """T6: the result is never longer than the text, and its ends are those of the text."""
    clipped = clip(text, limit)
    assert len(clipped) <= len(text)
    assert clipped.startswith(text[: limit * 3 // 4])
    assert clipped == text or clipped.endswith(text[len(text) - (limit - limit * 3 // 4) :])
