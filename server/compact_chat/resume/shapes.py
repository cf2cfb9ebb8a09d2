"""The messages of a chat in the shapes of the three APIs."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from msgspec.structs import replace

from compact_chat.chat import (
    Document,
    Image,
    JsonObject,
    Message,
    Part,
    ResultPart,
    Role,
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

# Pictures and documents on their way from one API's shape to another's.


class Embedded(NamedTuple):
    """A document that travels inside its block, as base64."""

    media_type: str
    data: str


def image_url(image: Image) -> str:
    """The address of a picture, which may be a data URL with all of it; empty where the chat does not hold it."""
    return data_url(image.media_type or "image/png", image.data) if image.data else image.url


def data_url(media_type: str, data: str) -> str:
    """A URL that holds base64 data."""
    return f"data:{media_type};base64,{data}"


def embedded(document: Document) -> Embedded | None:
    """The base64 data of a document, from whichever API's block it came."""
    source = _inner(document.raw, "source")
    if source.get("type") == "base64":
        return Embedded(_word(source, "media_type"), _word(source, "data"))
    head, comma, data = _word(_inner(document.raw, "file") or document.raw, "file_data").partition(";base64,")
    return Embedded(head.removeprefix("data:"), data) if comma else None


def document_words(document: Document) -> str:
    """What can be said of a document where its block fits in nowhere: its title, then its text or address."""
    source = _inner(document.raw, "source")
    contents = _word(source, "data") if source.get("type") == "text" else _word(source, "url")
    return f"[document: {document.title}]\n{contents}".rstrip("\n")


def with_words_for_attachments(message: Message) -> Message:
    """The message, with words for pictures and documents where it is not the user's: only there APIs take them."""
    if message.role == "user":
        return message
    return with_parts(
        message, tuple(_spoken(part) if isinstance(part, Image | Document) else part for part in message.parts)
    )


def with_words_in_results(message: Message) -> Message:
    """The message, with words for the pictures and documents that tools answered."""
    return with_parts(message, tuple(map(_told, message.parts)))


def _told(part: Part) -> Part:
    return replace(part, content=tuple(map(_spoken, part.content))) if isinstance(part, ToolResult) else part


def _spoken(part: ResultPart) -> ResultPart:
    match part:
        case Image():
            return Text(words(part))
        case Document():
            return Text(document_words(part))
    return part


def _inner(raw: JsonObject, key: str) -> JsonObject:
    value = raw.get(key)
    return value if isinstance(value, dict) else {}


def _word(raw: JsonObject, key: str) -> str:
    value = raw.get(key)
    return value if isinstance(value, str) else ""


# Messages as the Anthropic API takes them; system messages stay among them, as the caller had them.


def write_message(message: Message) -> JsonObject:
    """The message, its content a string where it is one text."""
    match message.parts:
        case (Text(text),):
            return {"role": message.role, "content": text}
        case parts:
            return {"role": message.role, "content": [_block_shape(part) for part in parts]}


def is_sound(content: object) -> bool:
    """Whether content has the form that the API asks for; in files anything may stand in its place."""
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
        case Image():
            return _image_shape(part)
        case Document():
            return _document_shape(part)
        case Unknown(_, raw):
            return raw if isinstance(raw.get("type"), str) else {"type": "text", "text": words(part)}
        case ToolCall():
            return {"type": "tool_use", "id": part.id, "name": part.name, "input": part.input}
        case ToolResult():
            return _result(part)


def _image_shape(image: Image) -> JsonObject:
    if image.data:
        source = {"type": "base64", "media_type": image.media_type or "image/png", "data": image.data}
        return {"type": "image", "source": source}
    if image.url:
        return {"type": "image", "source": {"type": "url", "url": image.url}}
    return {"type": "text", "text": "[image]"}


def _document_shape(document: Document) -> JsonObject:
    if document.raw.get("type") == "document":
        return document.raw
    if inside := embedded(document):
        source = {"type": "base64", "media_type": inside.media_type, "data": inside.data}
        return {"type": "document", "source": source, **({"title": document.title} if document.title else {})}
    return {"type": "text", "text": document_words(document)}


