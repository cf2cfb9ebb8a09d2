"""Results that a host told in words: Cline writes `[read_file for 'a.py'] Result:` where others have a part for it."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from compact_chat.cancel import checkpoint
from compact_chat.chat import Message, Part, Text, ToolCall, ToolResult

_HEAD = re.compile(r"\s*+\[([a-z_]{2,60})(?= for '|\])")
_RESULT = "] Result:"
_FAILURES = ("The tool execution failed", "[ERROR]", "Error executing ", "The user denied this operation")


def with_told_results(messages: Iterable[Message]) -> Iterator[Message]:
    """The chat with a result in the place of each text that tells one of a call in the message before it."""
    calls: Sequence[ToolCall] = ()
    for message in messages:
        checkpoint()
        yield _with_results(message, calls) if calls and _tells(message) else message
        calls = message.calls if message.role == "assistant" else ()


def _tells(message: Message) -> bool:
    return message.role == "user" and any(map(_told_tool, message.parts))


def _with_results(message: Message, calls: Sequence[ToolCall]) -> Message:
    answered = {result.call_id for result in message.results}
    waiting: defaultdict[str, deque[ToolCall]] = defaultdict(deque)
    for call in calls:
        if call.id not in answered:
            waiting[call.name].append(call)
    parts: list[Part] = []
    rest = deque(message.parts)
    while rest:
        part = rest.popleft()
        if isinstance(part, Text) and (queue := waiting.get(_told_tool(part))):
            parts.append(_result(queue.popleft(), part, rest))
        else:
            parts.append(part)
    told = tuple(parts)
    return message if told == message.parts else replace(message, parts=told, raw=None)


def _result(call: ToolCall, told: Text, rest: deque[Part]) -> ToolResult:
    """The result of a call; where its head stands alone, the text behind it is the answer."""
    answer = told.text.partition(_RESULT)[2]
    content = [told]
    if not answer.strip() and rest and isinstance(rest[0], Text) and not _told_tool(rest[0]):
        content.append(rest[0])
        answer = rest[0].text
        rest.popleft()
    failed = answer.lstrip().startswith(_FAILURES)
    return ToolResult(call.id, (Text("\n".join(text.text for text in content)),), failed, as_text=True)


def _told_tool(part: Part) -> str:
    """The tool whose result a text tells, if it tells one."""
    head = _HEAD.match(part.text) if isinstance(part, Text) else None
    return head[1] if head and _RESULT in head.string else ""
