"""A chat as a labelled transcript that a model can read."""

from __future__ import annotations

import json
import math
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, groupby, islice
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from compact_chat.cancel import checkpoint
from compact_chat.chat import (
    JsonObject,
    Message,
    Part,
    PartPlace,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    find_links,
    result_text,
    words,
)
from compact_chat.facts import summary_parts, without_records
from compact_chat.text import escape_labels, escape_tags, line_feeds, strip_summary_wrappers

# Cut a text in its middle, so that its beginning and its end survive.


def clip(text: str, limit: int | None) -> str:
    """The text, or if longer than `limit`, its first three quarters and its end around a marker (rule T6)."""
    if limit is None or len(text) <= limit:
        return text
    head = limit * 3 // 4
    tail = limit - head
    marker = f"\n[... {len(text) - limit} characters omitted ...]\n"
    clipped = text[:head] + marker + text[len(text) - tail :]
    return clipped if len(clipped) < len(text) else text


# The arguments of a tool call as compact JSON that is valid however much of it is cut.


_MOST_VALUES = 100
_MOST_BITS = 1024  # Beyond it a number is infinite to most readers of JSON.


def arguments_json(given: JsonObject, limit: int) -> str:
    """The arguments as JSON; over the limit long strings are clipped, and at last values left out (rule T4)."""
    whole = _whole(given)
    if whole is not None and len(whole) <= limit:
        return whole
    shorter = "{}"
    for values, cap in _steps(limit):
        shorter = _compact(_shortened(given, values, cap))
        if len(shorter) <= limit:
            break
    return shorter


def _whole(given: JsonObject) -> str | None:
    """All of the arguments, unless they are nested too deeply or hold numbers that JSON lacks."""
    try:
        return _compact(given)
    except (RecursionError, ValueError):
        return None


