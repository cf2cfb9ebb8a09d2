"""A chat as messages under their roles, for the brief style."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compact_chat.chat import Message, Part, Role, Text, Thinking, ToolCall, ToolResult, result_text, words
from compact_chat.facts.links import Place, find_links
from compact_chat.facts.told_results import with_told_results
from compact_chat.marks import strip_summary_wrappers
from compact_chat.prompt.arguments import arguments_json
from compact_chat.prompt.limits import Limits
from compact_chat.prompt.numbered import speaker
from compact_chat.prompt.rendering import Rendering, content, marked_parts

BRIEF_LIMITS = Limits(tool_result=500, thinking=200)
LABELS = re.compile(
    r"\[[^\S\n]*(?:user|assistant|system|tool)[^\S\n]*\]|\([^\S\n]*thinking[^\S\n]*:"
    r"|tool[^\S\n]+(?:call|result|error)\b[^\n:]{0,200}:|previous[^\S\n]+summary[^\S\n]*:",
    re.IGNORECASE,
)


def _entries(messages: Sequence[Message], limits: Limits) -> Iterator[str]:
    """Each message under its role; one that shows nothing is left out (rule T16)."""
    messages = tuple(with_told_results(messages))
    named = _named(messages)
    for index, message in enumerate(messages):
        lines = (
            _shown(part, message.role, is_summary, (index, number) in named, limits)
            for number, (part, is_summary) in enumerate(marked_parts(message))
        )
        shown = list(filter(None, lines))
        if shown:
            yield "\n".join((f"[{speaker(message)}]", *shown))


def _named(messages: Sequence[Message]) -> frozenset[Place]:
    """The calls that are open while another one is, and their results: only an id tells them apart."""
    links = find_links(messages)
    named: set[Place] = set()
    open_calls: set[Place] = set()
    for place in sorted((*links.answers, *links.answers.values())):
        if place in links.answers:
            open_calls.discard(links.answers[place])
            continue
        open_calls.add(place)
        if len(open_calls) > 1:
            named |= open_calls if len(open_calls) == 2 else {place}
    results = {result for result, call in (links.answers | links.repeats).items() if call in named}
    return frozenset(named | results)


def _shown(part: Part, role: Role, is_summary: bool, is_named: bool, limits: Limits) -> str:
    match part:
        case Text(text) if is_summary:
            return _behind("Previous summary: ", strip_summary_wrappers(text), limits.other)
        case Text(text):
            return _behind("", text, limits.of(role))
        case Thinking(text):
            shown = _behind("(thinking: ", text, limits.thinking) if limits.thinking else ""
            return f"{shown})" if shown else ""
        case ToolCall(call_id, name, given):
            called = content(name.strip() or "unknown", LABELS)
            return f"Tool call{_id(call_id, is_named)}: {called} input: {arguments_json(given, limits.arguments)}"
        case ToolResult(call_id, is_error=failed):
            label = f"Tool {'error' if failed else 'result'}{_id(call_id, is_named)}: "
            text = result_text(part)
            return _behind(label, text if text.strip() else "(no output)", limits.tool_result)
        case _:
            return _behind("", words(part), None)


def _behind(label: str, text: str, limit: int | None) -> str:
    return f"{label}{content(text, LABELS, limit)}" if text.strip() else ""


def _id(call_id: str, is_named: bool) -> str:
    return f" #{content(call_id.strip() or '?', LABELS)}" if is_named else ""


ROLE_HEADS = Rendering(_entries, LABELS, BRIEF_LIMITS)
