"""Locate the summary in a reply: the contents of its `<summary>` blocks, and the text outside them (rules F2 to F7).

    <analysis>notes on the chat, thrown away</analysis>
    <summary>
    1. Primary Request and Intent: ...
    </summary>

Models leave tags open, nest them, quote them in code and mention them in their notes; each rule is one such case.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator

from msgspec import Struct

from compact_chat.styles.markdown import Spans, closed_code, outside
from compact_chat.text import Tag, find_tags

_LINE_START = re.compile(r"^[ \t]*+(?=<)", re.MULTILINE)


class Blocks(Struct, frozen=True):
    """The contents of the summary blocks, whether the last is cut off, and without any the text outside analysis."""

    bodies: tuple[str, ...]
    cut_off: bool
    outside: str


class TagsOutside:
    """Tags outside certain spans of a text.

    Where a walk continues behind each span is computed beforehand, so that repeated walks stay linear altogether.
    """

    def __init__(self, tags: Iterable[Tag], spans: Spans) -> None:
        self._tags = {tag.start: tag for tag in tags}
        self._places = sorted({*self._tags, *spans})
        # For each position the index of the first tag that a walk from there meets; the last entry is the end.
        self._next = [len(self._places)] * (len(self._places) + 1)
        for index in reversed(range(len(self._places))):
            end = spans.get(self._places[index])
            self._next[index] = index if end is None else self._next[bisect_left(self._places, end)]

    def after(self, place: int) -> Iterator[Tag]:
        """Yield the tags from a position on that is itself outside all spans."""
        index = self._next[bisect_left(self._places, place)]
        while index < len(self._places):
            yield self._tags[self._places[index]]
            index = self._next[index + 1]


class _Reply:
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
        self.outside = TagsOutside(tags, self.analyses)  # a summary
        self.inside = TagsOutside(summaries, code)  # a summary
        self.behind = TagsOutside(summaries, code | self.analyses)  # a summary
        self.scratchpad = TagsOutside(notes, code)  # at the beginning of a summary

    def opening(self, place: int) -> Tag | None:
        """Find the opening tag of the next summary; an unclosed analysis reaches up to one (rules F3 and F4).

        Behind such an analysis a tag that starts a line is preferred: a scratchpad may mention the tag.
        """
        first = next((tag for tag in self.outside.after(place) if not tag.closing), None)
        if first is None or first.name == "summary":
            return first
        for openings in (self.line_openings, self.openings):
            index = bisect_left(openings, first.end, key=lambda tag: tag.start)
            if index < len(openings):
                return openings[index]
        return None

    def closing(self, opening: Tag) -> Tag | None:
        """Find the tag that ends a summary: the matching one, else the last one, else none (rules F5 and F7).

        More closing tags before the next opening one belong to the summary, as text; the last of them ends it.
        """
        depth, last = 1, None
        for tag in self.inside.after(opening.end):
            depth += -1 if tag.closing else 1
            last = tag if tag.closing else last
            if depth == 0:
                for extra in self.behind.after(tag.end):
                    if not extra.closing:
                        break
                    last = extra
                return last
        return last

    def body(self, start: int, end: int) -> str:
        """Return the contents of a summary, without the analyses that it begins with (rule F6)."""
        depth = 0
        for tag in self.scratchpad.after(start):
            if tag.end > end or (depth == 0 and (tag.closing or self.text[start : tag.start].strip())):
                break
            depth += -1 if tag.closing else 1
            start = tag.end if depth == 0 else start
        return self.text[start:end]

    def without_tags(self) -> str:
        """Return the text without closed analyses and stray closing tags; blank if an analysis never ends (F3, F4)."""
        if any(not tag.closing for tag in self.outside.after(0)):
            return ""
        tags = (tag for scan in (self.behind, self.scratchpad) for tag in scan.after(0))
        stray = {tag.start: tag.end for tag in tags if tag.closing}
        return "".join(outside(self.text, self.analyses | stray))


def find_blocks(text: str) -> Blocks:
    """Read a reply from left to right, once."""
    reply = _Reply(text)
    bodies: list[str] = []
    place = 0
    while opening := reply.opening(place):
        closing = reply.closing(opening)
        bodies.append(reply.body(opening.end, closing.start if closing else len(text)))
        if closing is None:
            return Blocks(tuple(bodies), cut_off=True, outside="")
        place = closing.end
    return Blocks(tuple(bodies), cut_off=False, outside="" if bodies else reply.without_tags())
