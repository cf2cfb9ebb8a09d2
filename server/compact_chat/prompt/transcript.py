"""A chat as a labelled transcript that a model can read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compact_chat.chat import Message, Part, Role, Text, Thinking, ToolCall, ToolResult, result_text, words
from compact_chat.facts.told_results import with_told_results
from compact_chat.marks import escape_tags, strip_summary_wrappers
from compact_chat.prompt.arguments import arguments_json
from compact_chat.prompt.limits import DEFAULT_LIMITS, NO_LIMITS, Limits
from compact_chat.prompt.rendering import Rendering, content, marked_parts

_NAMES = {"user": "User", "assistant": "Assistant", "system": "System"}
# The labels of the entries, and what else begins a line of ours in a message that opens the next chat (rules C8, C10).
LABELS = re.compile(
    r"\[[^\S\n]*(?:(?:user|assistant(?:[^\S\n]+thinking)?|system|previous[^\S\n]+summary)[^\S\n]*\][^\S\n]*:"
    r"|tool[^\S\n]+(?:call|result|error)\b|system[^\S\n]*:)"
    r"|##[^\S\n]*(?:recent|earlier)[^\S\n]+messages\b",
    re.IGNORECASE,
)


def transcript(messages: Sequence[Message], limits: Limits = DEFAULT_LIMITS) -> str:
    """Every block of every message under its label, a blank line between entries (rules T1 to T7, T10 and T11)."""
    return LABELLED.text(messages, limits)


def message_text(message: Message) -> str:
    """All of one message, its words without the label of who speaks (rules T2 to T5, T7, T10 and T11)."""
    shown = (_unlabelled(part, message.role, is_summary) for part, is_summary in marked_parts(message))
    return escape_tags("\n\n".join(filter(str.strip, shown)))


def _entries(messages: Sequence[Message], limits: Limits) -> Iterator[str]:
    for message in with_told_results(messages):
        shown = (_shown(part, message.role, is_summary, limits) for part, is_summary in marked_parts(message))
        yield from filter(None, shown)


def _shown(part: Part, role: Role, is_summary: bool, limits: Limits) -> str:
    match part:
        case Text(text) if is_summary:
            return _labelled("Previous Summary", strip_summary_wrappers(text), limits.other)
        case Text(text):
            return _labelled(_NAMES[role], text, limits.of(role))
        case Thinking(text):
            return _labelled("Assistant thinking", text, limits.thinking) if limits.thinking else ""
        case ToolCall(call_id, name, given):
            head = f"{_reference(call_id)}: {_in_label(name) or 'unknown'}"
            return f"[Tool call {head}({arguments_json(given, limits.arguments)})]"
        case ToolResult(call_id, is_error=failed):
            label = f"Tool {'error' if failed else 'result'} {_reference(call_id)}"
            text = result_text(part)
            return _labelled(label, text if text.strip() else "(no output)", limits.tool_result)
        case _:
            return _labelled(_NAMES[role], words(part), None)


def _unlabelled(part: Part, role: Role, is_summary: bool) -> str:
    """What is thought, called and answered is told from the words by its label still."""
    match part:
        case Text(text):
            return content(strip_summary_wrappers(text) if is_summary else text, LABELS)
        case Thinking() | ToolCall() | ToolResult():
            return _shown(part, role, is_summary, NO_LIMITS)
        case _:
            return content(words(part), LABELS)


def _labelled(label: str, text: str, limit: int | None) -> str:
    """The text behind its label, or nothing where there is nothing to label."""
    return f"[{label}]: {content(text, LABELS, limit)}" if text.strip() else ""


def _reference(call_id: str) -> str:
    return f"#{_in_label(call_id) or '?'}"


def _in_label(name: str) -> str:
    """A name on one line: what stands behind it in the label makes a label of no line of its own."""
    return content(" ".join(name.split()), LABELS)


LABELLED = Rendering(_entries, LABELS)
