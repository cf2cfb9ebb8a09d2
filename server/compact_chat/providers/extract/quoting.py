"""How a chat is quoted in its summary."""

from __future__ import annotations

import re

from compact_chat.facts.words import shortened

LEAST_CUT = 80  # characters; to leave out fewer is not worth the note
LONGEST_WORD = 30
_TICKS = re.compile(r"`+")
_BLANKS = re.compile(r"\n\s*\n")


def bullet(text: str) -> str:
    """The text as a list item, its further lines indented below it, without blank lines."""
    lines = [line.rstrip() for line in text.strip().split("\n") if line.strip()]
    return "- " + "\n  ".join(lines)


def cut(text: str, limit: int) -> str:
    """The text, or if clearly longer than `limit`, its first three quarters and its end, cut between words."""
    if len(text) <= limit + LEAST_CUT:
        return text
    head, tail = text[: limit * 3 // 4], text[len(text) - limit + limit * 3 // 4 :]
    head = head[: _after_blank(head)] or head
    tail = tail[_before_blank(tail) :]
    return f"{head.rstrip()}\n[... {len(text) - len(head) - len(tail)} characters omitted ...]\n{tail.lstrip()}"


def _after_blank(text: str) -> int:
    """Where the last word that may be half begins, unless it is a long one."""
    blank = text.rfind(" ") + 1
    return blank if len(text) - blank <= LONGEST_WORD else len(text)


def _before_blank(text: str) -> int:
    """Where the first word that may be half ends, unless it is a long one."""
    blank = text.find(" ")
    return blank if 0 <= blank <= LONGEST_WORD else 0


def code(text: str) -> str:
    """The text as an inline code span, which may hold backticks itself."""
    ticks = "`" * (1 + max(map(len, _TICKS.findall(text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def excerpt(text: str, limit: int = 160) -> str:
    """The beginning of a text in quotation marks."""
    return f'"{shortened(text, limit)}"'


def block(text: str) -> str:
    """The text as it is, without blank lines at its ends and with one at most between its paragraphs."""
    return _BLANKS.sub("\n\n", text.strip())
