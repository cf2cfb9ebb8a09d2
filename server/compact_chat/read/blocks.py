"""Convert the content of a message, as any of the three APIs writes it, to parts (rules G1 and T7)."""

from __future__ import annotations

from typing import Any

from compact_chat.cancel import checkpoint
from compact_chat.chat import (
    Document,
    Image,
    JsonObject,
    Part,
    ResultPart,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
)
from compact_chat.read.document import parsed
from compact_chat.read.loose import fields, word

_JSON_TYPES = {type(None): "null", bool: "boolean", int: "number", float: "number", list: "array"}


def parts_of(content: object) -> tuple[Part, ...]:
    """Decode content that is a string, a list of blocks, one block, or None."""
    checkpoint()
    return tuple(map(_part, _blocks(content)))


def result_of(call_id: object, content: object, is_error: bool = False) -> ToolResult:
    """Decode a tool result."""
    parts = tuple(map(_result_part, _blocks(content)))
    return ToolResult(word(call_id), parts, is_error, as_text=isinstance(content, str))


def text_parts(*texts: str) -> tuple[Text, ...]:
    """Make parts from texts, without the blank ones."""
    return tuple(Text(text) for text in texts if text.strip())


def arguments_of(value: object) -> JsonObject:
    """Decode the arguments of a call, which some APIs write as a JSON string."""
    if not isinstance(value, str):
        return fields(value)
    if not value.strip():
        return {}
    arguments = parsed(value)
    return arguments if isinstance(arguments, dict) else {"arguments": value}


def image_at(url: str) -> Image:
    """Make a picture from its URL, which may contain the data itself."""
    if not url.startswith("data:"):
        return Image(url=url)
    head, _, data = url.partition(",")
    return Image(media_type=head.removeprefix("data:").partition(";")[0], data=data)


def _blocks(content: object) -> list[object]:
    if content is None:
        return []
    return content if isinstance(content, list) else [content]


def _part(block: Any) -> Part:
    match block:
        case {"type": "tool_use"}:
            return ToolCall(word(block.get("id")), word(block.get("name")), fields(block.get("input")))
        case {"type": "tool_result"}:
            return result_of(block.get("tool_use_id"), block.get("content"), block.get("is_error") is True)
        case {"type": "thinking" | "redacted_thinking"}:
            return Thinking(word(block.get("thinking")))
    return _result_part(block)


def _result_part(block: Any) -> ResultPart:
    match block:
        case str():
            return Text(block)
        case {"type": "text" | "input_text" | "output_text"}:
            return Text(word(block.get("text")))
        case {"type": "refusal"}:
            return Text(word(block.get("refusal")))
        case {"type": "image"}:
            source = fields(block.get("source"))
            return Image(word(source.get("media_type")), word(source.get("data")), word(source.get("url")))
        case {"type": "image_url" | "input_image"}:
            url = block.get("image_url")
            return image_at(word(url) or word(fields(url).get("url")))
        case {"type": "document"}:
            return Document(word(block.get("title")), block)
        case {"type": "file" | "input_file"}:
            return Document(word((fields(block.get("file")) or block).get("filename")), block)
        case dict():
            kind = word(block.get("type"))
            return Unknown(kind or "block", block)
    return Unknown(_JSON_TYPES.get(type(block), "block"), {"value": block})
