"""Texts of any kind as they stand in a section: `None` is nothing, structure is escaped (rules R8, R9 and R12)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_chat.reply.code import FENCE
from compact_chat.reply.escapes import IsStructure, escaped, escaped_line, unescaped_line
from compact_chat.reply.indent import Line
from compact_chat.reply.reply import BLANKS
from compact_chat.reply.titles import Titles, title_of

_LONGEST_NONE = 40
_NONE = re.compile(
    r"(?:[-*+•][ \t]+)?[*_`\"']*\(?[*_`]*(?:none|n/a)[*_`]*[.]?[*_`]*\)?[*_`\"']*[.]?[*_`]*", re.IGNORECASE
)


def is_none(text: str) -> bool:
    """Whether a text only says that there is nothing (rule R8)."""
    return len(text) <= _LONGEST_NONE and _NONE.fullmatch(text) is not None


def is_section_structure(line: str, titles: Titles) -> bool:
    """Whether a line would be read as a title of a section, or as a fence."""
    return title_of(line, titles) is not None or FENCE.match(line) is not None


def read_value(lines: Sequence[Line], is_structure: IsStructure) -> str:
    """The text of these lines without escapes; empty where it says `None`."""
    text = read_text(lines, is_structure)
    if is_none(text):
        return ""
    return text if "\n" in text else unescaped_line(text, is_none)


def read_text(lines: Sequence[Line], is_structure: IsStructure) -> str:
    """The text of these lines, trimmed at its ends and without escapes, where `NONE` is a word like others (P10)."""
    return trimmed("\n".join(line if fenced else unescaped_line(line, is_structure) for line, fenced in lines))


def write_value(text: str, is_structure: IsStructure, *, behind: bool = False) -> str:
    """The text with its escapes; a fence right behind a bullet or label opens none, so that it protects nothing.

    A line may say `None` and open a fence as well: then it gets an escape for each.
    """
    text = text if "\n" in text else escaped_line(text, is_none)
    return escaped(text, is_structure, fences_protect=not (behind and FENCE.match(text)))


def trimmed(text: str) -> str:
    """The text without blanks and line feeds at its ends."""
    return text.strip("\n" + BLANKS)
