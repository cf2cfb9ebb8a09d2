"""The sections of a project's instruction file that say how its chats are to be summarised (rule P8)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compact_chat.read import fenced_lines
from compact_chat.text import line_feeds

TITLES = frozenset({"compact instructions", "summary instructions"})
LONGEST = 16_000  # characters of one section; what is longer is cut behind its last whole line

_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)(.*)")
_NUMBER = re.compile(r"\d{1,3}[.)]")
_MARKS = " \t#*_:"


def instruction_sections(text: str) -> tuple[str, ...]:
    """What stands under each heading for summaries, trimmed, up to the next heading of its level or a higher one."""
    lines = line_feeds(text.removeprefix("\ufeff")).split("\n")
    found = (_bounded("\n".join(lines[start:end])) for start, end in _sections(lines))
    return tuple(filter(None, found))


def _sections(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The lines of each section without its heading; sections of ours inside another one belong to that one."""
    start = depth = 0  # depth: the level of the section that is open, none at first
    for place, level, title in _headings(lines):
        if depth and level <= depth:
            yield start, place
            depth = 0
        if not depth and title in TITLES:
            start, depth = place + 1, level
    if depth:
        yield start, len(lines)


def _headings(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """The place, level and plain title of each heading outside closed fences."""
    for place, (line, fenced) in enumerate(zip(lines, fenced_lines(lines), strict=True)):
        if not fenced and (heading := _HEADING.fullmatch(line)):
            yield place, len(heading[1]), _plain(heading[2])


def _plain(title: str) -> str:
    """A title without number, bold and italic marks, closing colon and number signs, in lower case (as in rule R3)."""
    words = title.strip(_MARKS)
    if number := _NUMBER.match(words):
        words = words[number.end() :].strip(_MARKS)
    return " ".join(words.lower().split())


def _bounded(section: str) -> str:
    """The section, trimmed; one that is too long ends with its last whole line."""
    text = section.strip()
    if len(text) <= LONGEST:
        return text
    cut = text[: LONGEST + 1]
    return (cut.rpartition("\n")[0] or text[:LONGEST]).rstrip()
