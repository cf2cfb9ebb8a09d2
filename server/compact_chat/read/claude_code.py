"""The end of a Claude Code session that grows: the newest reply and what answers it are read again, nothing else."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, takewhile
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import Chat, JsonObject, Message, Opening, Part, Role, Text, ToolResult, Usage, texts
from compact_chat.read.blocks import parts_of
from compact_chat.read.growing import Growth, Replaced, Tail
from compact_chat.read.jsonl import Spot, grown_records, record_of
from compact_chat.read.loose import fields, objects, title_of, tokens, word
from compact_chat.read.resolve import with_summary_marked
from compact_chat.read.source import Source

# What Claude Code itself says in the user's name: wrappers, notes and attachments.


_WRAPPER = re.compile(
    r"\s*<(system-reminder|command-name|command-message|command-args|command-contents|local-command-[a-z]+"
    r"|bash-stdout|bash-stderr|task-notification|ide_[a-z_]+)>"
)
_NOTE = re.compile(r"\s*(?:Caveat: The messages below were generated|\[Request interrupted by user)")

# The attachments that go to the model, and where their words stand; all others stay on the screen.
_SENT: dict[str, tuple[str, ...]] = {
    "agent_listing_delta": ("addedLines",),
    "batching_reminder_sent": ("text",),
    "compact_file_reference": ("filename",),
    "critical_system_reminder": ("content",),
    "date_change": ("newDate",),
    "deferred_tools_delta": ("addedLines",),
    "directory": ("path", "content"),
    "edited_text_file": ("filename", "snippet"),
    "file": ("filename", "content"),
    "hook_additional_context": ("content",),
    "hook_blocking_error": ("blockingError",),
    "invoked_skills": ("skills",),
    "mcp_instructions_delta": ("addedBlocks",),
    "nested_memory": ("path", "content"),
    "opened_file_in_ide": ("filename",),
    "plan_file_reference": ("planFilePath", "planContent"),
    "plan_mode": ("planFilePath",),
    "plan_mode_exit": ("planFilePath",),
    "read_truncation_notice": ("banner",),
    "selected_lines_in_ide": ("filename", "content"),
    "silent_turn_reminder": ("text",),
    "skill_listing": ("content",),
    "task_reminder": ("content",),
    "task_status": ("description", "status", "deltaSummary"),
    "todo_reminder": ("content",),
    "total_tokens_reminder": ("text",),
}
_NESTED = ("content", "file", "text", "subject", "blockingError")


def typed_texts(texts: Iterable[str]) -> list[str]:
    """The words of a person among the texts of one message."""
    return list(filter(None, map(typed_text, texts)))


def typed_text(text: str) -> str:
    """What a person typed of a user's text: the text without the wrappers that the tool put in front."""
    start = 0
    while wrapper := _WRAPPER.match(text, start):
        end = text.find(f"</{wrapper[1]}>", wrapper.end())
        if end < 0:
            return ""
        start = end + len(wrapper[1]) + 3
    return "" if _NOTE.match(text, start) else text[start:].strip()


def attachment_message(record: JsonObject) -> Message | None:
    """The message that an attachment becomes, or None where it is not sent."""
    attachment = fields(record.get("attachment"))
    kind = word(attachment.get("type"))
    if kind == "queued_command":  # typed while the model was at work
        return _message_host(record, parts_of(attachment.get("prompt")), attachment.get("commandMode") != "prompt")
    words = "\n".join(filter(None, (_words(attachment.get(key)) for key in _SENT.get(kind, ()))))
    reminder = Text(f"<system-reminder>\n{words}\n</system-reminder>")
    return _message_host(record, (reminder,) if words else (), by_host=True)


def _message_host(record: JsonObject, parts: tuple[Part, ...], by_host: bool) -> Message | None:
    return Message(record["uuid"], "user", parts, by_host=by_host) if parts else None


def _words(value: object) -> str:
    if isinstance(value, dict):
        return next(filter(None, (_words(value.get(key)) for key in _NESTED)), "")
    if isinstance(value, list):
        return "\n".join(filter(None, map(_words, value)))
    return word(value)


# What a microcompaction of Claude Code took out of the prompt of the call before it.


REAL = 1.27  # tokens of the model for one by which the tool tells what it saved: it reckons with four characters


def saved_tokens(note: object) -> int:
    """How much smaller the prompt became, by what is noted of the microcompaction."""
    return round(REAL * tokens(fields(note).get("tokensSaved")))


