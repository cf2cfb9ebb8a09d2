"""What comes of a model's reply: a summary, and what is odd about it."""

from __future__ import annotations

from msgspec import Struct

from compact_chat.chat import Warning
from compact_chat.errors import NoSummary
from compact_chat.marks import line_feeds

BLANKS = " \t"


class Reply(Struct, frozen=True):
    """A summary that can be shown, and what is odd about the reply it came in."""

    summary: str
    warnings: tuple[Warning, ...] = ()


def readable(text: str) -> str:
    """The text with one sort of line ends and no byte order mark; one without a word is refused (G3, F10 and F11)."""
    text = line_feeds(text.removeprefix("\ufeff"))
    if not text.strip():
        raise NoSummary("The reply is blank.", "emptySummary")
    return text
