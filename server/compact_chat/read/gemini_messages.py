"""The records of a Gemini CLI session become messages: a reply holds its calls, and their results too."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Sequence

from msgspec.structs import replace

from compact_chat.chat import JsonObject, Message, Part, Text, ToolCall, ToolResult, Usage
from compact_chat.read.counts import tokens
from compact_chat.read.gemini_host import is_summary, typed_texts
from compact_chat.read.gemini_parts import part_of, raw_parts, result_parts
from compact_chat.read.lenient import fields, objects, word
from compact_chat.read.records import stable_ids

KINDS = ("user", "gemini")  # the records that are sent
_COMMAND = re.compile(r"\s*+/(?![/*])")  # how messages begin that are meant for Gemini CLI itself, and never sent
_FAILED = ("error", "cancelled")
Waiting = defaultdict[str, deque[str]]  # the ids of calls that have none of their own, by the names of the tools


def messages_of(records: Sequence[JsonObject]) -> list[Message]:
    """Decode the messages that are sent, each reply with the results of its calls behind it."""
    names = stable_ids([word(record.get("id")) for record in records])
    answered = {result.call_id for record in records if record["type"] == "user" for result in _results_in(record)}
    waiting: Waiting = defaultdict(deque)
    messages: list[Message] = []
    for record, name in zip(records, names, strict=True):
        if record["type"] == "user":
            messages.append(_asked(record, name, waiting))
        else:
            messages += (_reply(record, name, waiting), _answers(record, name, answered))
    return [message for message in messages if message.parts and not _is_command(message)]


def _is_command(message: Message) -> bool:
    first = message.parts[0]
    return message.role == "user" and isinstance(first, Text) and bool(_COMMAND.match(first.text))


def _results_in(record: JsonObject) -> Iterator[ToolResult]:
    parts = (part_of(part) for part in raw_parts(record.get("content")) if "functionResponse" in part)
    return (part for part in parts if isinstance(part, ToolResult) and part.call_id)


def _asked(record: JsonObject, name: str, waiting: Waiting) -> Message:
    parts = tuple(_matched(part, waiting) for part in raw_parts(record.get("content")))
    sent = tuple(part for part in parts if part is not None)
    texts = [part.text for part in sent if isinstance(part, Text)]
    summary = bool(texts) and is_summary(texts[0])
    return Message(name, "user", sent, is_summary=summary, by_host=bool(texts) and not typed_texts(texts))


def _matched(raw: JsonObject, waiting: Waiting) -> Part | None:
    """A result without an id answers the oldest call of its tool."""
    part = part_of(raw)
    tool = word(fields(raw.get("functionResponse")).get("name"))
    if isinstance(part, ToolResult) and not part.call_id and waiting[tool]:
        return replace(part, call_id=waiting[tool].popleft())
    return part


def _reply(record: JsonObject, name: str, waiting: Waiting) -> Message:
    """The words and calls of a reply: newer versions write a call twice, among the words and beside them."""
    beside = [_call(call) for call in objects(record.get("toolCalls"))]
    ids: Waiting = defaultdict(deque)
    parts = [part for part in map(part_of, raw_parts(record.get("content"))) if part is not None]
    known = {part.id for part in parts if isinstance(part, ToolCall)}
    for call in beside:
        if call.id not in known:
            ids[call.name].append(call.id)
    named = [_identified(part, f"{name}.{number}", ids, waiting) for number, part in enumerate(parts)]
    known = {part.id for part in named if isinstance(part, ToolCall)}
    more = (call for call in beside if call.id not in known)
    return Message(name, "assistant", (*named, *more), usage=_usage(record))


def _identified(part: Part, name: str, ids: Waiting, waiting: Waiting) -> Part:
    """Give a call without an id that of the same call beside the words, else one of ours."""
    if not isinstance(part, ToolCall) or part.id:
        return part
    if ids[part.name]:
        return replace(part, id=ids[part.name].popleft())
    waiting[part.name].append(name)
    return replace(part, id=name)


def _call(call: JsonObject) -> ToolCall:
    return ToolCall(word(call.get("id")), word(call.get("name")), fields(call.get("args")))


def _answers(record: JsonObject, name: str, answered: Collection[str]) -> Message:
    """The results that only the calls hold; calls made at once may hold the results of all."""
    results: dict[str, ToolResult] = {}
    others: list[Part] = []
    last: object = None
    for call in objects(record.get("toolCalls")):
        if call.get("result") is not None and call["result"] != last:
            last = call["result"]
            found, more = _results_of(call)
            others += more
            for result in found:
                results.setdefault(result.call_id, result)
    given = [result for call_id, result in results.items() if call_id not in answered]
    return Message(f"{name}.results", "user", (*given, *others) if given else ())


def _results_of(call: JsonObject) -> tuple[list[ToolResult], list[Part]]:
    """The results that a call holds, and what was sent with them."""
    raw = raw_parts(call.get("result"))
    name, failed = word(call.get("id")), call.get("status") in _FAILED
    found = [part for part in map(part_of, raw) if isinstance(part, ToolResult)]
    rest = result_parts(raw)
    if not found:
        return [ToolResult(name, rest, failed, as_text=isinstance(call.get("result"), str))], []
    own = [replace(result, call_id=result.call_id or name) for result in found]
    return [replace(one, is_error=one.is_error or (failed and one.call_id == name)) for one in own], list(rest)


def _usage(record: JsonObject) -> Usage | None:
    told = fields(record.get("tokens"))
    prompt, thought = tokens(told.get("input")), tokens(told.get("thoughts"))
    output = tokens(told.get("output")) + thought
    return Usage(prompt, output, word(record.get("model")), reasoning_tokens=thought) if prompt else None
