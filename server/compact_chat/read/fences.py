"""Which lines of a Markdown text stand inside code fences (rule R5: a fence counts only if it is closed)."""

from __future__ import annotations

import re
from collections.abc import Sequence

_OPENING = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")


def fenced_lines(lines: Sequence[str]) -> list[bool]:
    """Tell for each line whether it is part of a closed fence."""
    inside = [False] * len(lines)
    never_closed: dict[str, int] = {}  # by sign, the shortest fence that nothing below closes
    for place in [place for place, line in enumerate(lines) if "```" in line or "~~~" in line]:
        end = None if inside[place] else _end_of_fence(lines, place, never_closed)
        if end is not None:
            inside[place : end + 1] = [True] * (end + 1 - place)
    return inside


def _end_of_fence(lines: Sequence[str], place: int, never_closed: dict[str, int]) -> int | None:
    opening = _OPENING.match(lines[place])
    if opening is None:
        return None
    fence = opening[1]
    if len(fence) >= never_closed.get(fence[0], len(fence) + 1):
        return None
    for below in range(place + 1, len(lines)):
        if _closes(lines[below], fence):
            return below
    never_closed[fence[0]] = len(fence)
    return None


def _closes(line: str, fence: str) -> bool:
    bare = line.strip(" \t")
    return bare.startswith(fence) and not bare.strip(fence[0])