def _compact(given: JsonObject) -> str:
    return json.dumps(given, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _steps(limit: int) -> Iterator[tuple[int, int]]:
    """How many values to keep and how long a string may be, harder from step to step."""
    cap, values = limit, _MOST_VALUES
    while cap:
        yield values, cap
        cap = cap * 3 // 4
    while values:
        yield values, 0
        values //= 2
    yield 0, 0


def _shortened(given: JsonObject, values: int, cap: int) -> JsonObject:
    """A copy of the first values, outer levels first, that says how many it leaves out; no recursion."""
    copy: JsonObject = {}
    waiting: deque[tuple[Any, Any]] = deque([(given, copy)])
    while waiting:
        source, twin = waiting.popleft()
        members = list(islice(_members(source), values))
        values -= len(members)
        for key, value in members:
            short = _short(value, cap)
            _add(twin, clip(key, cap), short)
            if isinstance(short, dict | list):
                waiting.append((value, short))
        if left := len(source) - len(members):
            _add(twin, "...", f"[... {left} entries omitted ...]")
    return copy


def _members(source: dict[str, Any] | list[Any]) -> Iterable[tuple[str, Any]]:
    return source.items() if isinstance(source, dict) else (("", item) for item in source)


def _short(value: object, cap: int) -> object:
    """A scalar that JSON can hold, or an empty container to be filled."""
    match value:
        case str(text):
            return clip(text, cap)
        case float(number) if not math.isfinite(number):
            return None
        case int(number) if number.bit_length() > _MOST_BITS:
            return None
        case dict():
            return {}
        case list():
            return []
        case _:
            return value


def _add(container: dict[str, Any] | list[Any], key: str, value: object) -> None:
    if isinstance(container, dict):
        container[key] = value
    else:
        container.append(value)


# How long the entries of a transcript may be, and how they are shortened step by step (rule T8).


class Limits(Struct, frozen=True):
    """The most characters of each kind of entry; None is no limit, and thinking of 0 is left out."""

    tool_result: int = 2000
    arguments: int = 500
    thinking: int = 500
    assistant: int | None = None
    user: int | None = None
    other: int | None = None  # system texts and earlier summaries, which stay whole as long as that is possible

    def of(self, role: Role) -> int | None:
        """The limit of what someone in this role says."""
        return {"user": self.user, "assistant": self.assistant}.get(role, self.other)


DEFAULT_LIMITS = Limits()
NO_LIMITS = Limits(tool_result=2**53, arguments=2**53, thinking=2**53)

_STEPS: tuple[dict[str, Any], ...] = (
    {"tool_result": 500},
    {"thinking": 0},
    {"arguments": 200},
    {"assistant": 2000},
    {"user": 4000},
)
_LEAST = (2000, 1000, 500, 250, 125, 60)


def shrinking(usual: Limits) -> tuple[Limits, ...]:
    """The usual limits, and what they become from step to step; none of them grows."""
    return tuple(accumulate(_STEPS, _tightened, initial=usual))


def squeezing(limits: Limits) -> tuple[Limits, ...]:
    """Harder limits for what does not fit alone: one for entries of every kind."""
    return tuple(_tightened(limits, dict.fromkeys(asdict(limits), most)) for most in _LEAST)


def _tightened(limits: Limits, most: dict[str, int]) -> Limits:
    known = asdict(limits)
    return replace(limits, **{name: n if known[name] is None else min(n, known[name]) for name, n in most.items()})


# What the three renderings of a chat have in common: content that stays content, and a length that is kept.


_SLACK = 8  # A cut adds at most that much: a digit to its marker, a guard to a label, an escape to a tag that it made.


class Rendering(Struct, frozen=True):
    """One way to show a chat as text: its entries, what begins a line of its own, and its usual limits."""

    entries: Callable[[Sequence[Message], Limits], Iterator[str]]
    labels: re.Pattern[str]
    usual: Limits = Limits()

    def text(self, messages: Sequence[Message], limits: Limits) -> str:
        """All entries with a blank line between them, and no tag of ours in them (rule T10)."""
        return escape_tags("\n\n".join(self.entries(messages, limits)))

    def within(self, messages: Sequence[Message], limits: Limits, room: int) -> str:
        """The same, cut in its middle where it has more characters than there is room for (rule T6)."""
        return squeezed("\n\n".join(self.entries(messages, limits)), room, self.labels)


def marked_parts(message: Message) -> Iterator[tuple[Part, bool]]:
    """The parts of a message, each with whether it is the summary of what came before (rule P23)."""
    checkpoint()
    summaries = summary_parts(message)
    return ((part, isinstance(part, Text) and part in summaries) for part in message.parts)


def content(text: str, labels: re.Pattern[str], limit: int | None = None) -> str:
    """Content of the chat, cut to its limit and then kept from passing for a label (rules T6 and T11)."""
    return escape_labels(clip(line_feeds(text), limit), labels)


def squeezed(text: str, room: int, labels: re.Pattern[str]) -> str:
    """A text whose labels are guarded, cut so that it fits with its tags escaped; what is cut makes no new label."""
    limit = room
    shown = escape_tags(_cut(text, limit, labels))
    while len(shown) > room and limit:
        limit = max(0, limit - (len(shown) - room) - _SLACK)
        shown = escape_tags(_cut(text, limit, labels))
    return shown


def _cut(text: str, limit: int, labels: re.Pattern[str]) -> str:
    clipped = clip(text, limit)
    if clipped is text:
        return text
    start = len(clipped) - (limit - limit * 3 // 4)
    head, tail = clipped[:start], clipped[start:]
    if text[: len(text) - len(tail)].endswith("\n"):
        return clipped
    first, feed, rest = tail.partition("\n")
    return f"{head}{escape_labels(first, labels)}{feed}{rest}"


# A chat as numbered messages, for the structured style.


END_MARKER = "--- End of Original Conversation ---"
_CALLS, _RESULT, _ERROR = "**Tool Calls:**", "**Tool Result:**", "**Tool Error:**"
_THINKING, _SUMMARY = "**Thinking:**", "**Previous Summary:**"
LABELS_NUMBERED = re.compile(
    r"###[^\S\n]*message\b|##[^\S\n]*original[^\S\n]+conversation\b|---[^\S\n]*end[^\S\n]+of[^\S\n]+original[^\S\n]+conversation"
    r"|\*\*[^\S\n]*(?:tool[^\S\n]+(?:calls?|result|error)|thinking|previous[^\S\n]+summary)[^\S\n]*:",
    re.IGNORECASE,
)


def _entries_numbered(messages: Sequence[Message], limits: Limits) -> Iterator[str]:
    """Each message under its number; one that shows nothing has none (rule T15)."""
    number = 0
    for message in messages:
        if shown := "\n\n".join(_shown_numbered(message, limits)):
            number += 1
            yield f"### Message {number} [{speaker(message).upper()}]\n\n{shown}"


def speaker(message: Message) -> str:
    """The role; `tool` where a user's message holds nothing but results of tools (rule G1)."""
    only_results = bool(message.parts) and all(isinstance(part, ToolResult) for part in message.parts)
    return "tool" if message.role == "user" and only_results else message.role


def _shown_numbered(message: Message, limits: Limits) -> Iterator[str]:
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
            return content(text, LABELS_NUMBERED, limits.of(role)) if text.strip() else ""
        case Thinking(text):
            return _under(_THINKING, text, limits.thinking) if limits.thinking else ""
        case ToolResult(is_error=failed):
            text = result_text(part)
            return _under(_ERROR if failed else _RESULT, text if text.strip() else "(no output)", limits.tool_result)
        case ToolCall(name=name, input=given):
            called = content(name.strip() or "unknown", LABELS_NUMBERED)
            return f"- `{called}`: {arguments_json(given, limits.arguments)}"
        case _:
            return content(words(part), LABELS_NUMBERED)


def _under(label: str, text: str, limit: int | None) -> str:
    return f"{label}\n{content(text, LABELS_NUMBERED, limit)}" if text.strip() else ""


NUMBERED = Rendering(_entries_numbered, LABELS_NUMBERED)


# A chat as messages under their roles, for the brief style.


BRIEF_LIMITS = Limits(tool_result=500, thinking=200)
LABELS_HEADS = re.compile(
    r"\[[^\S\n]*(?:user|assistant|system|tool)[^\S\n]*\]|\([^\S\n]*thinking[^\S\n]*:"
    r"|tool[^\S\n]+(?:call|result|error)\b[^\n:]{0,200}:|previous[^\S\n]+summary[^\S\n]*:",
    re.IGNORECASE,
)


def _entries_heads(messages: Sequence[Message], limits: Limits) -> Iterator[str]:
    """Each message under its role; one that shows nothing is left out (rule T16)."""
    named = _named(messages)
    for index, message in enumerate(messages):
        lines = (
            _shown_heads(part, message.role, is_summary, (index, number) in named, limits)
            for number, (part, is_summary) in enumerate(marked_parts(message))
        )
        shown = list(filter(None, lines))
        if shown:
            yield "\n".join((f"[{speaker(message)}]", *shown))


def _named(messages: Sequence[Message]) -> frozenset[PartPlace]:
    """The calls that are open while another one is, and their results: only an id tells them apart."""
    links = find_links(messages)
    named: set[PartPlace] = set()
    open_calls: set[PartPlace] = set()
    for place in sorted((*links.answers, *links.answers.values())):
        if place in links.answers:
            open_calls.discard(links.answers[place])
            continue
        open_calls.add(place)
        if len(open_calls) > 1:
            named |= open_calls if len(open_calls) == 2 else {place}
    results = {result for result, call in (links.answers | links.repeats).items() if call in named}
    return frozenset(named | results)


def _shown_heads(part: Part, role: Role, is_summary: bool, is_named: bool, limits: Limits) -> str:
    match part:
        case Text(text) if is_summary:
            return _behind("Previous summary: ", strip_summary_wrappers(text), limits.other)
        case Text(text):
            return _behind("", text, limits.of(role))
        case Thinking(text):
            shown = _behind("(thinking: ", text, limits.thinking) if limits.thinking else ""
            return f"{shown})" if shown else ""
        case ToolCall(call_id, name, given):
            called = content(name.strip() or "unknown", LABELS_HEADS)
            return f"Tool call{_id(call_id, is_named)}: {called} input: {arguments_json(given, limits.arguments)}"
        case ToolResult(call_id, is_error=failed):
            label = f"Tool {'error' if failed else 'result'}{_id(call_id, is_named)}: "
            text = result_text(part)
            return _behind(label, text if text.strip() else "(no output)", limits.tool_result)
        case _:
            return _behind("", words(part), None)


def _behind(label: str, text: str, limit: int | None) -> str:
    return f"{label}{content(text, LABELS_HEADS, limit)}" if text.strip() else ""


def _id(call_id: str, is_named: bool) -> str:
    return f" #{content(call_id.strip() or '?', LABELS_HEADS)}" if is_named else ""


ROLE_HEADS = Rendering(_entries_heads, LABELS_HEADS, BRIEF_LIMITS)


# The summary of what came before: found where a chat begins with it, and made fit for its frame (rule P23).


def opening_summary(messages: tuple[Message, ...]) -> tuple[str, tuple[Message, ...]]:
    """The summary that the first message which is not the system's begins with, and the chat without its words."""
    place = next((place for place, message in enumerate(messages) if message.role != "system"), None)
    if place is None or not messages[place].parts:
        return "", messages
    first, *rest = messages[place].parts
    if not isinstance(first, Text) or first not in summary_parts(messages[place]):
        return "", messages
    opened = replace(messages[place], parts=tuple(rest), is_summary=False)
    return strip_summary_wrappers(first.text), (*messages[:place], opened, *messages[place + 1 :])


def shown_summary(text: str, room: int, rendering: Rendering) -> str:
    """A summary as it stands in its frame: guarded, and without the records of files, which have their own place."""
    return squeezed(content(without_records(text), rendering.labels), room, rendering.labels)


# A chat as a labelled transcript that a model can read.


_NAMES = {"user": "User", "assistant": "Assistant", "system": "System"}
# The labels of the entries, and what else begins a line of ours in a message that opens the next chat (rules C8, C10).
LABELS_TRANSCRIPT = re.compile(
    r"\[[^\S\n]*(?:(?:user|assistant(?:[^\S\n]+thinking)?|system|previous[^\S\n]+summary)[^\S\n]*\][^\S\n]*:"
    r"|tool[^\S\n]+(?:call|result|error)\b|system[^\S\n]*:)"
    r"|##[^\S\n]*(?:recent|earlier)[^\S\n]+messages\b",
    re.IGNORECASE,
)


def write_transcript(messages: Sequence[Message], limits: Limits = DEFAULT_LIMITS) -> str:
    """Every block of every message under its label, a blank line between entries (rules T1 to T7, T10 and T11)."""
    return LABELLED.text(messages, limits)


def message_text(message: Message) -> str:
    """All of one message, its words without the label of who speaks (rules T2 to T5, T7, T10 and T11)."""
    shown = (_unlabelled(part, message.role, is_summary) for part, is_summary in marked_parts(message))
    return escape_tags("\n\n".join(filter(str.strip, shown)))


def _entries_transcript(messages: Sequence[Message], limits: Limits) -> Iterator[str]:
    for message in messages:
        shown = (
            _shown_transcript(part, message.role, is_summary, limits) for part, is_summary in marked_parts(message)
        )
        yield from filter(None, shown)


def _shown_transcript(part: Part, role: Role, is_summary: bool, limits: Limits) -> str:
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
            return content(strip_summary_wrappers(text) if is_summary else text, LABELS_TRANSCRIPT)
        case Thinking() | ToolCall() | ToolResult():
            return _shown_transcript(part, role, is_summary, NO_LIMITS)
        case _:
            return content(words(part), LABELS_TRANSCRIPT)


def _labelled(label: str, text: str, limit: int | None) -> str:
    """The text behind its label, or nothing where there is nothing to label."""
    return f"[{label}]: {content(text, LABELS_TRANSCRIPT, limit)}" if text.strip() else ""


def _reference(call_id: str) -> str:
    return f"#{_in_label(call_id) or '?'}"


def _in_label(name: str) -> str:
    """A name on one line: what stands behind it in the label makes a label of no line of its own."""
    return content(" ".join(name.split()), LABELS_TRANSCRIPT)


LABELLED = Rendering(_entries_transcript, LABELS_TRANSCRIPT)
