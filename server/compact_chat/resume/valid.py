"""A chat that model APIs accept (rules V1 to V8), as a row of small passes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from compact_chat.chat import Message, Part, Role, Text, Thinking, ToolCall, ToolResult
from compact_chat.facts.told_results import with_told_results
from compact_chat.plan.exchanges import open_end
from compact_chat.plan.split import front_length
from compact_chat.resume.pairs import answered, paired
from compact_chat.resume.turns import merged, with_parts

_OMITTED = Message("omitted", "user", (Text("[Earlier messages omitted]"),), by_host=True)


def valid(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The chat as an API accepts it, but for calls that the host has yet to answer; a second time changes nothing."""
    turns = paired(_seen(with_told_results(messages)))
    return _user_first(merged(answered(turns, open_from=open_end(turns))))


def sendable(messages: Sequence[Message], closing: str) -> tuple[Message, ...]:
    """The valid chat with the user's word last: `closing`, unless the host has yet to answer a call (rule V8)."""
    turns = valid(messages)
    if turns and (turns[-1].role == "user" or turns[-1].calls):
        return turns
    return (*turns, Message("closing", "user", (Text(closing),), by_host=True))


def _seen(messages: Iterable[Message]) -> list[Message]:
    """The messages without thinking, blank texts and calls that are not the assistant's, where anything is left."""
    seen = (
        with_parts(message, tuple(_filled(part) for part in message.parts if _is_seen(part, message.role)))
        for message in messages
    )
    return [message for message in seen if message.parts]


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


def _user_first(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The chat with a line of the user's where the assistant would begin (rule V4)."""
    front = front_length(messages)
    if messages[front : front + 1] and messages[front].role == "assistant":
        return (*messages[:front], _OMITTED, *messages[front:])
    return tuple(messages)
