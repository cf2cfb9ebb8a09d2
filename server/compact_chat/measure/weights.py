"""What one message weighs, by kind of part, in tokens of the model as its family likely makes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from msgspec import Struct

from compact_chat.chat import Document, Image, JsonObject, Message, Part, Text, Thinking, ToolCall, ToolResult, Unknown
from compact_chat.measure.families import Family
from compact_chat.measure.json_text import json_text
from compact_chat.measure.likely import likely_tokens
from compact_chat.measure.pictures import picture_tokens

PAGE = 2_000  # tokens of a PDF's page, by the vendor's word; how many pages there are is not known
SEALED_SUMMARY = 3_000  # tokens of a summary that came encrypted
LONGEST_WORD = 1_000
_WORD = re.compile(r"[A-Za-z0-9+/=_-]+")

Count = Callable[[str], int]
_Likely = Callable[[str], float]


class Weight(Struct, frozen=True):
    """Tokens by kind."""

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
    """Weigh a message; what surrounds its texts goes to the kind that there is most of, and nothing weighs nothing."""
    tokens = dict.fromkeys(Weight.__struct_fields__, 0.0)
    likely = partial(_likely, count, family)
    for part in message.parts:
        for kind, size in _sizes(part, likely, family):
            tokens[kind] += size
    if message.is_summary and any(isinstance(part, Unknown) for part in message.parts):
        tokens["text"] = max(tokens["text"], SEALED_SUMMARY)
    most = max(tokens, key=tokens.__getitem__)
    if tokens[most]:
        tokens[most] += family.per_results if message.results else family.per_message
    return Weight(**{kind: round(size) for kind, size in tokens.items()})


def _likely(count: Count, family: Family, text: str) -> float:
    return likely_tokens(text, count(text), family.rates)


def _sizes(part: Part, likely: _Likely, family: Family) -> Iterator[tuple[str, float]]:
    match part:
        case Text(text):
            yield "text", likely(text)
        case Thinking(text):
            yield "thinking", likely(text) * family.thinking if text else family.hidden_thought
        case ToolCall(_, name, given):
            yield "tool_calls", family.per_call + likely(name) + _arguments_size(given, likely, family)
        case ToolResult(_, content):
            yield "tool_results", family.per_result
            for inner in content:
                for kind, size in _sizes(inner, likely, family):
                    yield ("tool_results" if kind == "text" else kind), size
        case _:
            yield _attachment_size(part, likely, family)


def _arguments_size(given: JsonObject, likely: _Likely, family: Family) -> float:
    if not family.per_argument:
        return likely(json_text(given))
    texts = (value if isinstance(value, str) else json_text(value) for value in given.values())
    return sum(family.per_argument + likely(text) for text in texts)


def _attachment_size(part: Image | Document | Unknown, likely: _Likely, family: Family) -> tuple[str, float]:
    match part:
        case Image():
            return "images", picture_tokens(part, family.pictures)
        case Document(title, raw):
            return _document_size(title, raw, likely)
        case Unknown(_, raw):
            return "text", likely(_WORD.sub(_without_data, json_text(raw)))


def _document_size(title: str, raw: JsonObject, likely: _Likely) -> tuple[str, float]:
    """Count a document of text; a page of any other kind is weighed like a picture."""
    match raw:
        case {"source": {"type": "text", "data": str(text)}}:
            return "text", likely(f"{title}\n{text}")
    return "images", PAGE


def _without_data(word: re.Match[str]) -> str:
    """Leave out encoded data: no model reads it as text."""
    return word[0] if len(word[0]) <= LONGEST_WORD else ""
