"""The messages of a chat in the shapes of the three APIs."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from compact_chat.chat import (
    Document,
    Image,
    JsonObject,
    Message,
    Part,
    ResultPart,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    raws,
    result_text,
    words,
)
from compact_chat.plan import with_parts
from compact_chat.prompt import arguments_json

AnyPart = TypeVar("AnyPart", bound=Part)


def image_url(image: Image) -> str:
    """Return a picture's URL, which may be a data URL with all of it; empty if the chat does not contain it."""
    return data_url(image.media_type or "image/png", image.data) if image.data else image.url


def data_url(media_type: str, data: str) -> str:
    """Make a URL of base64 data."""
    return f"data:{media_type};base64,{data}"


def embedded(document: Document) -> tuple[str, str] | None:
    """Return a document's media type and base64 data, from whichever API's block it came."""
    source = _inner(document.raw, "source")
    if source.get("type") == "base64":
        return _word(source, "media_type"), _word(source, "data")
    head, comma, data = _word(_inner(document.raw, "file") or document.raw, "file_data").partition(";base64,")
    return (head.removeprefix("data:"), data) if comma else None


def document_words(document: Document) -> str:
    """Describe a document where its block is not allowed: its title, then its text or address."""
    source = _inner(document.raw, "source")
    contents = _word(source, "data") if source.get("type") == "text" else _word(source, "url")
    return f"[document: {document.title}]\n{contents}".rstrip("\n")


def with_words_for_attachments(message: Message) -> Message:
    """Use words for pictures and documents outside user messages: APIs accept them only there."""
    return message if message.role == "user" else with_parts(message, tuple(map(_spoken, message.parts)))


def _spoken(part: AnyPart) -> AnyPart | Text:
    if isinstance(part, Image):
        return Text(words(part))
    return Text(document_words(part)) if isinstance(part, Document) else part


def _inner(raw: JsonObject, key: str) -> JsonObject:
    value = raw.get(key)
    return value if isinstance(value, dict) else {}


def _word(raw: JsonObject, key: str) -> str:
    value = raw.get(key)
    return value if isinstance(value, str) else ""


# Messages as the Anthropic API takes them; system messages stay among them, as the caller had them.


def write_message(message: Message) -> JsonObject:
    """Write the message; its content is a string if it is one text."""
    match message.parts:
        case (Text(text),):
            return {"role": message.role, "content": text}
        case parts:
            return {"role": message.role, "content": list(map(_block_shape, parts))}


def is_sound(content: object) -> bool:
    """Return whether content has the form that the API requires; files may contain anything."""
    return isinstance(content, str) or (isinstance(content, list) and all(map(_is_sound_block, content)))


def _is_sound_block(block: object) -> bool:
    match block:
        case {"type": "tool_use", "input": dict(), "name": str()} | {"type": "text", "text": str()}:
            return True
        case {"type": "tool_result", "content": content}:
            return is_sound(content)
        case {"type": str(kind)}:
            return kind not in ("tool_use", "text")
    return False


def _block_shape(part: Part) -> JsonObject:
    match part:
        case Text(text):
            return {"type": "text", "text": text}
        case Thinking(text):
            return {"type": "thinking", "thinking": text} if text else {"type": "redacted_thinking", "data": ""}
        case Image(media_type, data) if data:
            source = {"type": "base64", "media_type": media_type or "image/png", "data": data}
            return {"type": "image", "source": source}
        case Image(url=url) if url:
            return {"type": "image", "source": {"type": "url", "url": url}}
        case Document(raw=raw) if raw.get("type") == "document":
            return raw
        case Document(title) if inside := embedded(part):
            source = {"type": "base64", "media_type": inside[0], "data": inside[1]}
            return {"type": "document", "source": source, **({"title": title} if title else {})}
        case Unknown(raw=raw) if isinstance(raw.get("type"), str):
            return raw
        case ToolCall():
            return {"type": "tool_use", "id": part.id, "name": part.name, "input": part.input}
        case ToolResult():
            content = result_text(part) if part.as_text else [_block_shape(inner) for inner in part.content]
            failed = {"is_error": True} if part.is_error else {}
            return {"type": "tool_result", "tool_use_id": part.call_id, "content": content, **failed}
    return {"type": "text", "text": document_words(part) if isinstance(part, Document) else words(part)}


