"""The tags of a reply as they count in each place of it (rules F2 to F6)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from msgspec import Struct

from compact_chat.marks import Tag, find_tags
from compact_chat.reply.code import Stretches, closed_code

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
