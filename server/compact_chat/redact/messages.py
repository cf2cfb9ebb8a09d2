"""Secrets out of whole messages, before anything is cut: half a secret would fit no pattern."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

from compact_chat.chat import Document, JsonObject, Message, Part, ResultPart, Text, Thinking, ToolCall, ToolResult
from compact_chat.redact.joints import healed
from compact_chat.redact.redactor import Redactor

T = TypeVar("T", Text, Thinking)
P = TypeVar("P", bound=Part)


def masked_message(message: Message, clean: Redactor) -> Message:
    """Give the message without its secrets; itself where it has none."""
    parts = tuple(_masked(part, clean) for part in _joined(message.parts, clean))
    if all(new is old for new, old in zip(parts, message.parts, strict=True)):
        return message
    return msgspec.structs.replace(message, parts=parts, raw=None)


def _joined(parts: Sequence[P], clean: Redactor) -> Sequence[P]:
    """Mask the secrets that were cut where a text ends and the next begins; any other part keeps texts apart."""
    if sum(isinstance(part, Text) for part in parts) < 2:
        return parts
    texts = [part.text if isinstance(part, Text) else "" for part in parts]
    found = healed(texts, clean)
    return [part if new == old else Text(new) for part, new, old in zip(parts, found, texts, strict=True)]  # type: ignore[misc]  # a text for a text


def _masked(part: Part, clean: Redactor) -> Part:
    match part:
        case Text():
            return _with_text(part, clean)
        case Thinking():
            return _with_text(part, clean)
        case ToolCall():
            return _with_input(part, clean)
        case ToolResult():
            return _with_content(part, clean)
        case Document():
            return _with_title(part, clean)
    return part


def _with_content(result: ToolResult, clean: Redactor) -> ToolResult:
    content = tuple(_masked_content(inner, clean) for inner in _joined(result.content, clean))
    call_id = clean(result.call_id)  # a secret in an id goes from call and result alike, so that they stay a pair
    if content == result.content and call_id == result.call_id:
        return result
    return msgspec.structs.replace(result, content=content, call_id=call_id)


def _masked_content(part: ResultPart, clean: Redactor) -> ResultPart:
    match part:
        case Text():
            return _with_text(part, clean)
        case Document():
            return _with_title(part, clean)
    return part


def _with_title(document: Document, clean: Redactor) -> Document:
    title = clean(document.title)
    return document if title == document.title else msgspec.structs.replace(document, title=title)


def _with_text(part: T, clean: Redactor) -> T:
    text = clean(part.text)
    return part if text == part.text else msgspec.structs.replace(part, text=text)


def _with_input(call: ToolCall, clean: Redactor) -> ToolCall:
    """Copy a call with its strings cleaned, by themselves and beside the names they stand under."""
    given = _cleaned(call.input, clean)
    text = _json_text(given)
    if text is not None and (safe := clean(text)) != text:
        given = _parsed(safe) or given
    call_id, name = clean(call.id), clean(call.name)
    if given is call.input and (call_id, name) == (call.id, call.name):
        return call
    return ToolCall(call_id, name, given)


def _cleaned(given: JsonObject, clean: Redactor) -> JsonObject:
    """Clean the strings of JSON; without recursion, since it may be nested to any depth. Itself if nothing changes."""
    changed, copy = False, dict(given)
    waiting: list[Any] = [copy]
    while waiting:
        holder = waiting.pop()
        for place, value in list(holder.items() if isinstance(holder, dict) else enumerate(holder)):
            if isinstance(value, str):
                holder[place] = _beside_its_name(holder, place, clean)
                changed = changed or holder[place] != value
            elif isinstance(value, dict | list):
                holder[place] = value.copy()
                waiting.append(holder[place])
    return copy if changed else given


def _beside_its_name(holder: Any, place: Any, clean: Redactor) -> str:
    """Clean a string; a `value` with a `name` or `key` beside it is judged as an assignment to that name."""
    value: str = clean(holder[place])
    name = holder.get("name") or holder.get("key") if isinstance(holder, dict) and place == "value" else None
    if not isinstance(name, str):
        return value
    head, quote = f"{name}=", '"'
    assigned = clean(f"{head}{quote}{value}{quote}")
    return assigned[len(head) + 1 : -1] if assigned.startswith(head + quote) and assigned.endswith(quote) else value


def _json_text(value: JsonObject) -> str | None:
    """Write JSON for a look at names and values together; None where it is too strange to be written."""
    try:
        return msgspec.json.encode(value).decode()
    except (RecursionError, UnicodeEncodeError, TypeError, ValueError):
        return None


def _parsed(text: str) -> JsonObject | None:
    """Read JSON in which secrets were masked; None where a mask took a bracket or a quote with it."""
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError:
        return None
