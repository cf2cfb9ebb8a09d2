"""Secrets out of whole messages, before anything is cut: half a secret would fit no pattern."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from compact_chat.chat import Message, Part, Text, Thinking, ToolCall, ToolResult

Clean = Callable[[str], str]
T = TypeVar("T", Text, Thinking)


def masked_message(message: Message, clean: Clean) -> Message:
    """Give the message without its secrets; itself where it has none."""
    parts = tuple(_masked(part, clean) for part in message.parts)
    if all(new is old for new, old in zip(parts, message.parts, strict=True)):
        return message
    return msgspec.structs.replace(message, parts=parts, raw=None)


def _masked(part: Part, clean: Clean) -> Part:
    match part:
        case Text():
            return _with_text(part, clean)
        case Thinking():
            return _with_text(part, clean)
        case ToolCall():
            return _with_input(part, clean)
        case ToolResult(content=content):
            parts = tuple(_with_text(inner, clean) if isinstance(inner, Text) else inner for inner in content)
            return part if parts == content else msgspec.structs.replace(part, content=parts)
    return part


def _with_text(part: T, clean: Clean) -> T:
    text = clean(part.text)
    return part if text == part.text else msgspec.structs.replace(part, text=text)


def _with_input(call: ToolCall, clean: Clean) -> ToolCall:
    """Copy a call with its strings cleaned; without recursion, since JSON may be nested to any depth."""
    changed, given = False, dict(call.input)
    waiting: list[Any] = [given]
    while waiting:
        holder = waiting.pop()
        for place, value in list(holder.items() if isinstance(holder, dict) else enumerate(holder)):
            if isinstance(value, str):
                holder[place] = clean(value)
                changed = changed or holder[place] != value
            elif isinstance(value, dict | list):
                holder[place] = value.copy()
                waiting.append(holder[place])
    return msgspec.structs.replace(call, input=given) if changed else call
