"""Whole shares add up to the whole."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from compact_chat.measure.weights import shares

SIZES = st.lists(st.floats(0, 1e7), max_size=30)


@given(st.integers(0, 10**7), SIZES)
def test_shares_add_up(total: int, sizes: list[float]) -> None:
    """The shares sum to the total, unless there is nothing to share among."""
    divided = shares(total, sizes)

    assert len(divided) == len(sizes)
    assert sum(divided) == (total if any(round(size * 1_000) for size in sizes) else 0)
    assert min(divided, default=0) >= 0


@given(st.integers(0, 10**6), st.lists(st.integers(1, 10**6), min_size=1, max_size=30))
def test_shares_are_proportional(total: int, sizes: list[int]) -> None:
    """No share is further than one from its exact size."""
    whole = sum(sizes)

    assert all(abs(share - total * size / whole) < 1 for share, size in zip(shares(total, sizes), sizes, strict=True))


def test_the_largest_remainders_are_rounded_up() -> None:
    """What rounding down leaves goes where it is missed most, to the first of equals."""
    assert shares(10, [1, 1, 1]) == (4, 3, 3)
    assert shares(10, [2.6, 2.6, 4.8]) == (3, 2, 5)
