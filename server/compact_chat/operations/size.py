"""Tell small params from those that are work, without looking at more than a little of them."""

from __future__ import annotations

SMALL = 40_000  # characters; counted and planned within a millisecond or two


def is_small(params: object) -> bool:
    """Say whether params hold little text, and name no file, plan or compaction that may hold more."""
    left, waiting = SMALL, [params]
    while waiting and left >= 0:
        left -= 20
        match waiting.pop():
            case str(text):
                left -= len(text)
            case {"uri": _} | {"planId": _} | {"compactionId": _}:
                return False
            case dict(members):
                left -= 20 * len(members)
                waiting.extend(members.values())
            case list(items):
                left -= 20 * len(items)
                waiting.extend(items)
    return left >= 0
