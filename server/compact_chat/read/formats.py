"""Detect a source's format, read it, and read on as it grows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Protocol, cast

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import Chat, JsonObject, Message, OwnCompaction, Role
from compact_chat.errors import ChatUnreadable
from compact_chat.read.apis import parts_of
from compact_chat.read.blob import check_length
from compact_chat.read.document import broken_line
from compact_chat.read.resolve import resolved, with_summary_marked
from compact_chat.read.source import Source
from compact_chat.tools import FORMATS, OF_NO_TOOL, TEXTS, Format

_NO_JSON = (None, *(one.name for one in TEXTS))
# How many bytes of a file are searched for a line that reveals its format, before all of it is decoded.
_EARLY = (2**16, 2**18)


def read_chat(source: Source, hint: str | None = None, tool: str | None = None) -> Chat:
    """Read a chat of any known format; `hint` decides only if the source itself is ambiguous."""
    name = format_of(source, hint)
    if name in _NO_JSON and (mended := source.mended()) and (cut := format_of(mended, hint)) not in _NO_JSON:
        source, name = mended, cut
    if name is not None:
        return finished(function(FORMATS[name], "read")(source), source, tool)
    sentence, known = "This is not a chat in a known format.", {"formats": list(FORMATS)}
    if not source.text.strip():
        sentence, known = "There is nothing in this chat: it is empty or blank.", {}
    line = None
    if source.is_json:
        line = next(iter(source.damaged_lines), None)
    elif source.text.lstrip()[:1] in ("{", "["):
        line = broken_line(source.text)
    raise ChatUnreadable(sentence, format=hint, line=line, **known)


def read_own(messages: list[JsonObject]) -> tuple[Message, ...]:
    """Read messages that we wrote for Anthropic's API, without separating out what a person typed."""
    written = (
        Message(f"m{place}", cast("Role", item["role"]), parts_of(item["content"]), raw=item)
        for place, item in enumerate(messages)
    )
    return with_summary_marked(tuple(resolved(written, None)))


def format_of(source: Source, hint: str | None = None) -> str | None:
    """Return the format of a complete source; None if unknown."""
    if source.strict:  # messages in a request belong to an API: the tools' readers are not even loaded
        apis = sorted((one for one in OF_NO_TOOL if one.api), key=lambda one: one.name != hint)
        return next((one.name for one in apis if function(one, "sniff")(source)), None)
    by_line = sorted((one for one in FORMATS.values() if one.by_line), key=lambda one: (one.name != hint, one.by_line))
    for size in _EARLY:
        if head := source.head(size):
            for one in by_line:
                if function(one, "sniff")(head):
                    return one.name
    plain = TEXTS[-1]
    for one in sorted(FORMATS.values(), key=lambda one: (one in OF_NO_TOOL, one == plain, one.name != hint)):
        if function(one, "sniff")(source):
            return one.name
    wanted_as_text = hint == plain.name and source.clean and source.text.strip()
    return plain.name if wanted_as_text else None


def finished(chat: Chat, source: Source, tool: str | None = None) -> Chat:
    """Take the last step of every reader: resolve the messages, and add the metadata from source and caller."""
    check_length(len(chat.messages))
    named = tool if tool and chat.tool == "unknown" else chat.tool
    messages = with_summary_marked(tuple(resolved(chat.messages, chat.format)))
    return replace(chat, tool=named, messages=messages, warnings=source.warnings + chat.warnings)


def function(of: Format, name: str) -> Any:
    """Return a function from a format's reader; a module may have several named `sniff` and `read`, with suffixes."""
    suffix = of.suffix if name in ("sniff", "read") else ""
    return getattr(import_module(f"compact_chat.read.{of.reader}"), name + suffix)


# Read on as a chat grows.


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