def without_saved(message: Message, saved: int) -> Message:
    """A reply whose call is reckoned as it would be now: no longer the provider's own figure."""
    usage = message.usage
    if usage is None or not saved:
        return message
    left = max(1, usage.prompt_tokens + usage.output_tokens - saved)
    return replace(message, usage=Usage(left, 0, usage.model, whole=True))


# What must be known of the lines of a Claude Code session to find the live ones, and what it says of itself.


_TITLES = ("custom-title", "ai-title")  # the better one first
SYNTHETIC = "<synthetic>"  # the model that Claude Code names where it speaks itself
_SPEAKERS = ("user", "assistant")
_NO_TIES: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
_CLEARING = ("compactedToolIds", "clearedAttachmentUUIDs")


class Line(Struct, frozen=True, gc=False):
    """Where a record stands in the tree, and what holds it together with others."""

    uuid: str
    parent: str | None
    speaks: bool  # is a line of the conversation, and not one of the tool's own
    is_side: bool
    reply: str  # the id that all lines of one reply share
    calls: tuple[str, ...]
    answers: tuple[str, ...]
    boundary: JsonObject | None  # what a compaction tells of itself


_NOTHING_LINES = Line("", None, False, False, "", (), (), None)


class Session(Struct, frozen=True):
    """The lines of a session, each with its spot in the file, and what is said of the whole."""

    lines: list[tuple[Spot, Line]]
    cleared: set[str]  # tool results and attachments that a microcompaction took out of the prompt
    saved: Mapping[str, int]  # the tokens that it saved, by the reply before it
    title: str  # as it was given
    typed: str  # the first line that a person typed
    workspace: str
    model: str  # of the newest reply, live or not


def session_of(source: Source, seen: Seen | None = None) -> Session:
    """Go through the records of a session once; who wants to go on behind them keeps what was `seen`."""
    seen = seen or Seen()
    lines = source.scan(seen.light, seen.slow)
    return Session(lines, seen.cleared, seen.saved, seen.title, seen.typed, seen.workspace, seen.model)


class _Block(Struct, gc=False):
    type: Any = None
    id: Any = None
    tool_use_id: Any = None


class _Said(Struct, gc=False):
    id: Any = None
    model: Any = None
    content: list[_Block] | str | None = None


class _Shape(Struct, rename="camel", gc=False):
    type: Any = None
    uuid: Any = None
    parent_uuid: Any = None
    is_sidechain: Any = None
    is_meta: Any = None
    is_compact_summary: Any = None
    subtype: Any = None
    compact_metadata: Any = None
    microcompact_metadata: Any = None
    cwd: Any = None
    custom_title: Any = None
    ai_title: Any = None
    message: _Said | None = None


_DECODER = msgspec.json.Decoder(_Shape)
_NAMES = tuple(zip(_Shape.__struct_fields__, _Shape.__struct_encode_fields__, strict=True))


class Seen:
    """What the lines so far have told."""

    def __init__(self) -> None:
        self.titles: dict[str, str] = {}
        self.cleared: set[str] = set()
        self.saved: dict[str, int] = {}
        self.clearings = 0
        self._reply = ""  # the newest
        self.typed = self.workspace = self.model = ""
        self._before = _NOTHING_LINES

    @property
    def title(self) -> str:
        """The title as it was given last."""
        return next(filter(None, map(self.titles.get, _TITLES)), "")

    def light(self, line: bytes) -> Line | None:
        """Look at a line; of most of it no values are made."""
        shape = _DECODER.decode(line)
        if shape.type == "user" and not self.typed and not _is_by_host(shape):
            self.typed = _typed_line(record_of(line))
        return self._noted(shape)

    def slow(self, record: JsonObject) -> Line | None:
        """Look at a record whose members may be of any type."""
        shape = _shape_of(record)
        if shape.type == "user" and not self.typed and not _is_by_host(shape):
            self.typed = _typed_line(record)
        return self._noted(shape)

    def _noted(self, shape: _Shape) -> Line | None:
        if shape.type in _TITLES:
            self.titles[shape.type] = word(shape.custom_title if shape.type == _TITLES[0] else shape.ai_title).strip()
        if not self.workspace:
            self.workspace = word(shape.cwd)
        if shape.microcompact_metadata is not None:
            self._clear(shape.microcompact_metadata)
        if not (isinstance(shape.uuid, str) and shape.uuid):
            return None
        self._before = _line(shape, self._before)
        if self._before.reply and not self._before.is_side:
            self._reply = self._before.reply
            self.model = _model_lines(shape) or self.model
        return self._before

    def _clear(self, note: object) -> None:
        self.clearings += 1
        self.cleared.update(_cleared(note))
        self.saved[self._reply] = self.saved.get(self._reply, 0) + saved_tokens(note)


