"""The sections of a project's instruction file that say how its chats are to be summarised (rule P8)."""

from __future__ import annotations

import re

from compact_chat.text import fenced_lines, line_feeds

TITLES = frozenset({"compact instructions", "summary instructions"})
LONGEST = 16_000  # characters of one section; what is longer is cut behind its last whole line

_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)(.*)")
_NUMBER = re.compile(r"\d{1,3}[.)]")
_MARKS = " \t#*_:"


def instruction_sections(text: str) -> tuple[str, ...]:
    """Return what is written under each heading for summaries, up to the next heading of its level or a higher one.

    Such a section inside another one belongs to that one; code fences have no headings.
    """
    lines = line_feeds(text.removeprefix("\ufeff")).split("\n")
    found: list[str] = []
    start = depth = 0  # depth: the level of the section that is open, none at first
    for place, (line, fenced) in enumerate(zip(lines, fenced_lines(lines), strict=True)):
        heading = None if fenced else _HEADING.fullmatch(line)
        if heading is None:
            continue
        level = len(heading[1])
        if depth and level <= depth:
            found.append(_bounded("\n".join(lines[start:place])))
            depth = 0
        if not depth and _plain(heading[2]) in TITLES:
            start, depth = place + 1, level
    if depth:
        found.append(_bounded("\n".join(lines[start:])))
    return tuple(filter(None, found))


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