def _result(result: ToolResult) -> JsonObject:
    content = result_text(result) if result.as_text else [_block_shape(part) for part in result.content]
    failed = {"is_error": True} if result.is_error else {}
    return {"type": "tool_result", "tool_use_id": result.call_id, "content": content, **failed}


# Messages as the two OpenAI APIs take them: chat messages, or the items of the Responses API.


class _Names(NamedTuple):
    """What an API calls its kinds of content, and whether it nests what they hold."""

    text: str
    image: str
    file: str
    nested: bool


_CHAT = _Names("text", "image_url", "file", nested=True)
_INPUT = _Names("input_text", "input_image", "input_file", nested=False)
_OUTPUT = _Names("output_text", "input_image", "input_file", nested=False)


def chat_messages(message: Message) -> list[JsonObject]:
    """The tool results of the message, each a message, then what else it holds; none where that is nothing."""
    answers = [_answer(result) for result in message.results]
    # A tool message takes nothing but text, so what is attached to a result follows as the user's.
    attached = [part for result in message.results for part in result.content if _is_attached(part)]
    content = _as_one_text(_content((*attached, *message.parts), _CHAT))
    if calls := [_call(call) for call in message.calls]:
        return [*answers, {"role": message.role, "content": content or None, "tool_calls": calls}]
    return [*answers, {"role": message.role, "content": content}] if content else answers


def response_items(message: Message) -> list[JsonObject]:
    """The items of the message in its order: calls and outputs each one of their own, neighbouring words in one."""
    names = _OUTPUT if message.role == "assistant" else _INPUT
    items: list[JsonObject] = []
    for alone, run in groupby(message.parts, key=lambda part: _stands_alone(part, message.role)):
        if alone:
            items.extend(map(_item, run))
        elif content := _content(run, names):
            items.append({"type": "message", "role": message.role, "content": content})
    return items


def _answer(result: ToolResult) -> JsonObject:
    texts = [Text(words(part)) if _is_attached(part) else part for part in result.content]
    content = result_text(result) if result.as_text else _content(texts, _CHAT)
    return {"role": "tool", "tool_call_id": result.call_id, "content": content or ""}


def _is_attached(part: Part) -> bool:
    return isinstance(part, Document) or (isinstance(part, Image) and bool(image_url(part)))


def _as_one_text(blocks: Sequence[JsonObject]) -> object:
    return blocks[0]["text"] if len(blocks) == 1 and blocks[0]["type"] == _CHAT.text else blocks


def _call(call: ToolCall) -> JsonObject:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": _arguments(call)}}


def _arguments(call: ToolCall) -> str:
    """The arguments of a call as compact JSON, cut only where JSON cannot hold them."""
    return arguments_json(call.input, sys.maxsize)


def _stands_alone(part: Part, role: Role) -> bool:
    """Blocks of the assistant that we do not know are items of the Responses API, such as calls of built-in tools."""
    return isinstance(part, ToolCall | ToolResult) or (isinstance(part, Unknown) and role == "assistant")


def _item(part: Part) -> JsonObject:
    match part:
        case ToolCall():
            return {"type": "function_call", "call_id": part.id, "name": part.name, "arguments": _arguments(part)}
        case ToolResult():
            output = result_text(part) if part.as_text else _content(part.content, _INPUT)
            return {"type": "function_call_output", "call_id": part.call_id, "output": output}
        case _:
            return _content([part], _OUTPUT)[0]


def _content(parts: Iterable[Part], names: _Names) -> list[JsonObject]:
    """The parts as content; calls and results stand elsewhere, and thinking has no place in these shapes."""
    return [
        _block_openai_shape(part, names) for part in parts if not isinstance(part, ToolCall | ToolResult | Thinking)
    ]


