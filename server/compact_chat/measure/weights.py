"""What one message weighs, by kind of part, in tokens of the family's encoding."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from msgspec import Struct

from compact_chat.chat import Document, Image, JsonObject, Message, Part, Text, Thinking, ToolCall, ToolResult, Unknown
from compact_chat.measure.families import Family
from compact_chat.measure.json_text import json_text
from compact_chat.measure.pictures import picture_tokens

PAGE = 2_000  # tokens of a PDF's page, by the vendor's word; how many pages there are is not known
LONGEST_WORD = 1_000
_WORD = re.compile(r"[A-Za-z0-9+/=_-]+")

Count = Callable[[str], int]


class Weight(Struct, frozen=True):
    """Tokens by kind: those of images are the model's own, all others the encoding's."""

    text: int = 0
    tool_calls: int = 0
    tool_results: int = 0
    thinking: int = 0
    images: int = 0

    @property
    def words(self) -> int:
        """All but the images."""
        return self.text + self.tool_calls + self.tool_results + self.thinking

    @property
    def total(self) -> int:
        """All of it."""
        return self.words + self.images


def weigh(message: Message, count: Count, family: Family) -> Weight:
    """Weigh a message; what surrounds its parts goes to the kind that there is most of, and nothing weighs nothing."""
    tokens = dict.fromkeys(Weight.__struct_fields__, 0)
    for part in message.parts:
        for kind, size in _sizes(part, count, family):
            tokens[kind] += size
    most = max(tokens, key=tokens.__getitem__)
    if tokens[most]:
        tokens[most] += family.per_message
    return Weight(**tokens)


def _sizes(part: Part, count: Count, family: Family) -> Iterator[tuple[str, int]]:
    match part:
        case Text(text):
            yield "text", count(text)
        case Thinking(text):
            yield "thinking", count(text)
        case ToolCall(_, name, given):
            yield "tool_calls", family.per_call + count(f"{name} {json_text(given)}")
        case ToolResult(_, content):
            yield "tool_results", family.per_result
            for inner in content:
                for kind, size in _sizes(inner, count, family):
                    yield ("tool_results" if kind == "text" else kind), size
        case _:
            yield _attachment_size(part, count, family)


def _attachment_size(part: Image | Document | Unknown, count: Count, family: Family) -> tuple[str, int]:
    match part:
        case Image():
            return "images", picture_tokens(part, family.pictures)
        case Document(title, raw):
            return _document_size(title, raw, count)
        case Unknown(_, raw):
            return "text", count(_WORD.sub(_without_data, json_text(raw)))


def _document_size(title: str, raw: JsonObject, count: Count) -> tuple[str, int]:
    """Count a document of text; a page of any other kind is weighed like a picture."""
    match raw:
        case {"source": {"type": "text", "data": str(text)}}:
            return "text", count(f"{title}\n{text}")
    return "images", PAGE


def _without_data(word: re.Match[str]) -> str:
    """Leave out encoded data: no model reads it as text."""
    return word[0] if len(word[0]) <= LONGEST_WORD else ""
