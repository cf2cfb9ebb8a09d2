"""Sessions of Gemini CLI: one object, or JSON lines that replace, rewind and add; and its saved checkpoints."""

from __future__ import annotations

import json
import re
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import (
    Chat,
    Document,
    Image,
    JsonObject,
    Message,
    Part,
    ResultPart,
    Text,
    ToolCall,
    ToolResult,
    Unknown,
    Usage,
)
from compact_chat.read.loose import fields, left_out, objects, stable_ids, title_of, tokens, word
from compact_chat.read.source import Source
from compact_chat.read.summaries import with_summary_marked

# What Gemini CLI itself says in the user's name: where it works, summaries, and files that were referred to.


_SUMMARY = re.compile(r"\s*+(?:<scratchpad>.*?</scratchpad>\s*+)?<state_snapshot>", re.DOTALL)
_CONTEXT = re.compile(r"\s*+(?:<session_context>|This is the Gemini CLI\. We are setting up the context)")
_FILES = "--- Content from referenced files ---"
_FOLDERS = (
    re.compile(r"- \*\*Workspace Directories:\*\*\n\s{0,8}- ([^\n]{1,4096})"),
    re.compile(r"I'm currently working in the directory: ([^\n]{1,4096})"),
)


def opens_with_summary(record: JsonObject) -> bool:
    """Whether a record is the summary of a compaction."""
    content = record.get("content")
    first = content[0] if isinstance(content, list) and content else content
    return record.get("type") == "user" and is_summary(word(first) or word(fields(first).get("text")))


def is_summary(text: str) -> bool:
    """Whether a text is the summary of a compaction."""
    return bool(_SUMMARY.match(text))


def typed_texts(texts: Sequence[str]) -> list[str]:
    """The words of a person among the texts of one message: files that they refer to stand at its end."""
    end = next((place for place, text in enumerate(texts) if text.strip() == _FILES), len(texts))
    return [text for text in texts[:end] if not is_summary(text) and not _CONTEXT.match(text)]


def workspace_of(texts: Iterable[str]) -> str | None:
    """The folder that the session was held in, as Gemini CLI tells the model."""
    notes = [text for text in texts if _CONTEXT.match(text)]
    found = (folder.search(note) for note in notes for folder in _FOLDERS)
    return next((match[1].strip() for match in found if match), None)


# The parts of a content, as the Gemini API writes them, become parts of ours.


def raw_parts(content: object) -> list[JsonObject]:
    """The parts of a content that is a string, one part, a list of both, or nothing; empty texts are none."""
    items = content if isinstance(content, list) else [content]
    parts = [{"text": item} if isinstance(item, str) else item for item in items]
    return [part for part in parts if isinstance(part, dict) and part.get("text") != ""]


def part_of(part: JsonObject) -> Part | None:
    """Decode one part; None for a thought, which is never sent again."""
    if part.get("thought") is True:
        return None
    reader = next((reader for key, reader in _READERS.items() if key in part), None)
    return reader(part) if reader else Unknown(next(iter(part), "part"), part)


def result_parts(parts: list[JsonObject]) -> tuple[ResultPart, ...]:
    """Decode parts that are the answer of a tool."""
    found = map(part_of, parts)
    return tuple(part for part in found if isinstance(part, Text | Image | Document | Unknown))


def _text(part: JsonObject) -> Part:
    return Text(word(part.get("text")))


def _call_parts(part: JsonObject) -> Part:
    call = fields(part.get("functionCall"))
    return ToolCall(word(call.get("id")), word(call.get("name")), fields(call.get("args")))


def _result(part: JsonObject) -> Part:
    answer = fields(part.get("functionResponse"))
    response = answer.get("response")
    told = fields(response)
    words = told.get("output", told.get("error", response))
    text = words if isinstance(words, str) else _json(words)
    shown = result_parts(objects(answer.get("parts")))
    failed = "error" in told and "output" not in told
    return ToolResult(word(answer.get("id")), (Text(text), *shown), failed, as_text=not shown)


def _json(value: object) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _inline(part: JsonObject) -> Part:
    data = fields(part.get("inlineData"))
    kind = word(data.get("mimeType"))
    if kind.startswith("image/"):
        return Image(kind, word(data.get("data")))
    return Document(word(data.get("displayName")), part)


def _file(part: JsonObject) -> Part:
    data = fields(part.get("fileData"))
    if word(data.get("mimeType")).startswith("image/"):
        return Image(word(data.get("mimeType")), url=word(data.get("fileUri")))
    return Document(word(data.get("displayName")) or word(data.get("fileUri")), part)


_READERS: dict[str, Callable[[JsonObject], Part]] = {
    "text": _text,
    "functionCall": _call_parts,
    "functionResponse": _result,
    "inlineData": _inline,
    "fileData": _file,
}


