"""Where the summary is in a reply: what its `<summary>` blocks hold, and what is outside them (rules F2 to F7).

    <analysis>notes on the chat, thrown away</analysis>
    <summary>
    1. Primary Request and Intent: ...
    </summary>

Models leave tags open, nest them, quote them in code and mention them in their notes; each rule is one such case.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from msgspec import Struct

from compact_chat.styles.markdown import Spans, between, closed_code
from compact_chat.text import Tag, find_tags

_LINE_START = re.compile(r"^[ \t]*+(?=<)", re.MULTILINE)
_BLANK = re.compile(r"\s*+")


class Blocks(Struct, frozen=True):
    """What the summary blocks hold, whether the last is cut off, and the text outside analysis if there are none."""

    bodies: tuple[str, ...]
    cut_off: bool
    outside: str


class _Scan:
    """Tags outside some spans of a text.

    Where a walk goes on behind each span is computed beforehand, so that repeated walks stay linear altogether.
    """

    def __init__(self, tags: Sequence[Tag], spans: Spans) -> None:
        self._tags = tags
        self._places = [tag.start for tag in tags]
        self._starts = sorted(spans)
        # For each span the next visible tag behind it, and the next span behind that; the last entry is the end.
        self._behind = [(len(tags), len(spans))] * (len(spans) + 1)
        for index in range(len(spans) - 1, -1, -1):
            tag, span = self._next(spans[self._starts[index]])
            hidden = tag == len(tags) or self._is_hidden(tag, span)
            self._behind[index] = self._behind[span] if hidden else (tag, span)

    def after(self, place: int) -> Iterator[Tag]:
        """Yield the tags from a place on that is itself outside all spans."""
        tag, span = self._next(place)
        while tag < len(self._tags):
            if self._is_hidden(tag, span):
                tag, span = self._behind[span]
            else:
                yield self._tags[tag]
                tag += 1

    def _next(self, place: int) -> tuple[int, int]:
        return bisect_left(self._places, place), bisect_left(self._starts, place)

    def _is_hidden(self, tag: int, span: int) -> bool:
        return span < len(self._starts) and self._starts[span] <= self._places[tag]


class _Layout:
    """A reply, and which of its tags count in which part of it."""

    def __init__(self, text: str) -> None:
        tags = list(find_tags(text, ("analysis", "summary")))
        summaries = [tag for tag in tags if tag.name == "summary"]
        notes = [tag for tag in tags if tag.name == "analysis"]
        line_starts = {match.end() for match in _LINE_START.finditer(text)}
        code = closed_code(text)
        self.text = text
        self.analyses: Spans = {}  # that are closed; nesting counts
        waiting: list[int] = []
        for tag in notes:
            if not tag.closing:
                waiting.append(tag.start)
            elif waiting:
                self.analyses[waiting.pop()] = tag.end
        self.openings = [tag for tag in summaries if not tag.closing]
        self.line_openings = [tag for tag in self.openings if tag.start in line_starts]
        self.outside = _Scan(tags, self.analyses)  # a summary
        self.inside = _Scan(summaries, code)  # a summary
        self.behind = _Scan(summaries, code | self.analyses)  # a summary
        self.scratchpad = _Scan(notes, code)  # at the beginning of a summary


def find_blocks(text: str) -> Blocks:
    """Read a reply from left to right, once."""
    layout = _Layout(text)
    bodies: list[str] = []
    place = 0
    while opening := _next_opening(layout, place):
        closing = _closing(layout, opening)
        bodies.append(_body(layout, opening.end, closing.start if closing else len(text)))
        if closing is None:
            return Blocks(tuple(bodies), cut_off=True, outside="")
        place = closing.end
    return Blocks(tuple(bodies), cut_off=False, outside="" if bodies else _outside(layout))


def _next_opening(layout: _Layout, place: int) -> Tag | None:
    """Find the opening tag of the next summary; an unclosed analysis reaches up to one (rules F3 and F4).

    Behind such an analysis a tag that starts a line is preferred: a scratchpad may mention the tag.
    """
    first = next((tag for tag in layout.outside.after(place) if not tag.closing), None)
    if first is None or first.name == "summary":
        return first
    for openings in (layout.line_openings, layout.openings):
        index = bisect_left(openings, first.end, key=lambda tag: tag.start)
        if index < len(openings):
            return openings[index]
    return None


def _closing(layout: _Layout, opening: Tag) -> Tag | None:
    """Find the tag that ends a summary: the matching one, else the last one, else none (rules F5 and F7).

    More closing tags before the next opening one belong to the summary, as text; the last of them ends it.
    """
    depth, last = 1, None
    for tag in layout.inside.after(opening.end):
        depth += -1 if tag.closing else 1
        last = tag if tag.closing else last
        if depth == 0:
            for extra in layout.behind.after(tag.end):
                if not extra.closing:
                    break
                last = extra
            return last
    return last


def _body(layout: _Layout, start: int, end: int) -> str:
    """Return what a summary holds, without scratchpads at its beginning (rule F6)."""
    while note := _leading_analysis(layout, start, end):
        start = note.end
    return layout.text[start:end]


def _leading_analysis(layout: _Layout, start: int, end: int) -> Tag | None:
    """Find the closing tag of an analysis that is the first thing in a summary."""
    blank = _BLANK.match(layout.text, start, end)
    first = blank.end() if blank else start
    depth = 0
    for tag in layout.scratchpad.after(start):
        if tag.end > end or (depth == 0 and (tag.closing or tag.start != first)):
            return None
        depth += -1 if tag.closing else 1
        if depth == 0:
            return tag
    return None


def _outside(layout: _Layout) -> str:
    """Return the text without closed analyses and stray closing tags; blank if an analysis never ends (F3, F4)."""
    if any(not tag.closing for tag in layout.outside.after(0)):
        return ""
    tags = (tag for scan in (layout.behind, layout.scratchpad) for tag in scan.after(0))
    stray = {tag.start: tag.end for tag in tags if tag.closing}
    return "".join(between(layout.text, layout.analyses | stray))
