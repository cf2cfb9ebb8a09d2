"""Every file is read as a sound chat and measured, or refused with one of the program's errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import (
    Chat,
    Document,
    Image,
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    Usage,
    Warning,
    WordedResult,
)
from compact_chat.errors import CompactChatError
from compact_chat.measure import family_of, read_meter, weigh
from compact_chat.read import Source, earlier, read_chat


class Files(NamedTuple):
    """A chat file, and those in its folder by name."""

    chat: bytes
    siblings: Mapping[str, bytes]


def check(files: Files, name: str = "", hint: str | None = None) -> Chat | None:
    """Read the files twice and measure them; None if refused, AssertionError if a promise is broken."""
    first, second = _read(files, name, None), _read(files, name, hint)
    for chat in filter(None, (first, second)):
        assert not (faults := faults_of(chat)), f"{chat.format}: {', '.join(faults)}"
        _measure(chat)
    if first and second and first.format == second.format:
        assert first == second or repr(first) == repr(second), "a second reading gives another chat"
    return second or first


def _read(files: Files, name: str, hint: str | None) -> Chat | None:
    try:
        source = Source.of_bytes(files.chat, name, files.siblings)
        chat = read_chat(source, hint)
    except CompactChatError:
        return None
    for one in earlier(source, chat):
        assert not (faults := faults_of(replace(chat, messages=one.messages))), f"{chat.format}: {', '.join(faults)}"
    return chat


def _measure(chat: Chat) -> None:
    family = family_of(chat.model, chat.tool)
    weights = [weigh(message, _cheap, family) for message in chat.messages]
    meter = read_meter(chat, weights, family, _cheap(chat.system))
    assert meter.fixed + sum(meter.tokens) == meter.used, "the parts of the meter do not add up"
    assert 0 <= meter.low <= meter.used <= meter.high, "the meter's bounds do not hold its figure"


def _cheap(text: str) -> int:
    return len(text) // 4


_WORDS: dict[type, tuple[str, ...]] = {
    Text: ("text",),
    Thinking: ("text",),
    Image: ("media_type", "data", "url"),
    Document: ("title",),
    Unknown: ("type",),
    ToolCall: ("id", "name"),
    ToolResult: ("call_id",),
    WordedResult: ("call_id",),
}
_OBJECTS: dict[type, str] = {Document: "raw", Unknown: "raw", ToolCall: "input"}
_IN_RESULTS = (Text, Image, Document, Unknown)


def faults_of(chat: Chat) -> list[str]:
    """Yield what is wrong with a chat, each fault once; nothing for a sound one."""
    return list(dict.fromkeys((*_of_chat(chat), *(fault for one in chat.messages for fault in _of_message(one)))))


def _of_chat(chat: Chat) -> Iterator[str]:
    if len({message.id for message in chat.messages}) < len(chat.messages):
        yield "two messages have one id"
    for name in ("format", "tool", "system"):
        if not isinstance(getattr(chat, name), str):
            yield f"{name} is no string"
    for name in ("model", "title", "workspace"):
        value = getattr(chat, name)
        if value is not None and not (isinstance(value, str) and value):
            yield f"{name} is {value!r}"
    if chat.window is not None and not _is_count(chat.window):
        yield f"the window is {chat.window!r}"
    if chat.host_meter is not None:
        yield from (
            f"{name} of the host"
            for name in ("used", "reserved", "total")
            if not _is_count(getattr(chat.host_meter, name))
        )
    for name, kind in (("messages", Message), ("tools", dict), ("warnings", Warning)):
        found: object = getattr(chat, name)
        if not isinstance(found, tuple) or not all(isinstance(one, kind) for one in found):
            yield f"the {name} are no tuple of theirs"


def _of_message(message: Message) -> Iterator[str]:
    if not _is_word(message.id):
        yield f"an id is {message.id!r}"
    if message.role not in ("user", "assistant", "system"):
        yield f"a role is {message.role!r}"
    if not all(isinstance(mark, bool) for mark in (message.is_summary, message.by_host)):
        yield "a mark is no truth value"
    if message.typed is not None and not all(map(_is_word, message.typed)):
        yield "what was typed is no text"
    if type(message.parts) is not tuple:
        yield "the parts are no tuple"
    for part in message.parts:
        yield from _of_part(part)
    if message.usage is not None:
        yield from _of_usage(message.usage)


def _is_word(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _of_part(part: object) -> Iterator[str]:
    kind = type(part)
    if kind not in _WORDS or not isinstance(part, Struct):
        yield f"a part is of type {kind.__name__}"
        return
    for name in _WORDS[kind]:
        if not isinstance(getattr(part, name), str):
            yield f"{kind.__name__}.{name} is of type {type(getattr(part, name)).__name__}"
    if kind in _OBJECTS and not isinstance(getattr(part, _OBJECTS[kind]), dict):
        yield f"{kind.__name__}.{_OBJECTS[kind]} is no object"
    if isinstance(part, ToolResult):
        for inner in part.content:
            if isinstance(inner, _IN_RESULTS):
                yield from _of_part(inner)
            else:
                yield f"a {type(inner).__name__} stands in a result"


def _of_usage(usage: Usage) -> Iterator[str]:
    for name in ("prompt_tokens", "output_tokens"):
        if not _is_count(getattr(usage, name)):
            yield f"the {name} of a usage are {str(getattr(usage, name))[:20]}"
    if _is_word(usage.model) is False and usage.model != "":
        yield "the model of a usage is no word"


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53