def _model_lines(shape: _Shape) -> str:
    model = word(shape.message.model) if shape.message else ""
    return "" if model == SYNTHETIC else model


def _is_by_host(shape: _Shape) -> bool:
    return shape.is_meta is True or shape.is_compact_summary is True


def _line(shape: _Shape, before: Line) -> Line:
    """What must be known of a record; names that the record before it has too are held once."""
    said = shape.message
    reply = word(said.id) if said and shape.type == "assistant" else ""
    parent = shape.parent_uuid if isinstance(shape.parent_uuid, str) else None
    calls, answers = _ties(said.content) if said else _NO_TIES
    return Line(
        shape.uuid,
        before.uuid if parent == before.uuid else parent,
        shape.type in _SPEAKERS,
        shape.is_sidechain is True,
        before.reply if reply == before.reply else reply,
        calls,
        answers,
        fields(shape.compact_metadata) if shape.subtype == "compact_boundary" else None,
    )


def _ties(content: object) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The ids of the calls that blocks make, and of those that they answer."""
    if not isinstance(content, list):
        return _NO_TIES
    calls = [word(block.id) for block in content if block.type == "tool_use"]
    answers = [word(block.tool_use_id) for block in content if block.type == "tool_result"]
    return tuple(calls), tuple(answers)


def _shape_of(record: JsonObject) -> _Shape:
    known = {name: record.get(key) for name, key in _NAMES}
    message = fields(known.pop("message"))
    blocks = [_Block(one.get("type"), one.get("id"), one.get("tool_use_id")) for one in objects(message.get("content"))]
    return _Shape(**known, message=_Said(message.get("id"), message.get("model"), blocks))


def _cleared(note: object) -> Iterator[str]:
    lists = (fields(note).get(key) for key in _CLEARING)
    return (one for ids in lists if isinstance(ids, list) for one in ids if isinstance(one, str))


def _typed_line(record: JsonObject) -> str:
    texts = (part.text for part in parts_of(fields(record.get("message")).get("content")) if isinstance(part, Text))
    return next(filter(None, map(typed_text, texts)), "").partition("\n")[0].strip()


# Which records of a Claude Code session are live: a walk through a tree with dead branches and loose ends.


Live = tuple[int, bool]  # which line it is, and whether it is older than the compaction that the chat begins with


class _Session(Struct, frozen=True):
    lines: list[Line]  # one for each uuid, as they stand in the file
    places: dict[str, int]  # of each uuid
    trunk: list[int]  # places outside the side chains of sub-agents
    leaf: int | None  # the place of the newest line of the conversation


def live_lines(lines: Sequence[Line]) -> list[Live]:
    """Which lines are live, in the order that they are sent in."""
    session = _session(lines)
    if session.leaf is None:
        return []
    chain, boundary = _conversation(session, session.leaf)
    live = _whole(session, chain)
    kept, anchor = _preserved(session, boundary)
    at = live.index(anchor) + 1 if anchor in live else 0
    old = sorted(set(kept).difference(live))
    newest = {line.uuid: place for place, line in enumerate(lines)}  # a record that was written twice is the last one
    order = [*((place, False) for place in live[:at]), *((place, True) for place in old)]
    return [(newest[session.lines[place].uuid], is_old) for place, is_old in (*order, *((p, False) for p in live[at:]))]


def _conversation(session: _Session, leaf: int) -> tuple[list[int], JsonObject | None]:
    """The lines from the last compaction on; what follows may hang on the last of the lines that it kept."""
    chain, boundary = _walk(session, leaf)
    before = session.trunk[: bisect_left(session.trunk, leaf)]
    newest = next((place for place in reversed(before) if session.lines[place].boundary is not None), None)
    if newest is None or session.lines[newest].boundary is boundary:
        return chain, boundary
    told = session.lines[newest].boundary
    behind = list(takewhile(lambda place: place > newest, chain))
    kept, anchor = _preserved(session, told)
    if anchor is None or not set(chain[len(behind) : len(behind) + 1]).intersection(kept):
        return chain, boundary
    return behind + _walk(session, anchor)[0], told


def without_usage(record: JsonObject) -> JsonObject:
    """A record as it is after a compaction: a call made before it tells nothing of the prompt after it."""
    message = record.get("message")
    if not isinstance(message, dict):
        return record
    return {**record, "message": {key: value for key, value in message.items() if key != "usage"}}


def _session(lines: Sequence[Line]) -> _Session:
    by_uuid = {line.uuid: line for line in lines}
    places = {uuid: place for place, uuid in enumerate(by_uuid)}
    main = [line for line in lines if not line.is_side]
    if not any(line.speaks for line in main):  # a sub-agent's own file is all side chain
        main = list(lines)
    trunk = sorted({places[line.uuid] for line in main})
    leaf = next((places[line.uuid] for line in reversed(main) if line.speaks), None)
    return _Session(list(by_uuid.values()), places, trunk, leaf)


def _walk(session: _Session, start: int, stop: int | None = None) -> tuple[list[int], JsonObject | None]:
    """Climb from parent to parent to the root, to `stop`, or to a boundary, of which comes back what it tells."""
    chain: list[int] = []
    seen: set[int] = set()
    place: int | None = start
    while place is not None and place not in seen:
        if session.lines[place].boundary is not None:
            return chain, session.lines[place].boundary
        seen.add(place)
        chain.append(place)
        place = None if place == stop else _parent(session, place)
    return chain, None


def _parent(session: _Session, place: int) -> int | None:
    uuid = session.lines[place].parent
    if uuid is None:
        return None
    if uuid in session.places:
        return session.places[uuid]
    before = bisect_left(session.trunk, place)  # the parent is not in the file: the record written before it
    return session.trunk[before - 1] if before else None


def _whole(session: _Session, chain: Sequence[int]) -> list[int]:
    """Add what a walk misses of parallel calls: each call is a line of its own, with its result hanging off it."""
    replies = {session.lines[place].reply for place in chain} - {""}
    places = {place for place in session.trunk if session.lines[place].reply in replies}.union(chain)
    made = {call for place in places for call in session.lines[place].calls}
    answered = {answer for place in places for answer in session.lines[place].answers}
    missing = made - answered - {""}
    for place in session.trunk if missing else ():
        if found := missing.intersection(session.lines[place].answers):
            missing -= found
            places.add(place)
    return sorted(places)


def _preserved(session: _Session, boundary: JsonObject | None) -> tuple[list[int], int | None]:
    """The older records that a compaction kept, and the place of the record that they follow."""
    about = fields(boundary)
    segment, listed = about.get("preservedSegment"), about.get("preservedMessages")
    if isinstance(listed, dict):
        return _listed(session, listed), session.places.get(word(listed.get("anchorUuid")))
    if isinstance(segment, dict):
        return _segment(session, segment), session.places.get(word(segment.get("anchorUuid")))
    return [], None


def _listed(session: _Session, listed: JsonObject) -> list[int]:
    uuids = listed.get("allUuids") or listed.get("uuids")
    named = map(word, uuids) if isinstance(uuids, list) else ()
    return [session.places[uuid] for uuid in named if uuid in session.places]


def _segment(session: _Session, segment: JsonObject) -> list[int]:
    head = session.places.get(word(segment.get("headUuid")))
    tail = session.places.get(word(segment.get("tailUuid")))
    if head is None or tail is None:
        return []
    chain, _ = _walk(session, tail, head)
    return _whole(session, chain) if head in chain else []


# Live records of a Claude Code session become messages: one reply is several lines, and so are its results.


CLEARED = "[Old tool result content cleared]"

_NOTHING_MESSAGES: Mapping[str, int] = {}
_PROMPT_COUNTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def messages_of(
    live: Sequence[JsonObject], cleared: set[str], saved: Mapping[str, int] = _NOTHING_MESSAGES
) -> list[Message]:
    """Merge the lines of each reply, and the results that answer it; `cleared` names results no longer sent."""
    messages = (
        (_message_messages(group, cleared), saved.get(reply_id(group[0]), 0)) for group in _groups(live, cleared)
    )
    return [without_saved(message, tokens) for message, tokens in messages if message is not None]


def model_of(live: Sequence[JsonObject]) -> str | None:
    """The model that wrote the newest live reply."""
    models = (_model_messages(record) for record in reversed(live) if record.get("type") == "assistant")
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
        and _model_messages(record) != SYNTHETIC
    )


def _model_messages(record: JsonObject) -> str:
    return word(fields(record.get("message")).get("model"))


def _message_messages(group: Sequence[JsonObject], cleared: set[str]) -> Message | None:
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


# How a Claude Code session began, which a compaction may have put out of sight.


MOST = 50  # lines; a session that has no reply within them tells nothing


def opening_of(source: Source, session: Session) -> Opening | None:
    """Tell the size of the first call and what was said before it; None where that is not known."""
    records = source.records_at([spot for spot, _ in _first_lines(session)])
    return _opening(messages_of([record for record in records if record is not None], set()))


def has_begun(session: Session) -> bool:
    """Whether the beginning is told, and no line to come can change that."""
    first = list(_first_lines(session))
    return len(first) == MOST or any(line.reply for _, line in first)


def _first_lines(session: Session) -> Iterator[tuple[Spot, Line]]:
    """Give the lines of the conversation up to the first of a reply."""
    spoken = (pair for pair in session.lines if pair[1].speaks)
    for pair, _ in zip(spoken, range(MOST), strict=False):
        yield pair
        if pair[1].reply:
            return


def _opening(messages: Sequence[Message]) -> Opening | None:
    usage = messages[-1].usage if messages else None
    if usage is None:
        return None
    return Opening(usage.prompt_tokens, sum(len(text) for message in messages[:-1] for text in texts(message)))


# Sessions of Claude Code: JSON lines that only ever grow, of which a part is live.


_NAME = "claude-code"
_TYPES = ("user", "assistant", "attachment", "system", "progress")


def sniff(source: Source) -> bool:
    """Whether a line is a record of Claude Code."""
    return any(_is_ours(record) for record in source.records)


def read(source: Source) -> Chat:
    """Read the live conversation, and say which lines were damaged."""
    return chat_of(source, session_of(source))


def chat_of(source: Source, session: Session) -> Chat:
    """Read the live conversation of a session that was gone through."""
    live = _live_records(source, session)
    messages = with_summary_marked(messages_of(live, session.cleared, session.saved))
    return Chat(
        format=_NAME,
        tool=_NAME,
        messages=messages,
        model=model_of(live) or model_before(messages, session.model),
        title=title_of(session.title) or title_of(session.typed),
        workspace=session.workspace or None,
        opening=opening_of(source, session),
        is_sub_agent=_is_sub_agents(session),
        warnings=source.damage,
    )


def model_before(messages: Sequence[Message], newest: str) -> str | None:
    """The model of a chat that a compaction has left without replies: the one that wrote the newest before it."""
    return newest or None if any(message.is_summary for message in messages) else None


def _is_sub_agents(session: Session) -> bool:
    """Whether it is a sub-agent's own file: all that is said in it stands beside another conversation."""
    beside = [line.is_side for _, line in session.lines if line.speaks]
    return bool(beside) and all(beside)