# Messages as the two OpenAI APIs take them: chat messages, or the items of the Responses API.


class _Names(NamedTuple):
    """An API's names for kinds of content, and whether it nests their values."""

    text: str
    image: str
    file: str
    nested: bool


_CHAT = _Names("text", "image_url", "file", nested=True)
_INPUT = _Names("input_text", "input_image", "input_file", nested=False)
_OUTPUT = _Names("output_text", "input_image", "input_file", nested=False)


def chat_messages(message: Message) -> list[JsonObject]:
    """Write the message's tool results, each a message, then the rest; nothing if empty."""
    items: list[JsonObject] = []
    attached: list[ResultPart] = []  # a tool message allows only text, so this follows as the user's
    for result in message.results:
        texts = [Text(words(part)) if _is_attached(part) else part for part in result.content]
        content: object = result_text(result) if result.as_text else _content(texts, _CHAT)
        items.append({"role": "tool", "tool_call_id": result.call_id, "content": content or ""})
        attached += filter(_is_attached, result.content)
    blocks = _content((*attached, *message.parts), _CHAT)
    content = blocks[0]["text"] if len(blocks) == 1 and blocks[0]["type"] == _CHAT.text else blocks
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": _arguments(call)}}
        for call in message.calls
    ]
    if calls:
        items.append({"role": message.role, "content": content or None, "tool_calls": calls})
    elif content:
        items.append({"role": message.role, "content": content})
    return items


def response_items(message: Message) -> list[JsonObject]:
    """Write the items of the message in order: calls and outputs one by one, adjacent texts in one.

    Unknown blocks of the assistant are items too, such as calls of built-in tools.
    """
    names = _OUTPUT if message.role == "assistant" else _INPUT
    kinds = ToolCall | ToolResult | Unknown if message.role == "assistant" else ToolCall | ToolResult
    items: list[JsonObject] = []
    for alone, run in groupby(message.parts, key=lambda part: isinstance(part, kinds)):
        if not alone:
            if content := _content(run, names):
                items.append({"type": "message", "role": message.role, "content": content})
            continue
        for part in run:
            match part:
                case ToolCall(call_id, name):
                    given = _arguments(part)
                    items.append({"type": "function_call", "call_id": call_id, "name": name, "arguments": given})
                case ToolResult(call_id, content_parts):
                    output = result_text(part) if part.as_text else _content(content_parts, _INPUT)
                    items.append({"type": "function_call_output", "call_id": call_id, "output": output})
                case _:
                    items += _content([part], _OUTPUT)
    return items


def _is_attached(part: Part) -> bool:
    return isinstance(part, Document) or (isinstance(part, Image) and bool(image_url(part)))


def _arguments(call: ToolCall) -> str:
    """Write a call's arguments as compact JSON, truncated only if JSON cannot represent them."""
    return arguments_json(call.input, sys.maxsize)


def _content(parts: Iterable[Part], names: _Names) -> list[JsonObject]:
    """Write the parts as content; calls and results go elsewhere, and thinking is not allowed in these shapes."""
    return [_block(part, names) for part in parts if not isinstance(part, ToolCall | ToolResult | Thinking)]


def _block(part: Text | Image | Document | Unknown, names: _Names) -> JsonObject:
    match part:
        case Unknown(kind, raw):
            return {"type": kind, **raw}
        case Image() if url := image_url(part):
            return {"type": names.image, "image_url": {"url": url} if names.nested else url}
        case Document(raw=raw) if raw.get("type") == names.file:
            return raw
        case Document(title) if inside := embedded(part):
            file = {"filename": title or "document", "file_data": data_url(*inside)}
            return {"type": names.file, **({"file": file} if names.nested else file)}
    return {"type": names.text, "text": document_words(part) if isinstance(part, Document) else words(part)}


# Messages of another tool, for an API that would refuse some of their parts (rules T3, T7).


_PICTURES = frozenset({"", "image/png", "image/jpeg", "image/gif", "image/webp"})
_PDF = "application/pdf"
_ODD = re.compile(r"[^A-Za-z0-9_-]")  # in ids and names of calls
_LONGEST_NAME = 64


