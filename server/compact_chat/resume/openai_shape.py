"""Messages as the two OpenAI APIs take them: chat messages, or the items of the Responses API."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from compact_chat.chat import (
    Document,
    Image,
    JsonObject,
    Message,
    Part,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    result_text,
    words,
)
from compact_chat.prompt.arguments import arguments_json
from compact_chat.resume.attachments import data_url, document_words, embedded, image_url


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
    return [_block(part, names) for part in parts if not isinstance(part, ToolCall | ToolResult | Thinking)]


def _block(part: Text | Image | Document | Unknown, names: _Names) -> JsonObject:
    match part:
        case Text(text):
            return {"type": names.text, "text": text}
        case Unknown(kind, raw):
            return {"type": kind, **raw}
        case Image():
            return _image(part, names)
        case Document():
            return _document(part, names)


def _image(image: Image, names: _Names) -> JsonObject:
    url = image_url(image)
    if not url:
        return {"type": names.text, "text": "[image]"}
    return {"type": names.image, "image_url": {"url": url} if names.nested else url}


def _document(document: Document, names: _Names) -> JsonObject:
    if document.raw.get("type") == names.file:
        return document.raw
    inside = embedded(document)
    if inside is None:
        return {"type": names.text, "text": document_words(document)}
    file = {"filename": document.title or "document", "file_data": data_url(*inside)}
    return {"type": names.file, **({"file": file} if names.nested else file)}
