"""Indentation that lines have in common, and that of lines below a bullet."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compact_chat.reply.reply import BLANKS

Line = tuple[str, bool]  # its text, and whether it belongs to a closed fence

_BELOW = "  "
_STEP = re.compile(r" {1,2}|\t|")


def common_indent(lines: Sequence[str]) -> int:
    """How many blanks all lines begin with that hold anything."""
    indents = [line[: len(line) - len(line.lstrip(BLANKS))] for line in lines if line.strip(BLANKS)]
    return _common_start(min(indents), max(indents)) if indents else 0


def dedented(lines: Sequence[Line]) -> list[Line]:
    """The lines without their common indentation (rule R6)."""
    common = common_indent([line for line, _ in lines])
    return [(line[common:], fenced) for line, fenced in lines]


def below(text: str) -> str:
    """The text with its second and later lines indented by two blanks (rule R12)."""
    first, *others = text.split("\n")
    return "\n".join((first, *(f"{_BELOW}{line}" if line else "" for line in others)))


def from_below(line: str) -> str:
    """The line without the indentation that it has below a bullet (rule R6)."""
    step = _STEP.match(line)
    return line[step.end() :] if step else line


def _common_start(low: str, high: str) -> int:
    shorter = min(len(low), len(high))
    return next((index for index in range(shorter) if low[index] != high[index]), shorter)