def acceptable(messages: Iterable[Message]) -> list[Message]:
    """Use words for what only the tool's own API takes, and valid ids and names; different ids stay different."""
    turns = list(messages)
    ids = dict.fromkeys((call.id for message in turns for call in message.calls), "")
    taken = {name for name in ids if not _ODD.search(name)}
    for name in ids:
        plain = _ODD.sub(lambda odd: f"_{ord(odd[0]):x}_", name)
        while name != plain and plain in taken:
            plain += "_"
        ids[name] = plain
        taken.add(plain)
    return [replace(message, parts=tuple(_acceptable(part, ids) for part in message.parts)) for message in turns]


def _acceptable(part: Part, ids: Mapping[str, str]) -> Part:
    match part:
        case ToolCall(id=name):
            return replace(part, id=ids[name], name=_ODD.sub("_", part.name)[:_LONGEST_NAME] or "unknown")
        case ToolResult(call_id=name, content=content):
            return replace(part, call_id=ids.get(name, name), content=tuple(map(_attachment, content)))
        case Text() | Image() | Document() | Unknown():
            return _attachment(part)
    return part


def _attachment(part: ResultPart) -> ResultPart:
    """Return the part, or words for it if only words are allowed."""
    match part:
        case Image(media_type, data, url) if media_type in _PICTURES if data else url.startswith("https://"):
            return part
        case Document() if (inside := embedded(part)) and inside[0] == _PDF:
            return part
    return Text(words(part)) if isinstance(part, Unknown) else _spoken(part)


# The messages of a chat in the shapes of the three APIs.

Items = tuple[JsonObject, ...]


def as_anthropic(messages: Sequence[Message], use_raw: bool = False, foreign: bool = False) -> list[JsonObject]:
    """Write the messages for the Anthropic API; with `use_raw`, those that came in this shape are reused.

    What the API would refuse in `foreign` messages, which were never meant for it, becomes words.
    """

    def came(turn: Message) -> Items:
        items = raws(turn)
        sound = len(items) == 1 and items[0].get("role") == turn.role and is_sound(items[0].get("content"))
        return items if sound else ()

    turns = _prepared(messages, foreign)
    return [item for turn in turns for item in ((use_raw and came(turn)) or (write_message(turn),))]


def as_openai_chat(messages: Sequence[Message], use_raw: bool = False, foreign: bool = False) -> list[JsonObject]:
    """Write the messages for the OpenAI chat API, likewise."""

    def came(turn: Message) -> Items:
        items = raws(turn)  # one message behind any number of results
        return items if all(item.get("role") == "tool" for item in items[:-1]) else ()

    turns = _prepared(messages, foreign)
    # In this shape, attachments of results would follow as a user message, before the results that the
    # host has yet to add: https://platform.openai.com/docs/guides/function-calling wants all results first.
    asked = {call.id for turn in turns[-2:-1] for call in turn.calls}
    if asked and not asked <= {result.call_id for result in turns[-1].results}:
        parts = (
            replace(part, content=tuple(map(_spoken, part.content))) if isinstance(part, ToolResult) else part
            for part in turns[-1].parts
        )
        turns[-1] = with_parts(turns[-1], tuple(parts))
    return _written(turns, chat_messages, [came(turn) if use_raw else () for turn in turns])


def as_openai_responses(messages: Sequence[Message], use_raw: bool = False, foreign: bool = False) -> list[JsonObject]:
    """Write the items for the OpenAI Responses API, likewise."""
    turns = _prepared(messages, foreign)
    return _written(turns, response_items, [raws(turn) if use_raw else () for turn in turns])


def _prepared(messages: Sequence[Message], foreign: bool) -> list[Message]:
    return list(map(with_words_for_attachments, acceptable(messages) if foreign else messages))


def _written(
    turns: Sequence[Message], write: Callable[[Message], list[JsonObject]], came: list[Items]
) -> list[JsonObject]:
    """Use what came, unless it has only the calls or only the results: each kind of call has its own kind of result."""
    for place, (asked, answer) in enumerate(pairwise(turns)):
        if asked.calls and answer.results and not (came[place] and came[place + 1]):
            came[place] = came[place + 1] = ()
    return [item for turn, items in zip(turns, came, strict=True) for item in (items or write(turn))]
