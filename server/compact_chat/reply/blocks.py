"""Where the summary stands in a reply: what its blocks hold, and what stands outside them (rules F2 to F7)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from msgspec import Struct

from compact_chat.marks import Tag
from compact_chat.reply.code import between
from compact_chat.reply.layout import Layout, lay_out

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
