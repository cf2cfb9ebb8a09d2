"""Plain text: one message of the user."""

from __future__ import annotations

from compact_chat.chat import Chat, Message, Text
from compact_chat.marks import line_feeds
from compact_chat.read.source import Source
from compact_chat.read.summaries import with_summary_marked


def sniff(source: Source) -> bool:
    """Whether the source may be plain text, holds some, and is not JSON of an unknown shape."""
    return source.plain and bool(source.text.strip()) and not source.is_json


def read(source: Source) -> Chat:
    """Read the whole text as what the user says."""
    message = Message("m0", "user", (Text(line_feeds(source.text)),))
    return Chat("text", "unknown", with_summary_marked([message]))
