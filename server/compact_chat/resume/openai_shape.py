"""What the two OpenAI shapes share: content parts under two sets of names, and arguments as JSON text."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import NamedTuple

from compact_chat.chat import Document, Image, JsonObject, Part, Text, Thinking, ToolCall, ToolResult, Unknown
from compact_chat.prompt.arguments import arguments_json
from compact_chat.resume.attachments import data_url, document_words, embedded, image_url


class Names(NamedTuple):
    """What an API calls its kinds of content, and whether it nests what they hold."""

    text: str
    image: str
    file: str
    nested: bool


CHAT = Names("text", "image_url", "file", nested=True)
RESPONSES_INPUT = Names("input_text", "input_image", "input_file", nested=False)
RESPONSES_OUTPUT = Names("output_text", "input_image", "input_file", nested=False)


def content_of(parts: Iterable[Part], names: Names) -> list[JsonObject]:
    """The parts as content; calls and results stand elsewhere, and thinking has no place in these shapes."""
    return [_block(part, names) for part in parts if not isinstance(part, ToolCall | ToolResult | Thinking)]


def arguments_text(call: ToolCall) -> str:
    """The arguments of a call as compact JSON, cut only where JSON cannot hold them."""
    return arguments_json(call.input, sys.maxsize)


def _block(part: Text | Image | Document | Unknown, names: Names) -> JsonObject:
    match part:
        case Text(text):
            return {"type": names.text, "text": text}
        case Unknown(kind, raw):
            return {"type": kind, **raw}
        case Image():
            return _image(part, names)
        case Document():
            return _document(part, names)


def _image(image: Image, names: Names) -> JsonObject:
    url = image_url(image)
    if not url:
        return {"type": names.text, "text": "[image]"}
    return {"type": names.image, "image_url": {"url": url} if names.nested else url}


def _document(document: Document, names: Names) -> JsonObject:
    if document.raw.get("type") == names.file:
        return document.raw
    inside = embedded(document)
    if inside is None:
        return {"type": names.text, "text": document_words(document)}
    file = {"filename": document.title or "document", "file_data": data_url(*inside)}
    return {"type": names.file, **({"file": file} if names.nested else file)}
