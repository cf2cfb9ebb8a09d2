"""Where the summary stands in a reply: what its blocks hold, and what stands outside them (rules F2 to F7)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from msgspec import Struct

from compact_chat.reply.markdown import Stretches, between, closed_code
from compact_chat.text import Tag, find_tags

# The tags of a reply as they count in each place of it (rules F2 to F6).


_LINE_START = re.compile(r"^[ \t]*+(?=<)", re.MULTILINE)


class Scan:
    """The tags outside some stretches; the way on behind each stretch is known beforehand, so that no walk is long."""

    def __init__(self, tags: Sequence[Tag], jumps: Stretches) -> None:
        self._tags = tags
        self._places = [tag.start for tag in tags]
        self._starts = sorted(jumps)
        self._behind = self._targets([jumps[start] for start in self._starts])

    def after(self, place: int) -> Iterator[Tag]:
        """The tags from a place on that is itself outside all stretches."""
        tag, jump = self._next(place)
        while tag < len(self._tags):
            if self._is_hidden(tag, jump):
                tag, jump = self._behind[jump]
            else:
                yield self._tags[tag]
                tag += 1

    def _targets(self, ends: Sequence[int]) -> list[tuple[int, int]]:
        """Of each stretch the next tag behind it that is seen, and the next stretch behind that tag's gap."""
        behind = [(len(self._tags), len(ends))] * (len(ends) + 1)
        for index in range(len(ends) - 1, -1, -1):
            tag, jump = self._next(ends[index])
            behind[index] = behind[jump] if tag == len(self._tags) or self._is_hidden(tag, jump) else (tag, jump)
        return behind

    def _next(self, place: int) -> tuple[int, int]:
        return bisect_left(self._places, place), bisect_left(self._starts, place)

    def _is_hidden(self, tag: int, jump: int) -> bool:
        return jump < len(self._starts) and self._starts[jump] <= self._places[tag]


class Layout(Struct, frozen=True):
    """A reply, and which of its tags are seen from where."""

    text: str
    analyses: Stretches  # that are closed
    openings: Sequence[Tag]  # of summaries
    line_openings: Sequence[Tag]  # of summaries, at the start of a line
    outside: Scan  # every tag, closed analyses jumped over
    inside: Scan  # of a summary: its tags, code jumped over
    behind: Scan  # a summary: its tags, code and closed analyses jumped over
    scratchpad: Scan  # in a summary: the tags of analyses, code jumped over


def lay_out(text: str) -> Layout:
    """Find the tags of a reply."""
    tags = list(find_tags(text, ("analysis", "summary")))
    summaries = [tag for tag in tags if tag.name == "summary"]
    notes = [tag for tag in tags if tag.name == "analysis"]
    openings = [tag for tag in summaries if not tag.closing]
    line_starts = {match.end() for match in _LINE_START.finditer(text)}
    analyses, code = _pairs(notes), closed_code(text)
    return Layout(
        text=text,
        analyses=analyses,
        openings=openings,
        line_openings=[tag for tag in openings if tag.start in line_starts],
        outside=Scan(tags, analyses),
        inside=Scan(summaries, code),
        behind=Scan(summaries, code | analyses),
        scratchpad=Scan(notes, code),
    )


def _pairs(tags: Sequence[Tag]) -> Stretches:
    """Each opening tag that is closed, with the end of its closing tag; nesting counts."""
    pairs: Stretches = {}
    waiting: list[int] = []
    for tag in tags:
        if not tag.closing:
            waiting.append(tag.start)
        elif waiting:
            pairs[waiting.pop()] = tag.end
    return pairs


# Where the summary stands in a reply: what its blocks hold, and what stands outside them (rules F2 to F7).


_BLANK = re.compile(r"\s*+")


class Blocks(Struct, frozen=True):
    """What the summary blocks hold, whether the last is cut off, and the text outside analysis if there are none."""

    bodies: tuple[str, ...]
    cut_off: bool
    outside: str


def find_blocks(text: str) -> Blocks:
    """Read a reply from left to right, once."""
    layout = lay_out(text)
    bodies: list[str] = []
    place = 0
    while opening := _next_opening(layout, place):
        closing = _closing(layout, opening)
        bodies.append(_body(layout, opening.end, closing.start if closing else len(text)))
        if closing is None:
            return Blocks(tuple(bodies), cut_off=True, outside="")
        place = closing.end
    return Blocks(tuple(bodies), cut_off=False, outside="" if bodies else _outside(layout))


def _next_opening(layout: Layout, place: int) -> Tag | None:
    """The opening tag of the next summary; an unclosed analysis reaches up to one (rules F3 and F4)."""
    for tag in layout.outside.after(place):
        if not tag.closing:
            return tag if tag.name == "summary" else _behind_analysis(layout, tag.end)
    return None


def _behind_analysis(layout: Layout, place: int) -> Tag | None:
    """The first summary behind that starts a line, else the first one: a scratchpad may mention the tag (rule F4)."""
    return _first(layout.line_openings, place) or _first(layout.openings, place)


def _first(tags: Sequence[Tag], place: int) -> Tag | None:
    index = bisect_left(tags, place, key=lambda tag: tag.start)
    return tags[index] if index < len(tags) else None


def _closing(layout: Layout, opening: Tag) -> Tag | None:
    """The tag that ends a summary: the matching one, else the last one, else none (rules F5 and F7)."""
    depth, last = 1, None
    for tag in layout.inside.after(opening.end):
        depth += -1 if tag.closing else 1
        last = tag if tag.closing else last
        if depth == 0:
            return _last_extra(layout, tag)
    return last


def _last_extra(layout: Layout, closing: Tag) -> Tag:
    """The last closing tag before the next opening one: the summary holds those in between as text (rule F5)."""
    for tag in layout.behind.after(closing.end):
        if not tag.closing:
            break
        closing = tag
    return closing


def _body(layout: Layout, start: int, end: int) -> str:
    """What a summary holds but for a scratchpad at its beginning (rule F6)."""
    while note := _leading_analysis(layout, start, end):
        start = note.end
    return layout.text[start:end]


def _leading_analysis(layout: Layout, start: int, end: int) -> Tag | None:
    """The closing tag of an analysis that is the first thing in a summary."""
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


def _outside(layout: Layout) -> str:
    """The text without closed analyses and stray closing tags; nothing if an analysis never ends (rules F3 and F4)."""
    if any(not tag.closing for tag in layout.outside.after(0)):
        return ""
    tags = (tag for scan in (layout.behind, layout.scratchpad) for tag in scan.after(0))
    stray = {tag.start: tag.end for tag in tags if tag.closing}
    return "".join(between(layout.text, layout.analyses | stray))