def _block_openai_shape(part: Text | Image | Document | Unknown, names: _Names) -> JsonObject:
    match part:
        case Text(text):
            return {"type": names.text, "text": text}
        case Unknown(kind, raw):
            return {"type": kind, **raw}
        case Image():
            return _image_openai_shape(part, names)
        case Document():
            return _document_openai_shape(part, names)


def _image_openai_shape(image: Image, names: _Names) -> JsonObject:
    url = image_url(image)
    if not url:
        return {"type": names.text, "text": "[image]"}
    return {"type": names.image, "image_url": {"url": url} if names.nested else url}


def _document_openai_shape(document: Document, names: _Names) -> JsonObject:
    if document.raw.get("type") == names.file:
        return document.raw
    inside = embedded(document)
    if inside is None:
        return {"type": names.text, "text": document_words(document)}
    file = {"filename": document.title or "document", "file_data": data_url(*inside)}
    return {"type": names.file, **({"file": file} if names.nested else file)}


# Messages that another tool wrote, on their way to an API that would refuse some of what they hold (rules T3, T7).


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


# The messages of a chat in the shapes of the three APIs.


Items = tuple[JsonObject, ...]


def as_anthropic(messages: Sequence[Message], use_raw: bool = False, foreign: bool = False) -> list[JsonObject]:
    """The messages for the Anthropic API; with `use_raw` those that came in this shape go back as they came.

    Of `foreign` messages, which were never meant for this API, what it would refuse becomes words.
    """
    turns = _prepared(messages, foreign)
    return _written(turns, lambda turn: [write_message(turn)], [_anthropic(turn) if use_raw else () for turn in turns])


def as_openai_chat(messages: Sequence[Message], use_raw: bool = False, foreign: bool = False) -> list[JsonObject]:
    """The messages for the OpenAI chat API, in the same way."""
    turns = _without_late_attachments(_prepared(messages, foreign))
    came = [_chat(turn) if use_raw else () for turn in turns]
    return _written(turns, chat_messages, _whole_exchanges(turns, came))


def as_openai_responses(messages: Sequence[Message], use_raw: bool = False, foreign: bool = False) -> list[JsonObject]:
    """The items for the OpenAI Responses API, in the same way."""
    turns = _prepared(messages, foreign)
    came = [raws(turn) if use_raw else () for turn in turns]
    return _written(turns, response_items, _whole_exchanges(turns, came))


def _prepared(messages: Sequence[Message], foreign: bool) -> list[Message]:
    return list(map(with_words_for_attachments, acceptable(messages) if foreign else messages))


def _without_late_attachments(turns: Sequence[Message]) -> list[Message]:
    """The turns with words for what is attached to results while calls beside them wait.

    In this shape it would follow as a message of the user's, and the results that the host has yet to add with it.
    """
    asked = {call.id for turn in turns[-2:-1] for call in turn.calls}
    if not asked or asked <= {result.call_id for result in turns[-1].results}:
        return list(turns)
    return [*turns[:-1], with_words_in_results(turns[-1])]


def _written(
    turns: Sequence[Message], write: Callable[[Message], list[JsonObject]], came: Sequence[Items]
) -> list[JsonObject]:
    pieces = (items or write(turn) for turn, items in zip(turns, came, strict=True))
    return [item for piece in pieces for item in piece]


def _anthropic(turn: Message) -> Items:
    """What came for a turn, if it is one message that the API takes."""
    items = raws(turn)
    sound = len(items) == 1 and items[0].get("role") == turn.role and is_sound(items[0].get("content"))
    return items if sound else ()


def _chat(turn: Message) -> Items:
    """What came for a turn, if it is one message behind any number of results."""
    items = raws(turn)
    return items if all(item.get("role") == "tool" for item in items[:-1]) else ()


def _whole_exchanges(turns: Sequence[Message], came: Sequence[Items]) -> list[Items]:
    """What came, unless only the calls or only their results did: each kind of call has a result of its own kind."""
    whole = list(came)
    for place, (asked, answer) in enumerate(pairwise(turns)):
        if asked.calls and answer.results and not (whole[place] and whole[place + 1]):
            whole[place] = whole[place + 1] = ()
    return whole
