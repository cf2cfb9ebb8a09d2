"""The last step of every reader: summaries marked, results in words made results, a person's words told apart."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module

from msgspec.structs import replace

from compact_chat.cancel import checkpoint
from compact_chat.chat import Message, Part, Text, ToolCall, WordedResult
from compact_chat.text import is_summary_text, line_feeds
from compact_chat.tools import FORMATS

Typed = Callable[[Sequence[str]], list[str]]

# A command of Claude Code, by the words that the person typed behind it.
_COMMAND_WORDS = re.compile(r"<command-args>((?:(?!</command-args>).){1,20000})</command-args>", re.DOTALL)

# How Cline begins a result, and the results that are errors: its text has no flag for that.
_HEAD = re.compile(r"\s*+\[([a-z_]{2,60})(?= for '|\])")
_RESULT = "] Result:"
_FAILURES = ("The tool execution failed", "[ERROR]", "Error executing ", "The user denied this operation")


def with_summary_marked(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Mark the first message behind the system's if its first text is an earlier summary (rules P23 and J2)."""
    first = next((place for place, message in enumerate(messages) if message.role != "system"), None)
    if first is None or messages[first].role != "user" or not messages[first].parts:
        return tuple(messages)
    opening = messages[first].parts[0]
    if not isinstance(opening, Text) or not is_summary_text(opening.text):
        return tuple(messages)
    return (*messages[:first], replace(messages[first], is_summary=True), *messages[first + 1 :])


def resolved(messages: Iterable[Message], format_name: str) -> Iterator[Message]:
    """Note what a person typed in each message, and make worded results of texts that answer the calls before them."""
    typed = _typed_by(format_name)
    calls: Sequence[ToolCall] = ()
    for message in messages:
        checkpoint()
        if message.role == "user":
            message = _with_results(_with_typed(message, typed), calls)
        yield message
        calls = message.calls if message.role == "assistant" else ()


def _typed_by(format_name: str) -> Typed:
    """The function that finds a person's words; for a format of no tool, those of all tools one after the other."""
    known = {one.name: one.reader for one in FORMATS.values() if "typed_texts" in one.optional}
    names = (known[format_name],) if format_name in known else dict.fromkeys(known.values())
    steps: list[Typed] = [import_module(f"compact_chat.read.{name}").typed_texts for name in names]

    def typed(texts: Sequence[str]) -> list[str]:
        for step in steps:
            texts = step(texts)
        return [words for text in texts if (words := text.strip())]

    return typed


def _with_typed(message: Message, typed: Typed) -> Message:
    if message.typed is not None:  # the reader found it beside the texts
        return message
    texts = [line_feeds(text) for text in message.texts]
    if message.by_host:
        found = [words[1].strip() for words in map(_COMMAND_WORDS.search, texts) if words]
        usual = []
    else:
        summaries = {place for place, text in enumerate(texts) if is_summary_text(text)}
        if not summaries and message.is_summary:
            summaries = {0}
        own = [text for place, text in enumerate(texts) if place not in summaries]
        found, usual = typed(own), [words for text in texts if (words := text.strip())]
    noted = None if found == usual else tuple(found)
    return message if message.typed == noted else replace(message, typed=noted)


def _with_results(message: Message, calls: Sequence[ToolCall]) -> Message:
    """Make worded results of texts that name the tool of an unanswered call; a summary stays a text."""
    if not calls or message.is_summary or not any(map(_answering, message.parts)):
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
            content.append(rest[0])  # the head stands alone, and the answer is the next text
            answer = rest[0].text
            rest.popleft()
        failed = answer.lstrip().startswith(_FAILURES)
        parts.append(WordedResult(queue.popleft().id, tuple(content), failed, as_text=True))
    return replace(message, parts=tuple(parts))


def _answering(part: Part) -> str:
    """The tool that a text tells the result of, if any."""
    head = _HEAD.match(part.text) if isinstance(part, Text) else None
    return head[1] if head and _RESULT in head.string else ""
