"""What the newest compaction of a chat's own tool replaced, and by what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import Chat, Message
from compact_chat.errors import NothingToCompact
from compact_chat.read.formats import finished, function, read_chat, told_format
from compact_chat.read.resolve import resolved
from compact_chat.read.source import Source
from compact_chat.tools import FORMATS

# Chats that are read as they grow: once whole, then only what has come to their end, as long as that is enough.


class Growth(Struct, frozen=True):
    """What a chat grew by: messages that are settled now, and those behind them that may still change."""

    settled: Sequence[Message]
    open: Sequence[Message]
    model: str | None
    title: str | None
    window: int | None = None


class Tail(Protocol):
    """The end of a chat that was read."""

    def open(self) -> Sequence[Message]:
        """Give the last messages of the chat, those that may still change."""

    def grow(self, lines: bytes) -> Growth | None:
        """Read whole lines that have come to the end; None where they change what was settled: read all anew then."""


Follow = Callable[[Source], tuple[Chat, Tail | None]]


def follow_chat(source: Source, hint: str | None = None, tool: str | None = None) -> tuple[Chat, Tail | None]:
    """Read a chat as `read_chat` does; with a tail where it can go on from there."""
    found = FORMATS.get(told_format(source, hint) or "")
    if found is None or "follow" not in found.optional or source.document is not None:
        return read_chat(source, hint, tool), None
    follow: Follow = function(found, "follow")
    chat, tail = follow(source)
    return finished(chat, source, tool), None if source.has_changed or tail is None else _ResolvedTail(
        tail, chat.format
    )


class _ResolvedTail:
    """A tail that takes the last step of every reader too."""

    def __init__(self, tail: Tail, format_name: str) -> None:
        self._tail, self._format = tail, format_name

    def open(self) -> Sequence[Message]:
        """Give the last messages of the chat."""
        return tuple(resolved(self._tail.open(), self._format))

    def grow(self, lines: bytes) -> Growth | None:
        """Read whole lines that have come to the end."""
        growth = self._tail.grow(lines)
        if growth is None:
            return None
        settled, still_open = (tuple(resolved(messages, self._format)) for messages in (growth.settled, growth.open))
        return replace(growth, settled=settled, open=still_open)


# What the newest compaction of a chat's own tool replaced, and by what.


class Replaced(Struct, frozen=True):
    """The messages that went to the model before a compaction, and those that did right after it."""

    before: tuple[Message, ...]
    after: tuple[Message, ...]

    @property
    def summary(self) -> str:
        """What stands for the messages before."""
        return next((message.text.strip() for message in self.after if message.is_summary), "")


Finder = Callable[[Source, str], Replaced | None]


def newest_replaced(source: Source, chat: Chat) -> Replaced:
    """Find it in the source that a chat was read from; raises NothingToCompact where there is nothing to be found."""
    read_from = FORMATS[chat.format]
    find: Finder | None = function(read_from, "newest") if "newest" in read_from.optional else None
    found = find(source, chat.format) if find else None
    if found is None or not found.summary or not found.before:
        raise NothingToCompact(_reason(chat, found), recorded=found is not None)
    before, after = (tuple(resolved(messages, chat.format)) for messages in (found.before, found.after))
    return Replaced(before, after)


def _reason(chat: Chat, found: Replaced | None) -> str:
    if any(warning.code == "encryptedSummary" for warning in chat.warnings):
        return "The summary of this chat is encrypted, so it cannot be checked; give a summary of your own."
    if any(message.is_summary for message in chat.messages):
        return "What the summary of this chat replaced is not in it; give a summary and the chat that it was made of."
    if found is not None and found.before:
        return "The newest compaction of this chat left no summary that can be read; give a summary of your own."
    return "No compaction is recorded in this chat; give a summary to check it against the chat."
