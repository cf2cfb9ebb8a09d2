"""Chats that are read as they grow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import Chat, Message, OwnCompaction
from compact_chat.read.formats import finished, format_of, function, read_chat
from compact_chat.read.resolve import resolved
from compact_chat.read.source import Source
from compact_chat.tools import FORMATS


class Growth(Struct, frozen=True):
    """A chat's growth: messages that are settled now, and later ones that may still change."""

    settled: Sequence[Message]
    open: Sequence[Message]
    model: str | None
    title: str | None
    window: int | None = None
    compactions: tuple[OwnCompaction, ...] = ()  # of the whole chat
    version: str = ""


class Tail(Protocol):
    """The end of a chat; unused if it has no messages, or others than the chat's last."""

    def open(self) -> Sequence[Message]:
        """Return the chat's last messages, those that may still change."""

    def grow(self, lines: bytes) -> Growth | None:
        """Add whole lines appended to the file; None if they change settled messages, so that everything is reread."""


Follow = Callable[[Source], tuple[Chat, Tail | None]]


def follow_chat(source: Source, hint: str | None = None, tool: str | None = None) -> tuple[Chat, Tail | None]:
    """Read a chat like `read_chat`; with a tail if its format can be read on from there."""
    found = FORMATS.get(format_of(source, hint) or "")
    if found is None or "follow" not in found.optional or source.document is not None:
        return read_chat(source, hint, tool), None
    follow: Follow = function(found, "follow")
    chat, tail = follow(source)
    newest = tuple(tail.open()) if tail else ()
    is_sound = 0 < len(newest) < len(chat.messages) and chat.messages[-len(newest) :] == newest
    read_on = _ResolvedTail(tail, chat.format) if tail and is_sound and not source.has_changed else None
    return finished(chat, source, tool), read_on


class _ResolvedTail:
    """A tail that also takes the last step of every reader."""

    def __init__(self, tail: Tail, format_name: str) -> None:
        self._tail, self._format = tail, format_name

    def open(self) -> Sequence[Message]:
        """Return the chat's last messages."""
        return tuple(resolved(self._tail.open(), self._format))

    def grow(self, lines: bytes) -> Growth | None:
        """Add whole lines appended to the file."""
        growth = self._tail.grow(lines)
        if growth is None:
            return None
        settled, still_open = (tuple(resolved(messages, self._format)) for messages in (growth.settled, growth.open))
        return replace(growth, settled=settled, open=still_open)
