"""Messages as the Anthropic API takes them: strings or blocks, tool results inside user messages."""

from __future__ import annotations

from collections.abc import Sequence

from compact_chat.chat import Chat, JsonObject, Message
from compact_chat.read.arrays import fits, message_of, read_array
from compact_chat.read.source import Source

_NAME = "anthropic"


def sniff(source: Source) -> bool:
    """Whether the source may be an array of Anthropic messages."""
    return fits(source, _NAME)


def read(source: Source) -> Chat:
    """Read the array, one Message per item."""
    return read_array(source, _NAME, _messages)


def _messages(items: Sequence[JsonObject]) -> list[Message]:
    return [message_of(item, index) for index, item in enumerate(items)]
