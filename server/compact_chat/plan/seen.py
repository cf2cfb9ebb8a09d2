"""What an API gets to see of a message that stays (rules V1 and V3)."""

from __future__ import annotations

import msgspec

from compact_chat.chat import Message, Part, Role, Text, Thinking, ToolCall, ToolResult


def seen(message: Message) -> Message:
    """The message without thinking, blank texts and calls that are not the assistant's; itself if it has none."""
    return with_parts(message, tuple(_filled(part) for part in message.parts if _is_seen(part, message.role)))


def with_parts(message: Message, parts: tuple[Part, ...]) -> Message:
    """The message with these parts; itself if it has them already, so that `raw` survives."""
    return message if parts == message.parts else msgspec.structs.replace(message, parts=parts, raw=None)


def _is_seen(part: Part, role: Role) -> bool:
    match part:
        case Thinking():
            return False
        case Text(text):
            return bool(text) and not text.isspace()
        case ToolCall():
            return role == "assistant"
        case _:
            return True


def _filled(part: Part) -> Part:
    """A result without the blank texts in its list; one that had nothing else says so."""
    if not isinstance(part, ToolResult) or part.as_text or all(_is_seen(inner, "user") for inner in part.content):
        return part
    content = tuple(inner for inner in part.content if _is_seen(inner, "user"))
    return msgspec.structs.replace(part, content=content or (Text("(no output)"),))
