"""Stored messages of Cline and its kin become messages: blocks of the Anthropic API, or of the AI SDK."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from msgspec.structs import replace

from compact_chat.chat import (
    Document,
    Image,
    JsonObject,
    Message,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    result_text,
)
from compact_chat.read.blocks import arguments_of, image_at, parts_of, result_of
from compact_chat.read.cline_host import typed_texts
from compact_chat.read.lenient import fields, objects, word

_FAILED = "[ERROR]"  # how Roo begins a result that is an error, where a block has no flag for it


def message_of(item: JsonObject, name: str) -> Message:
    """Decode a stored message; encrypted reasoning stands alone, and is the assistant's."""
    role = item.get("role", "assistant")
    if role == "assistant":
        return Message(name, "assistant", _assistant_parts(item), is_summary=item.get("isSummary") is True)
    if role == "system":
        return Message(name, "system", _parts(item.get("content")))
    parts = _parts(item.get("content")) if role in ("user", "tool") else (Unknown(word(role), item),)
    return with_origin(Message(name, "user", parts, is_summary=item.get("isSummary") is True))


def with_origin(message: Message) -> Message:
    """Mark what no person typed a word of."""
    texts = [part.text for part in message.parts if isinstance(part, Text)]
    return replace(message, by_host=message.is_summary or (bool(texts) and not typed_texts(texts)))


def without_orphans(messages: Mapping[int, Message]) -> dict[int, Message]:
    """Leave out results whose calls are not live, and messages of which nothing remains."""
    called = {call.id for message in messages.values() for call in message.calls}
    left = {place: _without_orphans(message, called) for place, message in messages.items()}
    return {place: message for place, message in left.items() if message.parts or not messages[place].parts}


def _without_orphans(message: Message, called: set[str]) -> Message:
    parts = tuple(part for part in message.parts if not isinstance(part, ToolResult) or part.call_id in called)
    return message if len(parts) == len(message.parts) else replace(message, parts=parts)


def _assistant_parts(item: JsonObject) -> tuple[Part, ...]:
    parts = _parts(item.get("content"))
    if item.get("type") == "reasoning":
        return (_thought(item), *parts)
    kept = word(item.get("reasoning_content"))  # what some models want back beside the content
    has_thought = any(isinstance(part, Thinking) for part in parts)
    return (Thinking(kept), *parts) if kept and not has_thought else parts


def _parts(content: object) -> tuple[Part, ...]:
    blocks = content if isinstance(content, list) else [content]
    return tuple(part for block in blocks for part in _decoded(block))


def _decoded(block: object) -> tuple[Part, ...]:
    reader = _READERS.get(word(fields(block).get("type")))
    part = reader(fields(block)) if reader else None
    return parts_of(block) if part is None else (part,)


def _thought(block: JsonObject) -> Part:
    summary = "\n\n".join(word(step.get("text")) for step in objects(block.get("summary")))
    return Thinking(word(block.get("text")) or summary)


def _call(block: JsonObject) -> Part:
    return ToolCall(word(block.get("toolCallId")), word(block.get("toolName")), arguments_of(block.get("input")))


def _result(block: JsonObject) -> Part:
    output = block.get("output")
    kind, value = word(fields(output).get("type")), fields(output).get("value", output)
    content = value if isinstance(value, str | list | None) else json.dumps(value, ensure_ascii=False)
    result = result_of(block.get("toolCallId"), content)
    failed = kind.startswith("error") or result_text(result).lstrip().startswith(_FAILED)
    return replace(result, is_error=failed)


def _image(block: JsonObject) -> Part | None:
    data = word(block.get("image"))
    if not data:
        return None  # one of the Anthropic API
    is_address = data.startswith(("data:", "http:", "https:"))
    return image_at(data) if is_address else Image(word(block.get("mediaType")), data)


def _file(block: JsonObject) -> Part | None:
    return Document(word(block.get("filename")), block) if "mediaType" in block else None


_READERS: dict[str, Callable[[JsonObject], Part | None]] = {
    "tool-call": _call,
    "tool-result": _result,
    "reasoning": _thought,
    "thoughtSignature": lambda _: Thinking(""),
    "image": _image,
    "file": _file,
}
