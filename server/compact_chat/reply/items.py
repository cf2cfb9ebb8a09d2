"""List sections: one item for each bullet or number (rule R6)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_chat.reply.escapes import IsStructure
from compact_chat.reply.indent import Line, below, dedented, from_below
from compact_chat.reply.reply import BLANKS
from compact_chat.reply.values import read_value, write_value

_MARK = re.compile(r" ?(?:(?:[-*+]|[0-9]+[.)])(?=[ \t]|$)|•)")


def read_items(lines: Sequence[Line], is_structure: IsStructure) -> list[str]:
    """The items of a section; those that say nothing are left out."""
    items: list[list[Line]] = []
    behind_blank = True
    for line, fenced in dedented(lines):
        mark = None if fenced else _MARK.match(line)
        is_plain = not fenced and not line.startswith((" ", "\t")) and line != ""
        if mark:
            items.append([(line[mark.end() :], False)])
        elif not items or (behind_blank and is_plain):
            items.append([(line, fenced)])
        else:
            items[-1].append((from_below(line), fenced))
        behind_blank = not line.strip(BLANKS)
    return [text for item in items if (text := read_value(item, is_structure))]


def write_items(items: Sequence[str], is_structure: IsStructure, *, numbered: bool) -> str:
    """A line or more for each item, with bullets or numbers from 1."""
    marks = (f"{place}." if numbered else "-" for place in range(1, 1 + len(items)))
    texts = (below(write_value(item, is_structure, behind=True)) for item in items)
    return "\n".join(f"{mark} {text}" for mark, text in zip(marks, texts, strict=True))
