"""How a chat is quoted in its summary."""

from __future__ import annotations

import re

from compact_chat.facts.words import shortened

_TICKS = re.compile(r"`+")
_BLANKS = re.compile(r"\n\s*\n")


def bullet(text: str) -> str:
    """The text as a list item, its further lines indented below it, without blank lines."""
    lines = [line.rstrip() for line in text.strip().split("\n") if line.strip()]
    return "- " + "\n  ".join(lines)


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
