"""Chats that are read as they grow: once whole, then only what has come to their end, as long as that is enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Protocol

from msgspec import Struct

from compact_chat.chat import Chat, Message
from compact_chat.read.formats import finished, read_chat, told_format
from compact_chat.read.source import Source

_FOLLOWED = {"claude-code": "claude_tail", "codex": "codex_tail"}


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
    name = _FOLLOWED.get(told_format(source, hint) or "")
    if name is None or source.document is not None:
        return read_chat(source, hint, tool), None
    follow: Follow = import_module(f"compact_chat.read.{name}").follow
    chat, tail = follow(source)
    return finished(chat, source, tool), None if source.has_changed else tail