def _is_ours(record: JsonObject) -> bool:
    return isinstance(record.get("sessionId"), str) and ("parentUuid" in record or record.get("type") in _TYPES)


def _live_records(source: Source, session: Session) -> Sequence[JsonObject]:
    """The live records, decoded whole, as far as they are still where they were."""
    live = live_lines([line for _, line in session.lines])
    wanted = sorted(place for place, _ in live)
    found = dict(zip(wanted, source.records_at(session.lines[place][0] for place in wanted), strict=True))
    there = [(record, is_old) for place, is_old in live if (record := found[place]) and _is(record, session, place)]
    source.has_changed = len(there) < len(live)
    return [without_usage(record) if is_old else record for record, is_old in there]


def _is(record: JsonObject, session: Session, place: int) -> bool:
    return record.get("uuid") == session.lines[place][1].uuid


# What a Claude Code session sent before its newest compaction, and right after: its lines up to there.


def newest(source: Source, _format: str) -> Replaced | None:
    """Read the session as it was when the newest boundary was written, and with the summary that follows it."""
    session = session_of(source)
    lines = session.lines
    places = [place for place, (_, line) in enumerate(lines) if line.boundary is not None and not line.is_side]
    if not places:
        return None
    summary = next(
        (n for n, (_, line) in enumerate(lines) if n > places[-1] and line.speaks and not line.is_side), None
    )
    after = _messages(source, session, summary + 1) if summary else ()
    return Replaced(_messages(source, session, places[-1]), after)


