"""The parts of a content, as the Gemini API writes them, become parts of ours."""

from __future__ import annotations

import json
from collections.abc import Callable

from compact_chat.chat import (
    Document,
    Image,
    JsonObject,
    Part,
    ResultPart,
    Text,
    ToolCall,
    ToolResult,
    Unknown,
)
from compact_chat.read.lenient import fields, objects, word


def raw_parts(content: object) -> list[JsonObject]:
    """The parts of a content that is a string, one part, a list of both, or nothing; empty texts are none."""
    items = content if isinstance(content, list) else [content]
    parts = [{"text": item} if isinstance(item, str) else item for item in items]
    return [part for part in parts if isinstance(part, dict) and part.get("text") != ""]


def part_of(part: JsonObject) -> Part | None:
    """Decode one part; None for a thought, which is never sent again."""
    if part.get("thought") is True:
        return None
    reader = next((reader for key, reader in _READERS.items() if key in part), None)
    return reader(part) if reader else Unknown(next(iter(part), "part"), part)


def result_parts(parts: list[JsonObject]) -> tuple[ResultPart, ...]:
    """Decode parts that are the answer of a tool."""
    found = map(part_of, parts)
    return tuple(part for part in found if isinstance(part, Text | Image | Document | Unknown))


def _text(part: JsonObject) -> Part:
    return Text(word(part.get("text")))


def _call(part: JsonObject) -> Part:
    call = fields(part.get("functionCall"))
    return ToolCall(word(call.get("id")), word(call.get("name")), fields(call.get("args")))


def _result(part: JsonObject) -> Part:
    answer = fields(part.get("functionResponse"))
    response = answer.get("response")
    told = fields(response)
    words = told.get("output", told.get("error", response))
    text = words if isinstance(words, str) else _json(words)
    shown = result_parts(objects(answer.get("parts")))
    failed = "error" in told and "output" not in told
    return ToolResult(word(answer.get("id")), (Text(text), *shown), failed, as_text=not shown)


def _json(value: object) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _inline(part: JsonObject) -> Part:
    data = fields(part.get("inlineData"))
    kind = word(data.get("mimeType"))
    if kind.startswith("image/"):
        return Image(kind, word(data.get("data")))
    return Document(word(data.get("displayName")), part)


def _file(part: JsonObject) -> Part:
    data = fields(part.get("fileData"))
    if word(data.get("mimeType")).startswith("image/"):
        return Image(word(data.get("mimeType")), url=word(data.get("fileUri")))
    return Document(word(data.get("displayName")) or word(data.get("fileUri")), part)


_READERS: dict[str, Callable[[JsonObject], Part]] = {
    "text": _text,
    "functionCall": _call,
    "functionResponse": _result,
    "inlineData": _inline,
    "fileData": _file,
}
