"""Turns copied from the terminal of Claude Code: a prompt before what was typed, bullets before what was answered."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_chat.chat import Role
from compact_chat.read.fences import fenced_lines
from compact_chat.read.labels import Mark, has_both_sides

_TYPED = re.compile(r"[>❯]\s++(?=\S)")
_ANSWERED = re.compile(r"[⏺●]\s|[✻∴]\sThinking")
_MARGIN = re.compile(r"  |[⏺●]\s(?!\w+\()")
# Other texts have quotes and round bullets too; no other has these.
_EVIDENCE = re.compile(r"⏺\s|\s*+⎿")


def terminal_turns(lines: Sequence[str]) -> list[Mark]:
    """Find what was typed, and where the answer to it begins; calls and results are words of the answer."""
    if not any(map(_EVIDENCE.match, lines)):
        return []
    fenced = fenced_lines(lines)
    marks: list[Mark] = []
    for place, line in enumerate(lines):
        role = None if fenced[place] else _speaker(lines, place)
        if role == "user":
            marks.append(Mark(place, "terminal", role, _behind(_TYPED, line)))
        elif role and (not marks or marks[-1].role == "user"):
            marks.append(Mark(place, "terminal", role, without_margin(line)))
    return marks if has_both_sides(marks) else []


def without_margin(line: str) -> str:
    """Take off what the terminal puts before words: the bullet, unless a call is behind it, or two blanks."""
    return _behind(_MARGIN, line)


def _speaker(lines: Sequence[str], place: int) -> Role | None:
    if _ANSWERED.match(lines[place]):
        return "assistant"
    return "user" if _TYPED.match(lines[place]) and _stands_alone(lines, place) else None


def _stands_alone(lines: Sequence[str], place: int) -> bool:
    """Whether a blank line is above and no further `>` below, as in a quote of several lines."""
    above = lines[place - 1].strip() if place else ""
    return not above and not any(below.startswith(">") for below in lines[place + 1 : place + 2])


def _behind(head: re.Pattern[str], line: str) -> str:
    found = head.match(line)
    return line[found.end() :] if found else line