def _messages(source: Source, session: Session, length: int) -> tuple[Message, ...]:
    """The messages that were live after so many lines."""
    lines = session.lines[:length]
    live = [place for place, _ in live_lines([line for _, line in lines])]
    found = dict(zip(sorted(live), source.records_at(lines[place][0] for place in sorted(live)), strict=True))
    records = [record for place in live if (record := found[place]) is not None]
    return tuple(messages_of(records, session.cleared))


# The newest lines of a Claude Code session, which can be read by themselves, since nothing reaches behind them.


class Window:
    """Begins anew with each line that goes straight on from the newest, once all calls before it are answered."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.is_sound = True  # the lines before it and those in it say together what the whole session says
        self.is_first = True  # it began with the session
        self._known: set[str] = set()  # lines, by their uuids
        self._awaited: set[str] = set()  # lines that were named before they were there, if they ever will be
        self._past: set[str] = set()  # replies, calls and answers before the window
        self._present: set[str] = set()  # those in it
        self._unanswered: set[str] = set()
        self._base: str | None = None  # the line that the window hangs on
        self._rooted: set[str] = set()  # from which a climb leads there
        self._leaf: str | None = None
        self._waiting: list[Line] = []  # hang on the leaf, and say nothing
        self._trunk: str | None = None  # the newest line that is in no side chain
        self._is_agents = True  # all is side chain

    def begins_with(self, line: Line) -> bool:
        """Whether a new window may begin here."""
        if not line.speaks or not self._in_trunk(line) or self._is_named(line):
            return False
        if line.answers or not self._past.isdisjoint(_ids(line)) or not self._present.isdisjoint(_ids(line)):
            return False
        return self._hangs_on_leaf(line) and not (self._unanswered and (line.reply or line.calls))

    def begin(self) -> None:
        """Begin anew with the next line, and what waits for it."""
        self._past |= self._present
        self._present, self._unanswered = set(), set()
        self._base = self._leaf
        self.lines = list(map(self._from_base, self._waiting))
        self._rooted = {line.uuid for line in self._waiting}
        self.is_sound, self.is_first = True, False

    def add(self, line: Line) -> None:
        """Take in the next line of the session."""
        self.is_sound = self.is_first or (self.is_sound and self._fits(line))
        if line.speaks and not line.is_side and self._is_agents:
            self._turn_to_trunk()
        hangs, is_rooted = self._hangs_on_leaf(line), self.is_first or self._is_rooted(line)
        self._know(line)
        if line.boundary is None and is_rooted:
            self._rooted.add(line.uuid)
        if self._in_trunk(line) or is_rooted:
            self.lines.append(self._from_base(line))
        if line.speaks and self._in_trunk(line):
            self._leaf, self._waiting = line.uuid, []
        elif hangs and line.boundary is None:
            self._waiting.append(line)

    def _know(self, line: Line) -> None:
        named = {line.parent} if line.parent is not None else set()
        self._known.add(line.uuid)
        self._awaited |= named.union(_texts(line.boundary)) - self._known
        if self._in_trunk(line):
            self._trunk = line.uuid
            self._present.update(_ids(line))
            self._unanswered.update(filter(None, line.calls))
            self._unanswered.difference_update(line.answers)

    def _fits(self, line: Line) -> bool:
        """Whether a line changes nothing of what was before the window."""
        if self._is_named(line):
            return False
        if not self._in_trunk(line):
            return not (line.speaks and self._is_agents)
        return self._past.isdisjoint(_ids(line)) and (not line.speaks or self._goes_on(line))

    def _goes_on(self, line: Line) -> bool:
        """Whether what is said goes on from the newest line, or belongs to a reply whose calls are made at once."""
        if self._hangs_on_leaf(line):
            return self._is_rooted(line)
        belongs = bool(line.answers) or line.reply in self._present
        return belongs and self._parent(line) in self._rooted

    def _turn_to_trunk(self) -> None:
        """Take side chains for what they are, since there is something else."""
        self._is_agents, self._leaf, self._trunk = False, None, None
        self._waiting = []

    def _is_named(self, line: Line) -> bool:
        return line.uuid in self._known or line.uuid in self._awaited

    def _in_trunk(self, line: Line) -> bool:
        return self._is_agents or not line.is_side

    def _parent(self, line: Line) -> str | None:
        """The line that this one hangs on; where that is not in the file, it is the one before it."""
        if line.parent is None or line.parent == line.uuid:
            return None
        return line.parent if line.parent in self._known else self._trunk

    def _hangs_on_leaf(self, line: Line) -> bool:
        parent = self._parent(line)
        return parent is not None and (parent == self._leaf or any(parent == one.uuid for one in self._waiting))

    def _is_rooted(self, line: Line) -> bool:
        parent = self._parent(line)
        return parent is not None and (parent == self._base or parent in self._rooted)

    def _from_base(self, line: Line) -> Line:
        return replace(line, parent=None) if line.parent is not None and line.parent == self._base else line


def _ids(line: Line) -> Iterator[str]:
    return filter(None, (line.reply, *line.calls, *line.answers))


def _texts(value: JsonObject | None) -> Iterator[str]:
    """All texts in what a compaction tells of itself: among them the lines that it kept."""
    waiting: list[object] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict | list):
            waiting += one.values() if isinstance(one, dict) else one


# The end of a Claude Code session that grows: the newest reply and what answers it are read again, nothing else.


def follow(source: Source) -> tuple[Chat, Tail | None]:
    """Read a session, and find the place from which on it can be read by itself."""
    seen = Seen()
    session = session_of(source, seen)
    chat = chat_of(source, session)
    window = Window()
    for _, line in session.lines:
        if window.begins_with(line):
            window.begin()
        window.add(line)
    records = _records(source, session, window)
    if not window.is_sound or len(records) < len({line.uuid for line in window.lines}):
        return chat, None
    tail = ClaudeTail(seen, window, records, chat.model)
    return chat, tail if has_begun(session) and _ends_with(chat, tail.open()) else None


class ClaudeTail:
    """What was read so far, as much of it as more lines may need."""

    def __init__(self, seen: Seen, window: Window, records: dict[str, JsonObject], model: str | None) -> None:
        self._seen, self._window, self._records, self._model = seen, window, records, model
        self._has_own = False  # the newest reply that names its model is in the window

    def open(self) -> Sequence[Message]:
        """Read the messages of the window."""
        live = [self._record(*one) for one in live_lines(self._window.lines)]
        found = messages_of(live, self._seen.cleared, self._seen.saved)
        messages = with_summary_marked(found) if self._window.is_first else found
        self._take_model(model_of(live), messages)
        return messages

    def grow(self, lines: bytes) -> Growth | None:
        """Read whole lines that have come to the end."""
        records = grown_records(lines)
        settled: list[Message] = []
        for record in records or ():
            clearings = self._seen.clearings
            line = self._seen.slow(record)
            if line is not None:
                settled += self._settled(line)
                self._window.add(line)
                self._records[line.uuid] = record
            if self._seen.clearings > clearings or not self._window.is_sound:
                return None
        messages = self.open()
        if records is None or not self._window.is_sound:
            return None
        return Growth(settled, messages, self._model, title_of(self._seen.title) or title_of(self._seen.typed))

    def _take_model(self, own: str | None, messages: Sequence[Message]) -> None:
        """Take the window's model; where it had one and has none any more, it is not known which was before."""
        if not self._window.is_first and own is None:
            self._window.is_sound &= not self._has_own
            return
        self._model, self._has_own = own or model_before(messages, self._seen.model), True

    def _settled(self, line: Line) -> Sequence[Message]:
        """Begin a new window where that may be; the messages of the old one can no longer change then."""
        if not self._window.begins_with(line):
            return ()
        settled = self.open()
        if not self._window.is_sound:
            return ()
        self._window.begin()
        self._has_own = False
        self._records = {one.uuid: self._records[one.uuid] for one in self._window.lines}
        return settled

    def _record(self, place: int, is_old: bool) -> JsonObject:
        record = self._records[self._window.lines[place].uuid]
        return without_usage(record) if is_old else record


def _records(source: Source, session: Session, window: Window) -> dict[str, JsonObject]:
    """The records of a window, whole."""
    wanted = {line.uuid for line in window.lines}
    spots = [(spot, line.uuid) for spot, line in session.lines if line.uuid in wanted]
    found = zip(spots, source.records_at(spot for spot, _ in spots), strict=True)
    return {uuid: record for (_, uuid), record in found if record is not None}


def _ends_with(chat: Chat, messages: Sequence[Message]) -> bool:
    return chat.messages[len(chat.messages) - len(messages) :] == tuple(messages)
