"""Sessions of Cline since its SDK: one JSON object with all messages, and a second file once it has been compacted.

    <id>.messages.json
        {"version":1,"agent":"lead","sessionId":"<id>","system_prompt":"You are Cline...","messages":[
         {"id":"m1","role":"user","content":[{"type":"text","text":"Fix it"}]},
         {"id":"m2","role":"assistant","modelInfo":{"id":"claude-sonnet-5-5"},"metrics":{"inputTokens":12000},
          "content":[{"type":"tool_use","id":"t1","name":"run_commands","input":{"commands":["ls"]}}]},
         {"id":"m3","role":"user","content":[{"type":"tool_result","tool_use_id":"t1",
          "content":[{"query":"ls","result":"a.py","success":true}]}]}]}
    <id>.compaction.json
        {"version":1,"source_message_count":2,"source_prefix_hash":"sha256:...","messages":[...]}
    <id>.json
        {"cwd":"/home/ada/shop","metadata":{"title":"Tax rounding"}}

The second file replaces the first messages of the chat if these are still the same. See
docs/formats.md#cline-sessions and
https://github.com/cline/cline/blob/main/sdk/packages/core/docs/messages-contract-v1.md.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, Struct, field

from compact_chat.chat import Chat, Image, JsonObject, Message, OwnCompaction, Part, ResultPart, Text, ToolResult
from compact_chat.errors import checkpoint
from compact_chat.read.apis import parts_of, result_of, text_parts
from compact_chat.read.formats import Replacement
from compact_chat.read.loose import (
    fields,
    is_by_host,
    left_out,
    loose,
    objects,
    parsed,
    title_of,
    tokens,
    typed_title,
    usage_of,
    with_own_ids,
)
from compact_chat.read.source import Source
from compact_chat.text import outside


class _Metrics(Struct, rename="camel", frozen=True):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0


class _Stored(Struct, rename="camel", frozen=True):
    id: str = ""
    role: str = ""
    content: Any = None
    ts: int | None = None
    model: str = field(default="", name="modelInfo.id")
    metrics: _Metrics | None = None
    kind: str = field(default="", name="metadata.kind")
    tokens_before: int = field(default=0, name="metadata.tokensBefore")


class _Block(Struct, rename="camel", frozen=True):
    """A block as this SDK writes it, beyond those of the Anthropic API."""

    type: str = ""
    text: str = ""
    data: str = ""
    media_type: str = ""
    path: str = ""
    content: Any = None
    tool_use_id: str = field(default="", name="tool_use_id")
    is_error: bool = field(default=False, name="is_error")


class _Outcome(Struct, frozen=True):
    """The outcome of one file or command of a call."""

    result: Any = UNSET
    error: str = ""
    success: bool | None = None


class _Session(Struct, frozen=True):
    version: int = 0
    agent: str = ""
    session_id: str | None = field(default=None, name="sessionId")
    messages: list[Any] | None = None
    system_prompt: str = ""


class _Sidecar(Struct, frozen=True):
    """What is sent in place of the first messages after a compaction."""

    source_message_count: int = 0
    source_prefix_hash: str = ""
    source_last_message_key: str = ""  # in older versions, instead of the hash
    messages: list[JsonObject] = []


class _Manifest(Struct, frozen=True):
    cwd: str = ""
    workspace_root: str = ""
    title: str = field(default="", name="metadata.title")


_FOLDER = re.compile(r"Working Directory: ([^\n]{1,4096})")
_AGENTS = ("lead", "subagent", "teammate")


def sniff(source: Source) -> bool:
    """Return whether the source is the messages of a session."""
    session = loose(_Session, source.document)
    is_ours = session.version == 1 and session.agent in _AGENTS and session.session_id is not None
    return is_ours and session.messages is not None


def read(source: Source) -> Chat:
    """Read what is sent with the next request."""
    session = loose(_Session, source.document)
    manifest = loose(_Manifest, _sibling(source, is_sidecar=False))
    stored = session.messages or []
    sidecar = _valid_sidecar(source, stored)
    faults = [f"$.messages[{place}] is no message" for place, one in enumerate(stored) if not isinstance(one, dict)]
    models = (loose(_Stored, one).model for one in reversed(stored))
    folder = _FOLDER.search(session.system_prompt)
    return Chat(
        format="cline-sdk",
        tool="cline",
        messages=with_own_ids(_messages(sidecar.messages, stored[sidecar.source_message_count :])),
        system=session.system_prompt,
        model=next(filter(None, models), None),
        title=title_of(manifest.title) or typed_title(_messages([], stored), typed_texts),
        workspace=manifest.cwd or manifest.workspace_root or (folder[1].strip() if folder else None),
        compactions=tuple(_compactions(sidecar)),
        is_sub_agent=session.agent != "lead",
        warnings=(*left_out(faults), *source.broken_siblings),
    )


def _compactions(sidecar: _Sidecar) -> Iterator[OwnCompaction]:
    """Give the last compaction, if its sidecar is valid; nothing tells whether the user asked for it."""
    if sidecar.source_message_count:
        before = (tokens(loose(_Stored, one).tokens_before) for one in sidecar.messages)
        yield OwnCompaction(automatic=False, before=next(filter(None, before), 0))


def earlier(source: Source, _: str) -> Iterator[Replacement]:
    """Give the messages that the last compaction replaced, and those that it put in their place."""
    stored = loose(_Session, source.document).messages or []
    sidecar = _valid_sidecar(source, stored)
    if sidecar.source_message_count:
        yield (
            tuple(_messages([], stored[: sidecar.source_message_count])),
            with_own_ids(_messages(sidecar.messages, [])),
        )


# What a compaction put in place of the first messages.

_SIDECAR = ".compaction.json"


def _sibling(source: Source, *, is_sidecar: bool) -> object:
    found = (sibling.document for name, sibling in source.siblings.items() if name.endswith(_SIDECAR) is is_sidecar)
    return next(found, None)


def _valid_sidecar(source: Source, stored: Sequence[object]) -> _Sidecar:
    """Read the sidecar; like in Cline, an empty one if the messages that it replaces have changed."""
    sidecar = loose(_Sidecar, _sibling(source, is_sidecar=True))
    covered = stored[: max(0, sidecar.source_message_count)]
    if not covered or len(covered) < sidecar.source_message_count:
        return _Sidecar()
    if sidecar.source_prefix_hash:
        is_same = sidecar.source_prefix_hash == f"sha256:{_prefix_hash(objects(covered))}"
        return sidecar if is_same else _Sidecar()
    last = loose(_Stored, covered[-1])  # named by its id, its time or its content
    if last.id.strip():
        key = f"id:{last.id.strip()}"
    elif last.ts is not None:
        key = f"ts:{last.role}:{last.ts}"
    else:
        content = _normalized(fields(covered[-1]))
        key = f"content:{last.role}:{json.dumps(content, ensure_ascii=False, separators=(',', ':'))}"
    return sidecar if sidecar.source_last_message_key == key else _Sidecar()


def _prefix_hash(messages: Sequence[JsonObject]) -> str:
    """Hash messages like Cline, which turns each into a list of pairs, without ids and times."""
    hashed = hashlib.sha256(f"cline-session-compaction-source-v2\n{len(messages)}\n".encode())
    for message in messages:
        checkpoint()
        values = {**message, "content": _normalized(message)}
        names = ("role", "content", "agent", "sessionId", "metadata", "modelInfo", "metrics")
        try:
            hashed.update(msgspec.json.encode([(name, values.get(name)) for name in names]) + b"\n")
        except (UnicodeEncodeError, RecursionError):  # halves of surrogate pairs, which Cline does not write
            return ""
    return hashed.hexdigest()


def _normalized(message: JsonObject) -> object:
    """Strip the frames from the text of a user message."""
    content = message.get("content")
    if message.get("role") != "user":
        return content
    if isinstance(content, str):
        return _display(content)
    return [
        {**block, "text": _display(block["text"])}
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)
        else block
        for block in (content if isinstance(content, list) else [])
    ]


# Stored messages become messages.


def _messages(compacted: Sequence[object], behind: Sequence[object]) -> Iterator[Message]:
    """Decode messages; the sizes on replacement messages were measured for another prompt."""
    stored = [loose(_Stored, one) for one in (*compacted, *behind) if isinstance(one, dict)]
    old = len(objects(list(compacted)))
    totals = _totals(stored)
    for place, one in enumerate(stored):
        name = one.id or f"m{place}"
        parts = tuple(_parts(one.content, is_users=one.role != "assistant"))
        if one.role == "assistant":
            sizes = (None if place < old or place in totals else one.metrics) or _Metrics()
            cached = sizes.cache_read_tokens, sizes.cache_write_tokens
            usage = usage_of(one.model, sizes.input_tokens, sizes.output_tokens, *cached)
            yield Message(name, "assistant", parts, usage=usage)
        else:
            is_summary = one.kind == "compaction_summary"
            by_host = is_summary or is_by_host(parts, typed_texts)
            yield Message(name, "user", parts, is_summary=is_summary, by_host=by_host)


def _totals(stored: Sequence[_Stored]) -> set[int]:
    """Find replies whose metrics cover a whole run: its last, if none of the several before it has any."""
    found: set[int] = set()
    turn: list[int] = []  # the replies since the last user message
    for place, one in enumerate((*stored, _Stored(role="user"))):
        if one.role == "assistant":
            turn.append(place)
        elif not any(block.get("type") == "tool_result" for block in objects(one.content)):
            sized = [reply for reply in turn if stored[reply].metrics]
            found |= set(sized) if len(turn) > 1 and sized == turn[-1:] else set()
            turn = []
    return found


def _parts(content: object, is_users: bool) -> Iterator[Part]:
    for stored in content if isinstance(content, list) else [content]:
        block = loose(_Block, {"type": "text", "text": stored} if isinstance(stored, str) else stored)
        match block.type:
            case "text" if is_users:
                yield from text_parts(_unframed(block.text))
            case "image" if block.data:
                yield Image(block.media_type, block.data)
            case "file":
                yield Text(f'<file_content path="{block.path}">\n{_json(block.content)}\n</file_content>')
            case "tool_result":
                yield _result(block)
            case _:
                yield from parts_of(stored)


def _result(block: _Block) -> ToolResult:
    """Decode a result, which may be an object, or its JSON, or a list of either, one per file or command."""
    content = block.content
    is_error = block.is_error
    if isinstance(content, str) and content.startswith('{"query"'):
        content = fields(parsed(content)) or content
    parts: list[ResultPart] = []
    for stored in content if isinstance(content, list) else [content]:
        inner = loose(_Block, stored)
        outcome = loose(_Outcome, stored)
        if inner.type == "image" and inner.data:
            parts.append(Image(inner.media_type, inner.data))
        elif inner.type or outcome.result is UNSET:
            parts += result_of("", stored).content
        else:
            is_error = is_error or outcome.success is False
            parts.append(Text(outcome.error or _json(outcome.result)))
    return ToolResult(block.tool_use_id, tuple(parts), is_error, as_text=isinstance(block.content, str))


def _json(value: object) -> str:
    """Return a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# What Cline writes into user messages, and the frames that it puts around a person's words.

