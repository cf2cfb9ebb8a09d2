"""Closed code in Markdown, fences and inline spans: there a tag or a heading is only quoted."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Where stretches of a text begin, and where each ends; they may overlap until they are read from left to right.
Stretches = dict[int, int]

FENCE = re.compile(r"^[ \t]*+(?P<run>`{3,}+|~{3,}+)(?P<info>[^\n]*+)$", re.MULTILINE)
_TICKS = re.compile(r"`++")


def closed_code(text: str) -> Stretches:
    """Closed fences and closed inline spans."""
    return closed_spans(text) | closed_fences(text)


def closed_fences(text: str) -> Stretches:
    """Each line that opens a fence, up to the end of the line that closes it further down (rule R5)."""
    stretches: Stretches = {}
    closers: dict[str, list[tuple[int, int]]] = {"`": [], "~": []}  # width and end: the nearest last, and the narrowest
    for fence in reversed(list(FENCE.finditer(text))):
        mark, width, info = fence["run"][0], len(fence["run"]), fence["info"].strip()
        known = closers[mark]
        end = next((end for wide, end in reversed(known) if wide >= width), None)
        if end is not None and not (mark == "`" and "`" in info):
            stretches[fence.start()] = end
        if not info:
            while known and known[-1][0] <= width:
                known.pop()
            known.append((width, fence.end()))
    return stretches


def closed_spans(text: str) -> Stretches:
    """Each run of backticks, up to the end of the next run of the same width on its line."""
    stretches: Stretches = {}
    waiting: dict[int, int] = {}
    place = 0
    for run in _TICKS.finditer(text):
        if text.find("\n", place, run.start()) >= 0:
            waiting.clear()
        place, width = run.end(), run.end() - run.start()
        if width in waiting:
            stretches[waiting[width]] = run.end()
        waiting[width] = run.start()
    return stretches


def left_to_right(stretches: Stretches) -> Iterator[tuple[int, int]]:
    """The stretches that are met when each is left out as a whole."""
    place = 0
    for start in sorted(stretches):
        if start >= place:
            place = stretches[start]
            yield start, place


def between(text: str, stretches: Stretches) -> Iterator[str]:
    """The pieces of a text that are left when each stretch is left out."""
    place = 0
    for start, end in left_to_right(stretches):
        yield text[place:start]
        place = end
    yield text[place:]


def marked_lines(text: str) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it belongs to a closed fence."""
    fences = closed_fences(text)
    start = end = 0
    for line in text.split("\n"):
        if start >= end:
            end = fences.get(start, start)
        yield line, start < end
        start += len(line) + 1
