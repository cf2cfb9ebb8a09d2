"""A chat as numbered messages, for the structured style."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from compact_chat.chat import Message, Part, Role, Text, Thinking, ToolCall, ToolResult, result_text, words
from compact_chat.facts.told_results import with_told_results
from compact_chat.marks import strip_summary_wrappers
from compact_chat.prompt.arguments import arguments_json
from compact_chat.prompt.limits import Limits
from compact_chat.prompt.rendering import Rendering, content, marked_parts

END_MARKER = "--- End of Original Conversation ---"
_CALLS, _RESULT, _ERROR = "**Tool Calls:**", "**Tool Result:**", "**Tool Error:**"
_THINKING, _SUMMARY = "**Thinking:**", "**Previous Summary:**"
LABELS = re.compile(
    r"###[^\S\n]*message\b|##[^\S\n]*original[^\S\n]+conversation\b|---[^\S\n]*end[^\S\n]+of[^\S\n]+original[^\S\n]+conversation"
    r"|\*\*[^\S\n]*(?:tool[^\S\n]+(?:calls?|result|error)|thinking|previous[^\S\n]+summary)[^\S\n]*:",
    re.IGNORECASE,
)


def _entries(messages: Sequence[Message], limits: Limits) -> Iterator[str]:
    """Each message under its number; one that shows nothing has none (rule T15)."""
    number = 0
    for message in with_told_results(messages):
        if shown := "\n\n".join(_shown(message, limits)):
            number += 1
            yield f"### Message {number} [{speaker(message).upper()}]\n\n{shown}"


def speaker(message: Message) -> str:
    """The role; `tool` where a user's message holds nothing but results of tools (rule G1)."""
    only_results = bool(message.parts) and all(isinstance(part, ToolResult) for part in message.parts)
    return "tool" if message.role == "user" and only_results else message.role


def _shown(message: Message, limits: Limits) -> Iterator[str]:
    """The paragraphs of a message; calls that follow one another are one list."""
    for of_calls, parts in groupby(marked_parts(message), lambda marked: isinstance(marked[0], ToolCall)):
        lines = (_shown_part(part, message.role, is_summary, limits) for part, is_summary in parts)
        if of_calls:
            yield "\n".join((_CALLS, *lines))
        else:
            yield from filter(None, lines)


def _shown_part(part: Part, role: Role, is_summary: bool, limits: Limits) -> str:
    match part:
        case Text(text) if is_summary:
            return _under(_SUMMARY, strip_summary_wrappers(text), limits.other)
        case Text(text):
            return content(text, LABELS, limits.of(role)) if text.strip() else ""
        case Thinking(text):
            return _under(_THINKING, text, limits.thinking) if limits.thinking else ""
        case ToolResult(is_error=failed):
            text = result_text(part)
            return _under(_ERROR if failed else _RESULT, text if text.strip() else "(no output)", limits.tool_result)
        case ToolCall(name=name, input=given):
            called = content(name.strip() or "unknown", LABELS)
            return f"- `{called}`: {arguments_json(given, limits.arguments)}"
        case _:
            return content(words(part), LABELS)


def _under(label: str, text: str, limit: int | None) -> str:
    return f"{label}\n{content(text, LABELS, limit)}" if text.strip() else ""


NUMBERED = Rendering(_entries, LABELS)
