"""Live records of a Claude Code session become messages: one reply is several lines, and so are its results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from msgspec.structs import replace

from compact_chat.chat import JsonObject, Message, Part, Role, Text, ToolResult, Usage
from compact_chat.read.blocks import parts_of
from compact_chat.read.claude_clearing import without_saved
from compact_chat.read.claude_host import attachment_message, typed_text
from compact_chat.read.claude_lines import SYNTHETIC
from compact_chat.read.counts import tokens
from compact_chat.read.lenient import fields, objects, word

CLEARED = "[Old tool result content cleared]"

_NOTHING: Mapping[str, int] = {}
_PROMPT_COUNTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def messages_of(live: Sequence[JsonObject], cleared: set[str], saved: Mapping[str, int] = _NOTHING) -> list[Message]:
    """Merge the lines of each reply, and the results that answer it; `cleared` names results no longer sent."""
    messages = ((_message(group, cleared), saved.get(reply_id(group[0]), 0)) for group in _groups(live, cleared))
    return [without_saved(message, tokens) for message, tokens in messages if message is not None]


def model_of(live: Sequence[JsonObject]) -> str | None:
    """The model that wrote the newest live reply."""
    models = (_model(record) for record in reversed(live) if record.get("type") == "assistant")
    return next((model for model in models if model not in ("", SYNTHETIC)), None)


def content_blocks(record: JsonObject, kind: str) -> Iterator[JsonObject]:
    """The content blocks of one type in a record."""
    blocks = objects(fields(record.get("message")).get("content"))
    return (block for block in blocks if block.get("type") == kind)


def reply_id(record: JsonObject) -> str:
    """The id that all lines of one reply share; empty where the record is no reply or has none."""
    return word(fields(record.get("message")).get("id")) if record.get("type") == "assistant" else ""


def _groups(live: Sequence[JsonObject], cleared: set[str]) -> Iterable[list[JsonObject]]:
    groups: dict[object, list[JsonObject]] = {}
    callers: dict[str, object] = {}  # the group whose reply made the call of this id
    for place, record in enumerate(live):
        if not _is_sent(record, cleared):
            continue
        key = _group_key(record, place, callers)
        callers.update((word(call.get("id")), key) for call in content_blocks(record, "tool_use"))
        groups.setdefault(key, []).append(record)
    return groups.values()


def _group_key(record: JsonObject, place: int, callers: dict[str, object]) -> object:
    if reply := reply_id(record):
        return ("reply", reply)
    answered = (callers.get(word(result.get("tool_use_id"))) for result in content_blocks(record, "tool_result"))
    caller = next(filter(None, answered), None)
    return place if caller is None else ("results", caller)


def _is_sent(record: JsonObject, cleared: set[str]) -> bool:
    if record.get("type") == "attachment":
        return record["uuid"] not in cleared
    return (
        record.get("type") in ("user", "assistant")
        and record.get("isApiErrorMessage") is not True
        and _model(record) != SYNTHETIC
    )


def _model(record: JsonObject) -> str:
    return word(fields(record.get("message")).get("model"))


def _message(group: Sequence[JsonObject], cleared: set[str]) -> Message | None:
    first = group[0]
    if first.get("type") == "attachment":
        return attachment_message(first)
    written = [record["message"] for record in group if isinstance(record.get("message"), dict)]
    parts = tuple(chain.from_iterable(parts_of(message.get("content")) for message in written))
    sent = tuple(_sent_part(part, cleared) for part in parts)
    role: Role = "assistant" if first["type"] == "assistant" else "user"
    message = Message(first["uuid"], role, sent, raw=_raw(role, written) if sent == parts else None)
    if not parts:
        return None
    return replace(message, usage=_usage(written)) if role == "assistant" else _with_origin(message, first)


def _with_origin(message: Message, record: JsonObject) -> Message:
    texts = [part.text for part in message.parts if isinstance(part, Text)]
    is_summary = record.get("isCompactSummary") is True
    by_host = is_summary or record.get("isMeta") is True or (bool(texts) and not any(map(typed_text, texts)))
    return replace(message, is_summary=is_summary, by_host=by_host)


def _sent_part(part: Part, cleared: set[str]) -> Part:
    if isinstance(part, ToolResult) and part.call_id in cleared:
        return replace(part, content=(Text(CLEARED),), as_text=True)
    return part


def _raw(role: Role, written: Sequence[JsonObject]) -> JsonObject | None:
    return {"role": role, "content": written[0]["content"]} if len(written) == 1 and "content" in written[0] else None


def _usage(lines: Sequence[JsonObject]) -> Usage | None:
    """What the last line reports: the lines before it carry the first values of the stream."""
    return next(filter(None, map(_told, reversed(lines))), None)


def _told(line: JsonObject) -> Usage | None:
    usage = fields(line.get("usage"))
    prompt = sum(tokens(usage.get(key)) for key in _PROMPT_COUNTS)
    return Usage(prompt, tokens(usage.get("output_tokens")), word(line.get("model"))) if prompt else None
