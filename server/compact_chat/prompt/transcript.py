"""A chat as a labelled transcript that a model can read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from compact_chat.chat import Message, Part, Text, Thinking, ToolCall, ToolResult, result_text, words
from compact_chat.facts.requests import summary_parts
from compact_chat.facts.told_results import with_told_results
from compact_chat.marks import escape_labels, escape_tags, line_feeds, strip_summary_wrappers
from compact_chat.prompt.arguments import arguments_json
from compact_chat.prompt.clip import clip

_NAMES = {"user": "User", "assistant": "Assistant", "system": "System"}
# The labels of the entries, and what else begins a line of ours in a message that opens the next chat (rules C8, C10).
LABELS = re.compile(
    r"\[[^\S\n]*(?:(?:user|assistant(?:[^\S\n]+thinking)?|system|previous[^\S\n]+summary)[^\S\n]*\][^\S\n]*:"
    r"|tool[^\S\n]+(?:call|result|error)\b|system[^\S\n]*:)"
    r"|##[^\S\n]*(?:recent|earlier)[^\S\n]+messages\b",
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
    entries = (entry for message in with_told_results(messages) for entry in _entries(message, limits))
    return escape_tags("\n\n".join(entries))


def _entries(message: Message, limits: Limits) -> Iterator[str]:
    """The entries of a message; a summary of what came before is never clipped."""
    summaries = summary_parts(message)
    for part in message.parts:
        if isinstance(part, Text) and part in summaries:
            entry = _labelled("Previous Summary", strip_summary_wrappers(part.text), None)
        else:
            entry = _shown(part, message, limits)
        if entry:
            yield entry


def _shown(part: Part, message: Message, limits: Limits) -> str:
    match part:
        case Text(text):
            limit = {"user": limits.user, "assistant": limits.assistant}.get(message.role)
            return _labelled(_NAMES[message.role], text, limit)
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
    return escape_labels(clip(line_feeds(text), limit), LABELS)
