"""Plain text: one message of the user."""

from __future__ import annotations

from compact_chat.chat import Chat, Message, Text
from compact_chat.read.finish import finished
from compact_chat.read.source import Source


def sniff(source: Source) -> bool:
    """Whether the source may be plain text, holds some, and is not JSON of an unknown shape."""
    return source.plain and bool(source.text.strip()) and not source.is_json


def read(source: Source) -> Chat:
    """Read the whole text as what the user says."""
    text = source.text.replace("\r\n", "\n").replace("\r", "\n")
    return Chat("text", "unknown", finished([Message("m0", "user", (Text(text),))]))
