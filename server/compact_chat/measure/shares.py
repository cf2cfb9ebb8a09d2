"""A whole number divided into whole shares that add up to it."""

from __future__ import annotations

from collections.abc import Sequence


def shares(total: int, sizes: Sequence[float]) -> tuple[int, ...]:
    """Divide in proportion to the sizes; what rounding down leaves goes to the largest remainders."""
    units = [round(size * 1_000) for size in sizes]
    whole = sum(units)
    if not whole:
        return (0,) * len(units)
    rounded = [total * unit // whole for unit in units]
    by_remainder = sorted(range(len(units)), key=lambda index: -(total * units[index] % whole))
    for index in by_remainder[: total - sum(rounded)]:
        rounded[index] += 1
    return tuple(rounded)