_COMMAND = re.compile(r'\s*<user_command\b[^>]{0,200}\bslash="([^"]{1,200})"[^>]{0,200}>')
_WRAPPER = re.compile(r"<(file_content|SYSTEM_NOTICE|mode_notice)\b[^<>]{0,500}>")
_OF_THE_HOST = re.compile(r"\s*(?:<(?:file_content|SYSTEM_NOTICE)\b|Context summary:\n)")


def typed_texts(texts: Sequence[str]) -> list[str]:
    """Return a person's words from the texts of one message."""
    shown = (_display(text) for text in texts if not _OF_THE_HOST.match(text))
    return [piece.strip() for words in shown for piece in outside(words, _WRAPPER)]


def _display(text: str) -> str:
    """Return a text as Cline shows it: without frames and notices, with the slash command in front."""
    if "</" not in text:
        return text.strip()
    shown = _without("mode_notice", _unframed(text), keeps_words=False).strip()
    command = _COMMAND.match(text) if text.rstrip().endswith("</user_command>") else None
    return f"/{command[1].strip()} {shown}".strip() if command else shown


def _unframed(text: str) -> str:
    """Return a text as it is sent, without frames."""
    return _without("user_command", _without("user_input", text, keeps_words=True), keeps_words=True).strip()


def _without(tag: str, text: str, keeps_words: bool) -> str:
    """Remove a tag's elements from a text, or only the tags; text behind the last closing tag is outside."""
    end = text.rfind(f"</{tag}>")
    if end < 0:
        return text
    end += len(tag) + 3
    elements = re.compile(rf"<{tag}\b[^>]{{0,200}}>(.*?)</{tag}>", re.DOTALL)
    return elements.sub(r"\1" if keeps_words else "", text[:end]) + text[end:]
