"""The white space of a summary (rule F11)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compact_chat.reply.code import closed_fences, left_to_right

_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*+\n)++")


def tidy(text: str) -> str:
    """The text, trimmed, with one blank line for each run of them outside closed fences."""
    return "".join(_pieces(text.strip()))


def _pieces(text: str) -> Iterator[str]:
    place = 0
    for start, end in left_to_right(closed_fences(text)):
        yield _BLANK_LINES.sub("\n\n", text[place:start])
        yield text[start:end]
        place = end
    yield _BLANK_LINES.sub("\n\n", text[place:])
