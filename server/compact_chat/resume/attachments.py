"""Pictures and documents on their way from one API's shape to another's."""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from compact_chat.chat import Document, Image, JsonObject, Message, Part, ResultPart, Text, ToolResult, words
from compact_chat.plan.seen import with_parts


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
