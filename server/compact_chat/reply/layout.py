"""The tags of a reply as they count in each place of it (rules F2 to F6)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from compact_chat.marks import Tag, find_tags
from compact_chat.reply.code import Stretches, closed_code
from compact_chat.reply.scan import Scan

_LINE_START = re.compile(r"^[ \t]*+(?=<)", re.MULTILINE)


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