# The records of a Gemini CLI session become messages: a reply holds its calls, and their results too.


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
    beside = [_call_messages(call) for call in objects(record.get("toolCalls"))]
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


def _call_messages(call: JsonObject) -> ToolCall:
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


# The records of a Gemini CLI session, applied in their order, and the messages that are left of them.


_KINDS_OF_ROLES = {"user": "user", "model": "gemini"}


class Session(Struct, frozen=True):
    """What is told of a session, and the messages that are left of it."""

    about: JsonObject
    messages: list[JsonObject]


def session_of(records: Iterable[JsonObject]) -> Session:
    """Apply the records: each goes back, replaces all messages, tells of the session, or is a message."""
    about: JsonObject = {}
    kept: dict[str, JsonObject] = {}
    for record in records:
        if isinstance(goal := record.get("$rewindTo"), str):
            _rewind(kept, goal)
        elif isinstance(name := record.get("id"), str) and "messages" not in record:
            kept[name] = record
        else:
            told = fields(record.get("$set")) or record
            about |= told
            kept = _replaced(kept, told["messages"]) if isinstance(told.get("messages"), list) else kept
    return Session(about, list(kept.values()))


def checkpoint_records(document: object) -> list[JsonObject]:
    """The turns of a saved checkpoint as records, where the document is one."""
    turns = objects(document.get("history") if isinstance(document, dict) else document)
    if not all(word(turn.get("role")) in _KINDS_OF_ROLES and isinstance(turn.get("parts"), list) for turn in turns):
        return []
    return [
        {"id": f"m{place}", "type": _KINDS_OF_ROLES[turn["role"]], "content": turn["parts"]}
        for place, turn in enumerate(turns)
    ]


def _rewind(kept: dict[str, JsonObject], goal: str) -> None:
    """Drop a message and all behind it; where it is not there, all, as Gemini CLI does."""
    if goal not in kept:
        kept.clear()
    while kept and kept.popitem()[0] != goal:
        pass


def _replaced(before: dict[str, JsonObject], messages: Sequence[object]) -> dict[str, JsonObject]:
    """The new messages by their ids; after a compaction none of them tells of the prompt as it now is."""
    after: dict[str, JsonObject] = {}
    for place, message in enumerate(objects(messages)):
        name = word(message.get("id"))
        after[name if name and name not in after else f"#{place}"] = message
    compacted = before and any(opens_with_summary(message) for name, message in after.items() if name not in before)
    return {name: _unmeasured(message) for name, message in after.items()} if compacted else after


def _unmeasured(message: JsonObject) -> JsonObject:
    return {key: value for key, value in message.items() if key != "tokens"}


# Sessions of Gemini CLI: one object, or JSON lines that replace, rewind and add; and its saved checkpoints.


_NAME = "gemini"


def sniff(source: Source) -> bool:
    """Whether a record is one that Gemini CLI writes, or the whole is a checkpoint of it."""
    if source.strict:
        return False
    return any(map(_is_ours, source.records)) or bool(checkpoint_records(source.document))


def read(source: Source) -> Chat:
    """Replay the records, and read what is left of them."""
    session = session_of(checkpoint_records(source.document) or source.records)
    records = session.messages
    messages = with_summary_marked(messages_of([record for record in records if record.get("type") in KINDS]))
    return Chat(
        format=_NAME,
        tool=_NAME,
        messages=messages,
        model=next(filter(None, (word(record.get("model")) for record in reversed(records))), None),
        title=next(filter(None, _titles(session.about, messages)), None),
        workspace=workspace_of(message.text for message in messages if message.by_host),
        warnings=(*source.damage, *left_out(list(_faults(records)))),
    )


def _is_ours(record: JsonObject) -> bool:
    """Whether a record tells of Gemini: the first line may be missing."""
    changes = fields(record.get("$set"))
    return (
        isinstance(record.get("projectHash"), str)
        or isinstance(record.get("$rewindTo"), str)
        or isinstance(changes.get("messages"), list)
        or (record.get("type") == "gemini" and isinstance(record.get("id"), str))
    )


def _titles(about: JsonObject, messages: Sequence[Message]) -> Iterator[str | None]:
    yield title_of(word(about.get("summary")))
    for message in messages:
        texts = [part.text for part in message.parts if isinstance(part, Text)]
        yield from map(title_of, typed_texts(texts) if message.role == "user" and not message.by_host else ())


def _faults(records: Sequence[JsonObject]) -> Iterator[str]:
    for place, record in enumerate(records):
        if record.get("type") not in KINDS and record.get("type") not in ("info", "error", "warning"):
            yield f"message {place + 1} is of an unknown kind"
