"""Ids of messages as short as they can be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

_SHORTEST = 8


def shortest(ids: Sequence[str]) -> list[str]:
    """Give of each id the beginning that no other shares, of eight characters at least: it names the message too."""
    needed = dict.fromkeys(ids, _SHORTEST)
    for one, other in pairwise(sorted(needed)):
        shared = _shared(one, other)
        needed[one], needed[other] = max(needed[one], shared + 1), max(needed[other], shared + 1)
    return [id[: needed[id]] for id in ids]


def _shared(one: str, other: str) -> int:
    """Count the characters with which both begin."""
    return next((place for place, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), len(one))
