"""Messages that another tool wrote, on their way to an API that would refuse some of what they hold (rules T3, T7)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from compact_chat.chat import Document, Image, Message, Part, ResultPart, Text, ToolCall, ToolResult, Unknown, words
from compact_chat.resume.attachments import document_words, embedded

_PICTURES = frozenset({"", "image/png", "image/jpeg", "image/gif", "image/webp"})
_PDF = "application/pdf"
_ODD = re.compile(r"[^A-Za-z0-9_-]")  # in ids and names of calls
_LONGEST_NAME = 64


def acceptable(messages: Iterable[Message]) -> list[Message]:
    """The messages with words for what is of no API but the tool's own, and ids and names as all APIs take them."""
    held = list(messages)
    ids = _ids(call.id for message in held for call in message.calls)
    return [replace(message, parts=tuple(_part(part, ids) for part in message.parts)) for message in held]


def _part(part: Part, ids: Mapping[str, str]) -> Part:
    match part:
        case ToolCall(id=name):
            return replace(part, id=ids[name], name=_ODD.sub("_", part.name)[:_LONGEST_NAME] or "unknown")
        case ToolResult(call_id=name, content=content):
            return replace(part, call_id=ids.get(name, name), content=tuple(map(_attached, content)))
        case Text() | Image() | Document() | Unknown():
            return _attached(part)
    return part


def _attached(part: ResultPart) -> ResultPart:
    """The part, or what stands for it where only words can stand."""
    match part:
        case Unknown():
            return Text(words(part))
        case Image() if not _is_sendable(part):
            return Text(words(part))
        case Document():
            inside = embedded(part)
            return part if inside and inside.media_type == _PDF else Text(document_words(part))
    return part


def _is_sendable(image: Image) -> bool:
    return image.media_type in _PICTURES if image.data else image.url.startswith("https://")


def _ids(names: Iterable[str]) -> dict[str, str]:
    """Each id in letters that all APIs take; two ids stay two."""
    known = dict.fromkeys(names, "")
    taken = {name for name in known if not _ODD.search(name)}
    for name in known:
        plain = _ODD.sub(lambda odd: f"_{ord(odd[0]):x}_", name)
        while name != plain and plain in taken:
            plain += "_"
        known[name] = plain
        taken.add(plain)
    return known
