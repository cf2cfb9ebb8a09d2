"""Which first message is the summary of an earlier compaction (rules P23 and J2)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from compact_chat.chat import Message, Text
from compact_chat.text import is_summary_text


def with_summary_marked(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Mark the first message that is not the system's, where it is an earlier summary."""
    first = next((place for place, message in enumerate(messages) if message.role != "system"), 0)
    return tuple(
        replace(message, is_summary=True) if place == first and _opens_with_one(message) else message
        for place, message in enumerate(messages)
    )


def _opens_with_one(message: Message) -> bool:
    """Whether the first block of a user's message is nothing but an earlier summary."""
    first = message.parts[0] if message.parts else None
    return message.role == "user" and isinstance(first, Text) and is_summary_text(first.text)
