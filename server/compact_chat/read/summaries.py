"""Which first message is the summary of an earlier compaction (rules P23 and J2)."""

from __future__ import annotations

from compact_chat.chat import Message, Text
from compact_chat.marks import is_summary_text


def opens_with_summary(message: Message) -> bool:
    """Whether the first block of a user's message is nothing but an earlier summary."""
    first = message.parts[0] if message.parts else None
    return message.role == "user" and isinstance(first, Text) and is_summary_text(first.text)
