"""The last step of every reader: mark summaries, turn worded results into results, record what a person typed."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module

from msgspec.structs import replace

from compact_chat.cancel import checkpoint
from compact_chat.chat import Message, Part, Text, ToolCall, WordedResult, result_text
from compact_chat.read.answers import said, sent_with
from compact_chat.text import is_summary_text, line_feeds, opening_end, without_ours
from compact_chat.tools import FORMATS, Tool, tool_named, tool_of

Typed = Callable[[Sequence[str]], list[str]]

# A command of Claude Code, identified by the words that the person typed behind it.
_COMMAND_WORDS = re.compile(r"<command-args>((?:(?!</command-args>).){1,20000})</command-args>", re.DOTALL)

# How Cline begins a result, and which of them are errors: its text has no error flag.
_HEAD = re.compile(r"\s*+\[([a-z_]{2,60})(?= for '|\])")
_RESULT = "] Result:"
_FAILURES = ("The tool execution failed", "[ERROR]", "Error executing ", "The user denied this operation")


def with_summary_marked(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Mark the first message that is neither the system's nor the host's if it begins with an earlier summary of ours.

    A summary is one in its wrapper (rules P23 and J2), or a message that opened this chat (rule C1), from which the
    words that were typed behind it are parted.
    """
    first = next((at for at, one in enumerate(messages) if one.role != "system" and not one.by_host), None)
    if first is None or (message := messages[first]).role != "user":
        return messages
    match message.parts:
        case (Text(words), *_) if is_summary_text(words):
            parts = message.parts
        case (Text(words), *others) if end := opening_end(words):
            behind = words[end:].strip()
            parts = (Text(words[:end].rstrip()), *((Text(behind),) if behind else ()), *others)
        case _:
            return messages
    return (*messages[:first], replace(message, parts=parts, is_summary=True), *messages[first + 1 :])


def resolved(messages: Iterable[Message], format_name: str | None) -> Iterator[Message]:
    """Record what a person said in each message (rule G8), and make worded results of texts that answer earlier calls.

    Without a format, typed words are not noted.
    """
    steps = _typed_steps(format_name) if format_name else ()
    calls: Sequence[ToolCall] = ()
    asked: dict[str, ToolCall] = {}
    for message in messages:
        checkpoint()
        asked.update((call.id, call) for call in message.calls)
        if message.role == "user":
            if format_name:
                message = _with_typed(message, list(map(line_feeds, message.texts)), steps)
                message = _with_answers(message, asked, tool_named(tool_of(format_name)))
            if calls and not message.is_summary:
                message = _with_results(message, calls)
        yield message
        calls = message.calls if message.role == "assistant" else ()


@cache
def _typed_steps(format_name: str) -> tuple[Typed, ...]:
    """Load what tells typed words apart in a format; one of no tool may hold the wrappers of any."""
    readers = {one.name: one.reader for one in FORMATS.values() if "typed_texts" in one.optional}
    names = (readers[format_name],) if format_name in readers else readers.values()
    modules = (import_module(f"compact_chat.read.{name}") for name in names)
    return tuple(dict.fromkeys(module.typed_texts for module in modules))


def _with_typed(message: Message, texts: Sequence[str], steps: Sequence[Typed]) -> Message:
    """Record a person's words, unless they are just the texts without surrounding space."""
    if message.by_host:
        found = [words[1].strip() for words in map(_COMMAND_WORDS.search, texts) if words]
        return replace(message, typed=tuple(found)) if found else message
    own: Sequence[str]
    if message.typed is not None:  # by the reader
        own = [without_ours(line_feeds(words)) for words in message.typed]
    else:
        own = [words for text in texts if (words := without_ours(text))]
        if message.is_summary and len(own) == len(texts):
            own = texts[1:]
        for step in steps:
            own = step(own)
    found, usual = ([words for text in some if (words := text.strip())] for some in (own, texts))
    typed = None if found == usual else tuple(found)
    return message if typed == message.typed else replace(message, typed=typed)


def _with_answers(message: Message, asked: Mapping[str, ToolCall], tool: Tool) -> Message:
    """Record what a person says in results, before what they typed; what a command printed may read like that.

    Only messages as they were sent to a model have results to which a host added a person's words: no tool's files.
    """
    found: list[str] = []
    for result in message.results:
        text = line_feeds(result_text(result))
        found += said(text, asked.get(result.call_id), result.is_error, tool)
        found += filter(None, [] if tool.name else [sent_with(text)])
    if not found:
        return message
    return replace(message, typed=(*found, *(message.typed_text,) * bool(message.typed_text)))


def _with_results(message: Message, calls: Sequence[ToolCall]) -> Message:
    """Make worded results from texts that name the tool of an unanswered call."""
    if not any(map(_answering, message.parts)):
        return message
    answered = {result.call_id for result in message.results}
    waiting: defaultdict[str, deque[ToolCall]] = defaultdict(deque)
    for call in calls:
        if call.id not in answered:
            waiting[call.name].append(call)
    parts: list[Part] = []
    rest = deque(message.parts)
    while rest:
        part = rest.popleft()
        if not (isinstance(part, Text) and (queue := waiting.get(_answering(part)))):
            parts.append(part)
            continue
        content, answer = [part], part.text.partition(_RESULT)[2]
        if not answer.strip() and rest and isinstance(rest[0], Text) and not _answering(rest[0]):
            content.append(rest[0])  # the head is a text of its own, and the answer is the next
            answer = rest[0].text
            rest.popleft()
        failed = answer.lstrip().startswith(_FAILURES)
        parts.append(WordedResult(queue.popleft().id, tuple(content), failed, as_text=True))
    return replace(message, parts=tuple(parts))


def _answering(part: Part) -> str:
    """Return the tool whose result a text is, if any."""
    head = _HEAD.match(part.text) if isinstance(part, Text) else None
    return head[1] if head and _RESULT in head.string else ""
