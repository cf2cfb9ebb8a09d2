"""The content of a message, as any of the three APIs writes it, becomes parts (rules G1 and T7)."""

from __future__ import annotations

from collections.abc import Callable

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
from compact_chat.read.document import parse
from compact_chat.read.loose import fields, word

_JSON_TYPES = {type(None): "null", bool: "boolean", int: "number", float: "number", list: "array"}


def parts_of(content: object) -> tuple[Part, ...]:
    """Decode content that is a string, a list of blocks, one block, or nothing."""
    checkpoint()
    return tuple(map(_part_of, _blocks(content)))


def result_of(call_id: object, content: object, is_error: bool = False) -> ToolResult:
    """Decode what a tool answered."""
    parts = tuple(map(_result_part_of, _blocks(content)))
    return ToolResult(word(call_id), parts, is_error, as_text=isinstance(content, str))


def text_parts(*texts: str) -> tuple[Text, ...]:
    """Make parts of texts, without the blank ones."""
    return tuple(Text(text) for text in texts if text.strip())


def arguments_of(value: object) -> JsonObject:
    """Decode the arguments of a call, which some APIs write as a string of JSON."""
    return _parsed_arguments(value) if isinstance(value, str) else fields(value)


def _blocks(content: object) -> list[object]:
    if content is None:
        return []
    return content if isinstance(content, list) else [content]


def _parsed_arguments(text: str) -> JsonObject:
    if not text.strip():
        return {}
    try:
        value = parse(text)
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {"arguments": text}


def _part_of(block: object) -> Part:
    reader = _TURN_READERS.get(word(fields(block).get("type")))
    return _result_part_of(block) if reader is None else reader(fields(block))


def image_at(place: str) -> Image:
    """A picture by its address, with its data inside or not."""
    if not place.startswith("data:"):
        return Image(url=place)
    head, _, data = place.partition(",")
    return Image(media_type=head.removeprefix("data:").partition(";")[0], data=data)


def _result_part_of(block: object) -> ResultPart:
    if isinstance(block, str):
        return Text(block)
    if not isinstance(block, dict):
        return Unknown(_JSON_TYPES.get(type(block), "block"), {"value": block})
    kind = word(block.get("type"))
    reader = _READERS.get(kind)
    return Unknown(kind or "block", block) if reader is None else reader(block)


def _text(block: JsonObject) -> ResultPart:
    return Text(word(block.get("text")))


def _refusal(block: JsonObject) -> ResultPart:
    return Text(word(block.get("refusal")))


def _image(block: JsonObject) -> ResultPart:
    source = fields(block.get("source"))
    return Image(word(source.get("media_type")), word(source.get("data")), word(source.get("url")))


def _image_url(block: JsonObject) -> ResultPart:
    place = block.get("image_url")
    return image_at(word(place) or word(fields(place).get("url")))


def _document(block: JsonObject) -> ResultPart:
    return Document(word(block.get("title")), block)


def _file(block: JsonObject) -> ResultPart:
    return Document(word((fields(block.get("file")) or block).get("filename")), block)


def _thinking(block: JsonObject) -> Part:
    return Thinking(word(block.get("thinking")))


def _call(block: JsonObject) -> Part:
    return ToolCall(word(block.get("id")), word(block.get("name")), fields(block.get("input")))


def _result(block: JsonObject) -> Part:
    return result_of(block.get("tool_use_id"), block.get("content"), block.get("is_error") is True)


_READERS: dict[str, Callable[[JsonObject], ResultPart]] = {
    "text": _text,
    "input_text": _text,
    "output_text": _text,
    "refusal": _refusal,
    "image": _image,
    "image_url": _image_url,
    "input_image": _image_url,
    "document": _document,
    "file": _file,
    "input_file": _file,
}
_TURN_READERS: dict[str, Callable[[JsonObject], Part]] = {
    "thinking": _thinking,
    "redacted_thinking": _thinking,
    "tool_use": _call,
    "tool_result": _result,
}
