"""A chat as a labelled transcript that a model can read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from compact_chat.chat import Message, Part, Text, Thinking, ToolCall, ToolResult, result_text, words
from compact_chat.marks import escape_labels, escape_tags, is_summary_text, line_feeds, strip_summary_wrappers
from compact_chat.prompt.arguments import arguments_json
from compact_chat.prompt.clip import clip

_NAMES = {"user": "User", "assistant": "Assistant", "system": "System"}
_SUMMARY = "Previous Summary"
_LABELS = re.compile(
    r"\[[^\S\n]*(?:(?:user|assistant(?:[^\S\n]+thinking)?|system|previous[^\S\n]+summary)[^\S\n]*\][^\S\n]*:"
    r"|tool[^\S\n]+(?:call|result|error)\b)",
    re.IGNORECASE,
)


class Limits(Struct, frozen=True):
    """The most characters of each kind of entry; None is no limit, and thinking of 0 is left out."""

    tool_result: int = 2000
    arguments: int = 500
    thinking: int = 500
    assistant: int | None = None
    user: int | None = None


DEFAULT_LIMITS = Limits()


def transcript(messages: Sequence[Message], limits: Limits = DEFAULT_LIMITS) -> str:
    """Every block of every message under its label, a blank line between entries (rules T1 to T7, T10 and T11)."""
    entries = (entry for message in messages for entry in _entries(message, limits))
    return escape_tags("\n\n".join(entries))


def _entries(message: Message, limits: Limits) -> Iterator[str]:
    summary = _summary_part(message)
    for part in message.parts:
        if isinstance(part, Text):
            entry = _said(part.text, message, limits, part is summary)
        else:
            entry = _shown(part, message, limits)
        if entry:
            yield entry


def _summary_part(message: Message) -> Part | None:
    """The first text of a message that a tool marked as its summary; a user's words may follow in it (rule J3)."""
    return next((part for part in message.parts if isinstance(part, Text)), None) if message.is_summary else None


def _said(text: str, message: Message, limits: Limits, is_summary: bool) -> str:
    """The entry of a text; a summary of what came before is never clipped."""
    if is_summary or (message.role == "user" and is_summary_text(text)):
        return _labelled(_SUMMARY, strip_summary_wrappers(text), None)
    limit = {"user": limits.user, "assistant": limits.assistant}.get(message.role)
    return _labelled(_NAMES[message.role], text, limit)


def _shown(part: Part, message: Message, limits: Limits) -> str:
    """The entry of a part that is no text of the message."""
    match part:
        case Thinking(text):
            return _labelled("Assistant thinking", text, limits.thinking) if limits.thinking else ""
        case ToolCall(call_id, name, given):
            head = f"{_reference(call_id)}: {_content(name.strip() or 'unknown')}"
            return f"[Tool call {head}({arguments_json(given, limits.arguments)})]"
        case ToolResult(call_id, is_error=failed):
            label = f"Tool {'error' if failed else 'result'} {_reference(call_id)}"
            text = result_text(part)
            return _labelled(label, text if text.strip() else "(no output)", limits.tool_result)
        case _:
            return _labelled(_NAMES[message.role], words(part), None)


def _labelled(label: str, text: str, limit: int | None) -> str:
    """The text behind its label, or nothing where there is nothing to label."""
    return f"[{label}]: {_content(text, limit)}" if text.strip() else ""


def _reference(call_id: str) -> str:
    return f"#{_content(call_id.strip() or '?')}"


def _content(text: str, limit: int | None = None) -> str:
    """Content of the chat, cut to its limit and then kept from passing for a label."""
    return escape_labels(clip(line_feeds(text), limit), _LABELS)
