"""Trajectories of SWE-agent: the history of a run, and what of it was sent with the last call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from compact_chat.chat import Chat, JsonObject, Message, Part, Role, Text, Thinking, ToolCall
from compact_chat.read.blocks import arguments_of, parts_of, result_of
from compact_chat.read.json_text import parse
from compact_chat.read.lenient import fields, objects, word
from compact_chat.read.own_ids import with_own_ids
from compact_chat.read.records import left_out, title_of
from compact_chat.read.source import Source
from compact_chat.read.summaries import with_summary_marked

_NAME = "swe-agent"
_ROLES: dict[str, Role] = {"system": "system", "user": "user", "assistant": "assistant", "tool": "user"}
_KEYS = frozenset({"agent", "message_type"})


def sniff(source: Source) -> bool:
    """Whether the source is one object with the history of an agent."""
    document = {} if source.strict else fields(source.document)
    entries = [entry for entry in objects(document.get("history")) if word(entry.get("role")) in _ROLES]
    is_run = isinstance(document.get("trajectory"), list) and isinstance(document.get("info"), dict)
    return bool(entries) and (is_run or not all(map(_KEYS.isdisjoint, entries)))


def read(source: Source) -> Chat:
    """Read what the next call would be sent."""
    document = fields(source.document)
    history = document.get("history")
    entries = history if isinstance(history, list) else []
    faults = [f"$.history[{place}] is no message" for place, entry in enumerate(entries) if not _is_entry(entry)]
    setup = _setup(document)
    task = fields(setup.get("problem_statement"))
    return Chat(
        format=_NAME,
        tool=_NAME,
        messages=with_summary_marked(with_own_ids(_with_origins(_messages(_live(document, entries))))),
        model=word(fields(fields(setup.get("agent")).get("model")).get("name")) or None,
        title=title_of(word(task.get("id"))),
        warnings=left_out(faults),
    )


def _is_entry(entry: object) -> bool:
    return word(fields(entry).get("role")) in _ROLES


def _setup(document: JsonObject) -> JsonObject:
    """The settings of the run, which newer versions write as a string."""
    stored = document.get("replay_config")
    try:
        return fields(parse(stored) if isinstance(stored, str) else stored)
    except (ValueError, RecursionError):
        return {}


def _live(document: JsonObject, entries: Sequence[object]) -> list[tuple[int, JsonObject]]:
    """The entries that are sent, with their places: those of the main agent, older ones as the last call had them."""
    main = next((fields(entry).get("agent") for entry in entries if _is_entry(entry)), None)
    own = [
        (place, fields(entry))
        for place, entry in enumerate(entries)
        if _is_entry(entry) and fields(entry).get("agent", main) == main
    ]
    last = next((number for number in reversed(range(len(own))) if own[number][1]["role"] == "assistant"), 0)
    sent = list(filter(_is_entry, _last_query(document)))
    return [*_as_sent(own[:last], sent), *own[last:]] if sent and last else own


def _last_query(document: JsonObject) -> list[JsonObject]:
    steps = objects(document.get("trajectory"))
    newest = steps[-1] if steps else {}
    return objects(newest.get("query")) or objects(newest.get("messages"))


def _as_sent(before: Sequence[tuple[int, JsonObject]], sent: Sequence[JsonObject]) -> list[tuple[int, JsonObject]]:
    """What was sent is what was there, unless entries were left out: then it stands for itself."""
    if len(sent) == len(before):
        return [(place, {**entry, **query}) for (place, entry), query in zip(before, sent, strict=True)]
    return list(enumerate(sent))


def _messages(live: Sequence[tuple[int, JsonObject]]) -> Iterator[Message]:
    for place, entry in live:
        yield Message(f"m{place}", _ROLES[entry["role"]], tuple(_parts(entry)), by_host=entry.get("is_demo") is True)


def _parts(entry: JsonObject) -> Iterator[Part]:
    if entry["role"] == "tool":
        ids = entry.get("tool_call_ids")
        named = ids[0] if isinstance(ids, list) and ids else None
        yield result_of(entry.get("tool_call_id") or named, entry.get("content"))
        return
    for block in objects(entry.get("thinking_blocks")):
        yield Thinking(word(block.get("thinking")))
    yield from parts_of(entry.get("content"))
    for call in objects(entry.get("tool_calls")):
        function = fields(call.get("function"))
        yield ToolCall(word(call.get("id")), word(function.get("name")), arguments_of(function.get("arguments")))


def _with_origins(messages: Iterator[Message]) -> Iterator[Message]:
    """What the user says behind the first answer is what the environment showed."""
    answered = False
    for message in messages:
        answered = answered or message.role == "assistant"
        shown = answered and message.role == "user" and any(isinstance(part, Text) for part in message.parts)
        yield replace(message, by_host=message.by_host or shown)
