"""Put a summary in the place of the messages that it replaces (rules J1 to J6, Z4)."""

from __future__ import annotations

from collections.abc import Sequence

from compact_chat.chat import Message, Text
from compact_chat.errors import InvalidParams, NoSummary
from compact_chat.marks import SUMMARY_END, SUMMARY_END_LAST, SUMMARY_START, line_feeds
from compact_chat.plan.exchanges import find_exchanges
from compact_chat.plan.outcome import Direction
from compact_chat.plan.split import front_length
from compact_chat.resume.valid import valid

_MARKERS = (SUMMARY_START, SUMMARY_END, SUMMARY_END_LAST)


def splice(
    head: Sequence[Message], summary: str, tail: Sequence[Message], direction: Direction = "upTo"
) -> tuple[Message, ...]:
    """The new chat: the head, system messages at the front included, then the summary, then the tail."""
    return valid((*head, summary_message(summary, direction), *tail))


def splice_at(messages: Sequence[Message], split: int, summary: str) -> tuple[Message, ...]:
    """The chat with a summary of all before the split, the system messages at its front excepted (rule J4)."""
    _check_split(messages, split)
    front = front_length(messages)
    if split <= front:
        return tuple(messages)
    return splice(messages[:front], summary, messages[split:])


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


def _check_split(messages: Sequence[Message], split: int) -> None:
    if not 0 <= split <= len(messages):
        raise InvalidParams.at("$.split", f"The split must be between 0 and {len(messages)}.")
    exchanges = find_exchanges(messages)
    if not exchanges.clean[split]:
        raise InvalidParams.at("$.split", "A tool call before the split has its result behind it.")
    if split > exchanges.waiting:
        raise InvalidParams.at("$.split", "A tool call before the split still waits for its result.")
