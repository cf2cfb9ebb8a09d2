"""Put a summary in the place of the messages that it replaces (rules J1 to J3, J5, J6 and Z4)."""

from __future__ import annotations

from collections.abc import Sequence

from compact_chat.chat import Message, Text
from compact_chat.errors import NoSummary
from compact_chat.marks import SUMMARY_END, SUMMARY_END_LAST, SUMMARY_START, line_feeds
from compact_chat.plan.outcome import Direction
from compact_chat.resume.valid import valid

_MARKERS = (SUMMARY_START, SUMMARY_END, SUMMARY_END_LAST)


def splice(
    head: Sequence[Message], summary: str, tail: Sequence[Message], direction: Direction = "upTo"
) -> tuple[Message, ...]:
    """The new chat: the head, system messages at the front included, then the summary, then the tail."""
    return valid((*head, summary_message(summary, direction), *tail))


def summary_message(summary: str, direction: Direction = "upTo") -> Message:
    """The message that holds a summary, between its markers (rule J2)."""
    text = line_feeds(summary).strip()
    if not text:
        raise NoSummary("The summary is empty, so the chat stays as it is.", kind="emptySummary")
    end = SUMMARY_END_LAST if direction == "from" else SUMMARY_END
    lines = (_escaped(line) for line in text.split("\n"))
    framed = "\n".join((SUMMARY_START, *lines, end))
    return Message("summary", "user", (Text(framed),), is_summary=True, by_host=True)


def _escaped(line: str) -> str:
    """A line that is no marker; a reader takes blanks around one for nothing."""
    return f"\\{line}" if line.strip() in _MARKERS else line
