"""The formats that can be read, and how a source is told from another."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from compact_chat.chat import Chat
from compact_chat.errors import ChatUnreadable
from compact_chat.read.document import check_length
from compact_chat.read.resolve import resolved
from compact_chat.tools import FORMATS, OF_NO_TOOL, TEXTS, Format

if TYPE_CHECKING:
    from compact_chat.read.source import Source

_NO_JSON = (None, *(one.name for one in TEXTS))
# How many bytes of a file are tried for a line that gives its format away, before all of it is decoded.
_EARLY = (2**16, 2**18)


def read_chat(source: Source, hint: str | None = None, tool: str | None = None) -> Chat:
    """Read a chat of any known format; `hint` decides only where the source itself does not tell."""
    name = told_format(source, hint)
    if name in _NO_JSON:
        mended = source.mended()
        cut = told_format(mended, hint) if mended else None
        if mended and cut not in _NO_JSON:
            source, name = mended, cut
    if name is None:
        raise _unreadable(source, hint)
    return finished(function(FORMATS[name], "read")(source), source, tool)


def told_format(source: Source, hint: str | None = None) -> str | None:
    """Name the format of a source that is whole; None where it is of none."""
    return _told_early(source, hint) or _format_of(source, hint)


def finished(chat: Chat, source: Source, tool: str | None = None) -> Chat:
    """Add to what a reader gave what is known beside it."""
    check_length(len(chat.messages))
    named = tool if tool and chat.tool == "unknown" else chat.tool
    messages = tuple(resolved(chat.messages, chat.format))
    return replace(chat, tool=named, messages=messages, warnings=source.warnings + chat.warnings)


def _told_early(source: Source, hint: str | None) -> str | None:
    """The format that the first lines of a long file give away."""
    for size in _EARLY:
        if head := source.head(size):
            by_line = (one for one in FORMATS.values() if one.by_line)
            for one in sorted(by_line, key=lambda one: one.name != hint):
                if function(one, "sniff")(head):
                    return one.name
    return None


def _format_of(source: Source, hint: str | None) -> str | None:
    plain = TEXTS[-1]
    for one in sorted(FORMATS.values(), key=lambda one: (one in OF_NO_TOOL, one == plain, one.name != hint)):
        if function(one, "sniff")(source):
            return one.name
    wanted_as_text = hint == plain.name and source.clean and not source.strict and source.text.strip()
    return plain.name if wanted_as_text else None


def function(of: Format, name: str) -> Any:
    """Give a function of a format's reader; of `sniff` and `read` a module may have several."""
    suffix = of.suffix if name in ("sniff", "read") else ""
    return getattr(import_module(f"compact_chat.read.{of.reader}"), name + suffix)


def _unreadable(source: Source, hint: str | None) -> ChatUnreadable:
    known = ", ".join(FORMATS)
    fault = (
        f"This is not a chat in a known format ({known})."
        if source.text.strip()
        else "There is nothing in this chat: it is empty or blank."
    )
    return ChatUnreadable(fault, format=hint, line=_damaged_line(source))


def _damaged_line(source: Source) -> int | None:
    """The line on which a file that is JSON otherwise breaks off."""
    if source.is_json:
        return next(iter(source.damaged_lines), None)
    from compact_chat.read.document import broken_line

    return broken_line(source.text) if source.text.lstrip()[:1] in ("{", "[") else None
