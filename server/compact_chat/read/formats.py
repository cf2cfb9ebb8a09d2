"""Detect a source's format, and read it."""

from __future__ import annotations

from importlib import import_module
from typing import Any, cast

from msgspec.structs import replace

from compact_chat.chat import Chat, JsonObject, Message, Role
from compact_chat.errors import ChatUnreadable
from compact_chat.read.blocks import parts_of
from compact_chat.read.document import broken_line
from compact_chat.read.limits import check_length
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
    sentence = f"This is not a chat in a known format ({', '.join(FORMATS)})."
    if not source.text.strip():
        sentence = "There is nothing in this chat: it is empty or blank."
    line = None
    if source.is_json:
        line = next(iter(source.damaged_lines), None)
    elif source.text.lstrip()[:1] in ("{", "["):
        line = broken_line(source.text)
    raise ChatUnreadable(sentence, format=hint, line=line)


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
