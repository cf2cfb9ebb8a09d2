"""What the three renderings of a chat have in common: content that stays content, and a length that is kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from compact_chat.chat import Message, Part, Text
from compact_chat.facts.requests import summary_parts
from compact_chat.marks import escape_labels, escape_tags, line_feeds
from compact_chat.prompt.clip import clip
from compact_chat.prompt.limits import Limits

_SLACK = 8  # A cut adds at most that much: a digit to its marker, a guard to a label, an escape to a tag that it made.


class Rendering(Struct, frozen=True):
    """One way to show a chat as text: its entries, what begins a line of its own, and its usual limits."""

    entries: Callable[[Sequence[Message], Limits], Iterator[str]]
    labels: re.Pattern[str]
    usual: Limits = Limits()

    def text(self, messages: Sequence[Message], limits: Limits) -> str:
        """All entries with a blank line between them, and no tag of ours in them (rule T10)."""
        return escape_tags("\n\n".join(self.entries(messages, limits)))

    def within(self, messages: Sequence[Message], limits: Limits, room: int) -> str:
        """The same, cut in its middle where it has more characters than there is room for (rule T6)."""
        return squeezed("\n\n".join(self.entries(messages, limits)), room, self.labels)


def marked_parts(message: Message) -> Iterator[tuple[Part, bool]]:
    """The parts of a message, each with whether it is the summary of what came before (rule P23)."""
    summaries = summary_parts(message)
    return ((part, isinstance(part, Text) and part in summaries) for part in message.parts)


def content(text: str, labels: re.Pattern[str], limit: int | None = None) -> str:
    """Content of the chat, cut to its limit and then kept from passing for a label (rules T6 and T11)."""
    return escape_labels(clip(line_feeds(text), limit), labels)


def squeezed(text: str, room: int, labels: re.Pattern[str]) -> str:
    """A text whose labels are guarded, cut so that it fits with its tags escaped; what is cut makes no new label."""
    limit = room
    shown = escape_tags(_cut(text, limit, labels))
    while len(shown) > room and limit:
        limit = max(0, limit - (len(shown) - room) - _SLACK)
        shown = escape_tags(_cut(text, limit, labels))
    return shown


def _cut(text: str, limit: int, labels: re.Pattern[str]) -> str:
    clipped = clip(text, limit)
    if clipped is text:
        return text
    start = len(clipped) - (limit - limit * 3 // 4)
    head, tail = clipped[:start], clipped[start:]
    if text[: len(text) - len(tail)].endswith("\n"):
        return clipped
    first, feed, rest = tail.partition("\n")
    return f"{head}{escape_labels(first, labels)}{feed}{rest}"
