"""Put a summary in the place of the messages that it replaces (rules J1 to J3, J5, J6 and Z4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from compact_chat.cancel import checkpoint
from compact_chat.chat import Message, Text
from compact_chat.errors import NoSummary
from compact_chat.facts import joined_records, record_blocks, recorded, summary_parts, without_records
from compact_chat.plan import Direction
from compact_chat.resume.valid import make_valid
from compact_chat.styles import Summary
from compact_chat.text import SUMMARY_END, SUMMARY_END_LAST, SUMMARY_START, line_feeds, strip_summary_wrappers

_MARKERS = (SUMMARY_START, SUMMARY_END, SUMMARY_END_LAST)


def splice_summary(
    head: Sequence[Message],
    summary: Summary,
    tail: Sequence[Message],
    direction: Direction = "upTo",
) -> tuple[Message, ...]:
    """Build the new chat: the head, system messages at the front included, then the summary, then the tail.

    Earlier summaries among the messages that stay become a part of the new one, so that there is never a second.
    """
    text = _not_blank(summary.text)
    before, own_head = _parted(head)
    behind, own_tail = _parted(tail)
    if before or behind:  # one summary for several, with the records of all their files at its end (rule T23)
        texts = (*before, strip_summary_wrappers(text), *behind)
        records = record_blocks(joined_records(*map(recorded, texts)))
        text = "\n\n".join(filter(None, (*map(without_records, texts), records)))
    return make_valid((*own_head, summary_message(summary.style.wrapped(text), direction), *own_tail))


def summary_message(text: str, direction: Direction = "upTo") -> Message:
    """The message that holds a summary, in the wrapper of its style if that has one, between its markers (J2, P26)."""
    text = _not_blank(text)
    end = SUMMARY_END_LAST if direction == "from" else SUMMARY_END
    # A line that is a marker, with blanks around it or not, is escaped.
    lines = (f"\\{line}" if line.strip() in _MARKERS else line for line in text.split("\n"))
    framed = "\n".join((SUMMARY_START, *lines, end))
    return Message("summary", "user", (Text(framed),), is_summary=True, by_host=True)


def _not_blank(summary: str) -> str:
    text = line_feeds(summary).strip()
    if not text:
        raise NoSummary("The summary is empty, so the chat stays as it is.", kind="emptySummary")
    return text


def _parted(messages: Iterable[Message]) -> tuple[list[str], list[Message]]:
    """The earlier summaries among messages without their wrappers, and the messages without them."""
    summaries: list[str] = []
    others: list[Message] = []
    for message in messages:
        checkpoint()
        found = summary_parts(message)
        texts = [part for part in message.parts if isinstance(part, Text)]
        summaries += (strip_summary_wrappers(part.text) for part in texts if part in found)
        own = tuple(part for part in message.parts if not isinstance(part, Text) or part not in found)
        others.append(replace(message, parts=own, raw=None, is_summary=False) if found else message)
    return [text for text in summaries if text], others
