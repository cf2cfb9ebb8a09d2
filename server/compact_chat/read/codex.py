"""The end of a Codex session that grows: what the newest call gave and what answers it is read again, nothing else."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from compact_chat.chat import Chat, JsonObject, Message, Unknown, Usage, Warning
from compact_chat.read.apis import ROLELESS_ITEMS, item_message
from compact_chat.read.blocks import parts_of
from compact_chat.read.document import is_list
from compact_chat.read.growing import Growth, Replaced, Tail
from compact_chat.read.jsonl import grown_records, record_of, slim
from compact_chat.read.loose import fields, objects, title_of, tokens, with_own_ids, word
from compact_chat.read.source import Source

# What Codex itself says in the user's name: its wrappers, and the summaries of its compactions.


_OPENING = re.compile(
    r"<(environment_context|user_instructions|skill|user_shell_command|turn_aborted|subagent_notification"
    r"|agent_message_board_notification|recommended_plugins|goal_context|codex_internal_context|hook_prompt"
    r"|external_\w{1,100})\b",
    re.IGNORECASE,
)
_AGENTS = ("# agents.md instructions", "</instructions>")
_WARNINGS = (
    "Warning: apply_patch was requested via",
    "Warning: The maximum number of unified exec processes",
    "Warning: Your account was flagged",
)
_SUMMARY = (
    "Another language model started to solve this problem and produced a summary",
    "You were originally given instructions from a user over one or more turns",
)
_IDE_CONTEXT = "# Context from my IDE"
_IDE_REQUEST = "## My request for Codex:"
_KINDS_OF_USERS = ("user.", "images.", "audio.")


def is_turn(item: JsonObject) -> bool:
    """Whether an item begins a turn that can be taken back: words of a user, or of another agent."""
    if item.get("type") == "agent_message":
        return True
    return item.get("role") == "user" and not is_context(item)


def is_typed(item: JsonObject) -> bool:
    """Whether an item holds what a person typed."""
    return item.get("role") == "user" and not is_context(item) and not is_summary(item)


def is_context(item: JsonObject) -> bool:
    """Whether a message of the user's was written by Codex: newer versions note the kind of each text."""
    kinds = fields(item.get("internal_chat_message_metadata_passthrough")).get("content_item_kinds")
    contents = texts_of(item)
    if isinstance(kinds, list) and contents and len(kinds) == len(contents):
        return not any(word(kind).startswith(_KINDS_OF_USERS) or kind in ("", "unknown") for kind in kinds)
    return any(map(_is_wrapped, contents))


def is_summary(item: JsonObject) -> bool:
    """Whether a message of the user's is the summary of an earlier compaction."""
    return item.get("role") == "user" and any(text.startswith(_SUMMARY) for text in texts_of(item)[:1])


def is_update(item: JsonObject) -> bool:
    """Whether an item tells the model of a new setting, ahead of the turn that it holds for."""
    if item.get("role") == "developer":
        return any(text.lstrip().startswith("<") for text in texts_of(item))
    return item.get("role") == "user" and is_context(item)


def typed_texts(texts: Iterable[str]) -> list[str]:
    """The texts of a message without what an editor puts in front of the person's words."""
    return [_request(text) or text for text in texts]


def texts_of(item: JsonObject) -> list[str]:
    """The content of an item, a string for each block; a block that is no text is an empty one."""
    content = item.get("content")
    return [content] if isinstance(content, str) else [word(block.get("text")) for block in objects(content)]


def _request(text: str) -> str:
    return text.partition(_IDE_REQUEST)[2].strip() if text.lstrip().startswith(_IDE_CONTEXT) else ""


def _is_wrapped(text: str) -> bool:
    text = text.strip()
    start, end = _AGENTS
    if text[: len(start)].lower() == start:
        return text[-len(end) :].lower() == end
    if opening := _OPENING.match(text):
        closing = f"</{opening[1]}>"
        return text[-len(closing) :].lower() == closing.lower()
    return text.startswith(_WARNINGS)


# The lines of a Codex session of any age, as the newest version writes them: a kind and what it carries.


_KINDS = frozenset(
    {
        "compacted",
        "event_msg",
        "inter_agent_communication",
        "inter_agent_communication_metadata",
        "response_item",
        "security_risk_score",
        "session_meta",
        "turn_context",
        "world_state",
    }
)
_BARE_ITEMS = ROLELESS_ITEMS | {"message"}
_BARE_HEADER = frozenset({"id", "timestamp", "instructions", "git"})


class Record(Struct, frozen=True):
    """A line of the log; `place` names it for as long as the file only grows."""

    place: str
    kind: str
    payload: JsonObject


def is_session(source: Source) -> bool:
    """Whether the source is a session: lines in envelopes, bare ones behind a header, or one object."""
    if source.strict:
        return False
    if _is_whole(fields(source.document)):
        return True
    bare = map(_is_bare_header, source.records[:1])
    return any(map(_is_enveloped, source.records)) or any(bare) or _has_states(source)


def whole_records(document: object) -> list[Record]:
    """The records of a session of the oldest form; none where a document is none."""
    held = fields(document)
    if not _is_whole(held):
        return []
    items = enumerate(objects(held["items"]), 1)
    lines = [Record(f"r{place}", "response_item", item) for place, item in items]
    return [Record("r0", "session_meta", held["session"]), *lines]


def record_at(place: int, record: JsonObject) -> Record | None:
    """The record that a line holds; `place` is its number among all of them."""
    kind = word(record.get("type"))
    if _is_enveloped(record):
        return Record(f"r{place}", kind, record["payload"])
    if kind in _BARE_ITEMS:
        return Record(f"r{place}", "response_item", record)
    return Record(f"r{place}", "session_meta", record) if place == 1 and _is_bare_header(record) else None


def _is_enveloped(record: JsonObject) -> bool:
    return word(record.get("type")) in _KINDS and isinstance(record.get("payload"), dict)


def _is_bare_header(record: JsonObject) -> bool:
    named = word(record.get("id")) and word(record.get("timestamp"))
    return bool(named) and len(record) > 2 and _BARE_HEADER.issuperset(record)


def _has_states(source: Source) -> bool:
    """Whether bare lines that have lost their header hold the marks that stand between the items."""
    return any(record.get("record_type") == "state" and "type" not in record for record in source.records) and any(
        word(record.get("type")) in _BARE_ITEMS for record in source.records
    )


def _is_whole(document: JsonObject) -> bool:
    """Whether a document is the oldest form: the header and all items in one object."""
    session = fields(document.get("session"))
    return isinstance(document.get("items"), list) and "id" in session and "timestamp" in session


# What must be known of the lines of a Codex session before those that a model still gets are decoded.


# What is asked of an event: the rest of most is a copy of an item, for the screen.
_EVENT = ("type", "info", "model_context_window", "num_turns", "thread_name")


class _Payload(Struct, gc=False):
    type: Any = None
    info: Any = None
    model_context_window: Any = None
    num_turns: Any = None
    thread_name: Any = None
    cwd: Any = None
    model: Any = None
    role: Any = None
    replacement_history: Raw = Raw(b"null")


class _Envelope(Struct, gc=False):
    type: Any = None
    payload: _Payload | None = None


class _Line(Struct, frozen=True, gc=False):
    number: int  # among all records
    kind: str
    payload: JsonObject | None  # None where it is still to be decoded
    replaces: bool = False  # the history up to here


_DECODER = msgspec.json.Decoder(_Envelope)


class Seen:
    """How many records there were so far, and whether one of them holds what a person typed."""

    def __init__(self) -> None:
        self.records = 0
        self._has_typed = False

    def light(self, line: bytes) -> _Line | None:
        """Look at a line; of most of it no values are made."""
        shape = _DECODER.decode(line)
        kind, payload = shape.type, shape.payload
        if payload is None:
            return self.slow(record_of(line))
        if kind == "event_msg":
            self.records += 1
            return _Line(self.records, kind, _thin(payload)) if _tells(payload) else None
        if kind == "response_item" and (self._has_typed or payload.role != "user"):
            self.records += 1
            return _Line(self.records, kind, None)
        return self._rare(kind, payload) or self.slow(record_of(line))

    def _rare(self, kind: object, payload: _Payload) -> _Line | None:
        """What there is less of; None for what has to be decoded whole at once."""
        match kind:
            case "turn_context":
                line = _Line(self.records + 1, kind, {"cwd": payload.cwd, "model": payload.model})
            case "compacted":
                replaces = is_list(payload.replacement_history)
                line = _Line(self.records + 1, kind, None, replaces)
            case "inter_agent_communication":
                line = _Line(self.records + 1, kind, None)
            case _:
                return None
        self.records += 1
        return line

    def slow(self, record: JsonObject) -> _Line | None:
        """Look at a record whose members may be of any type."""
        self.records += 1
        found = record_at(self.records, record)
        if found is None:
            return None
        if found.kind == "response_item" and is_typed(found.payload):
            self._has_typed = self._has_typed or any(text.strip() for text in typed_texts(texts_of(found.payload)))
        replaces = found.kind == "compacted" and isinstance(found.payload.get("replacement_history"), list)
        return _Line(self.records, found.kind, found.payload, replaces)


def _tells(event: _Payload) -> bool:
    """Whether an event is more than a copy of an item for the screen."""
    told = (event.info, event.model_context_window, event.num_turns, event.thread_name)
    return told != (None, None, None, None)


def _thin(event: _Payload) -> JsonObject:
    return {name: getattr(event, name) for name in _EVENT}


def records_of(source: Source, seen: Seen | None = None) -> list[Record]:
    """The records of a session, in order, but for what tells nothing, or was replaced before anybody could need it."""
    return whole_records(source.document) or list(_records_lines(source, seen or Seen()))


def _records_lines(source: Source, seen: Seen) -> Iterator[Record]:
    lines = source.scan(seen.light, seen.slow)
    begin = max((number for number, (_, line) in enumerate(lines) if line.replaces), default=0)
    found = source.records_at((spot for spot, line in lines[begin:] if line.payload is None), record_of, slim)
    for number, (_, line) in enumerate(lines):
        if line.payload is not None:
            yield Record(f"r{line.number}", line.kind, line.payload)
        elif number >= begin:
            yield from _decoded(line, next(found), source)


def _decoded(line: _Line, record: JsonObject | None, source: Source) -> Iterator[Record]:
    found = record_at(0, record or {})
    if found is None or found.kind != line.kind:
        source.has_changed = True
    else:
        yield Record(f"r{line.number}", line.kind, found.payload)


# What a Codex session tells of its model: its name, its window, and how full that was at each call.


def usages_of(records: Iterable[Record]) -> dict[str, Usage]:
    """The size that each new event tells, by its place; the same event again tells of no new call."""
    found: dict[str, Usage] = {}
    model, before = "", None
    for record in records:
        model = _model(record) or model
        info = _info(record)
        event = (info.get("total_token_usage"), info.get("last_token_usage"))
        if not info or event == before:
            continue
        before = event
        if usage := _usage(fields(event[1]), model):
            found[record.place] = usage
    return found


def context_of(records: Sequence[Record]) -> list[Record]:
    """The records that the sizes behind them are told by: the newest model, and the newest event."""
    newest = [next((one for one in reversed(records) if tells(one)), None) for tells in (_model, _info)]
    return [record for record in newest if record is not None]


def model_of(records: Iterable[Record]) -> str | None:
    """The newest model."""
    models = [model for record in records if (model := _model(record))]
    return models[-1] if models else None


def window_of(records: Iterable[Record]) -> int | None:
    """The newest window, as Codex reckons it: less than the model has."""
    events = [record.payload for record in records if record.kind == "event_msg"]
    told = (event.get("model_context_window") or _window(event) for event in reversed(events))
    return next(filter(None, map(tokens, told)), None)


def _usage(last: JsonObject, model: str) -> Usage | None:
    """The size of a call; where there was none, as after a compaction, Codex puts its own estimate of the whole."""
    if prompt := tokens(last.get("input_tokens")):
        thought = tokens(last.get("reasoning_output_tokens"))
        return Usage(prompt, tokens(last.get("output_tokens")), model, reasoning_tokens=thought)
    whole = tokens(last.get("total_tokens"))
    return Usage(whole, 0, model, whole=True) if whole else None


def _info(record: Record) -> JsonObject:
    is_count = record.kind == "event_msg" and record.payload.get("type") == "token_count"
    return fields(record.payload.get("info")) if is_count else {}


def _window(event: JsonObject) -> object:
    return fields(event.get("info")).get("model_context_window")


def _model(record: Record) -> str:
    return word(record.payload.get("model")) if record.kind in ("session_meta", "turn_context") else ""


# The history that Codex would send: its log replayed, with what was compacted and what was taken back.


SUMMARIES = frozenset({"compaction", "compaction_summary", "context_compaction"})  # encrypted ones
_NOT_SENT = frozenset({"additional_tools", "compaction_trigger", "configuration_update", "ghost_snapshot"})
_KEPT_TOKENS = 20_000  # of the user's messages, where an old version compacted
_BYTES_PER_TOKEN = 4  # by which Codex counts these


class Entry(Struct, frozen=True):
    """An item of the history; one with a `usage` is none itself, and tells how full the window was by then."""

    id: str
    item: JsonObject
    is_summary: bool = False
    usage: Usage | None = None


def live_entries(records: Sequence[Record]) -> list[Entry]:
    """Replay the log."""
    history = _History()
    usages = usages_of(records)
    for record in records:
        if usage := usages.get(record.place):
            history.entries.append(Entry(record.place, {}, usage=usage))
        else:
            _apply(record, history)
    return history.all()


def _apply(record: Record, history: _History) -> None:
    match record.kind, record.payload:
        case "response_item", item:
            history.add(Entry(record.place, item, is_summary(item)))
        case "inter_agent_communication", {"content": str(words), **rest}:
            item = {**rest, "type": "agent_message", "content": [{"type": "input_text", "text": words}]}
            history.add(Entry(record.place, item))
        case "compacted", {"replacement_history": [*items], **rest}:
            history.replace(_replacement(record.place, objects(items), word(rest.get("message"))))
        case "compacted", payload:
            history.summarise(_summary(record.place, word(payload.get("message"))))
        case "event_msg", {"type": "thread_rolled_back", "num_turns": int(turns)} if turns is not True:
            history.roll_back(turns)


def _replacement(place: str, items: Sequence[JsonObject], summary: str) -> list[Entry]:
    """What stands in for the history from now on; the last message that says what the record says is its summary."""
    entries = [Entry(f"{place}.{number}", item, is_summary(item)) for number, item in enumerate(items, 1)]
    if any(entry.is_summary for entry in entries) or not summary.strip():
        return entries
    same = [number for number, item in enumerate(items) if item.get("role") == "user" and texts_of(item) == [summary]]
    return [Entry(entry.id, entry.item, is_summary=[number] == same[-1:]) for number, entry in enumerate(entries)]


def _summary(place: str, words: str) -> list[Entry]:
    item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": words}]}
    return [Entry(place, item, is_summary=True)] if words.strip() else []


class _History:
    """The entries so far, and where turns begin among them; `said` are the user's own from before a compaction."""

    def __init__(self) -> None:
        self.said: list[Entry] = []
        self.entries: list[Entry] = []
        self.turns: list[int] = []

    def add(self, entry: Entry) -> None:
        """Add an item, unless it is one that no model gets."""
        if word(entry.item.get("type")) in _NOT_SENT:
            return
        if is_turn(entry.item):
            self.turns.append(len(self.entries))
        self.entries.append(entry)

    def replace(self, entries: Sequence[Entry]) -> None:
        """Forget what was before."""
        self.said = []
        self.begin(entries)

    def summarise(self, summary: Sequence[Entry]) -> None:
        """Keep what the user said, as old versions did, with a summary behind it."""
        self.said += [entry for entry in self.entries if is_typed(entry.item) and not entry.is_summary]
        self.begin(summary)

    def begin(self, entries: Sequence[Entry]) -> None:
        """Go on from these entries."""
        self.entries, self.turns = [], []
        for entry in entries:
            self.add(entry)

    def roll_back(self, turns: int) -> None:
        """Take back the newest turns, with the settings told right before them; what came before the first stays."""
        if turns <= 0 or not self.turns + self.said[:1]:
            return
        if over := max(0, turns - len(self.turns)):
            del self.said[-over:]
        if self.turns:
            self._cut(self.turns[-turns:][0])

    def all(self) -> list[Entry]:
        """The whole history, with as much of what was said before as Codex keeps."""
        return [*_newest(self.said), *self.entries]

    def _cut(self, place: int) -> None:
        while place > self.turns[0] and is_update(self.entries[place - 1].item):
            place -= 1
        del self.entries[place:]
        while self.turns and self.turns[-1] >= place:
            self.turns.pop()


def _newest(said: Sequence[Entry]) -> list[Entry]:
    kept: list[Entry] = []
    room = _KEPT_TOKENS
    for entry in reversed(said):
        size = len("\n".join(texts_of(entry.item)).encode(errors="surrogatepass"))
        room -= -(-size // _BYTES_PER_TOKEN)
        if room < 0 and kept:
            break
        kept.append(entry)
    return kept[::-1]


# The items of a Codex history become messages: what one call gave is one, and so are the outputs that answer it.


def messages_of(entries: Sequence[Entry]) -> tuple[Message, ...]:
    """Merge the items of each call, and set the size beside the message that it was told of."""
    turns: list[tuple[Hashable, Message]] = []
    calls = 0
    for message in _with_sizes(entries):
        turns.append((_turn(message, len(turns), calls), message))
        calls += message.usage is not None and not message.usage.whole
    merged = (_merged([message for _, message in turn]) for _, turn in groupby(turns, key=lambda turn: turn[0]))
    return with_own_ids(merged)


def _with_sizes(entries: Sequence[Entry]) -> list[Message]:
    """A message for each item. A call's size goes to the last item that it gave, an estimate to what it ends with."""
    messages: list[Message] = []
    given: int | None = None
    whole: tuple[int, Usage] | None = None
    for entry in entries:
        if entry.usage is None:
            messages.append(message_of(entry))
            given = len(messages) - 1 if messages[-1].role == "assistant" else given
        elif entry.usage.whole:
            whole = (len(messages) - 1, entry.usage) if messages else None
        else:
            whole = None
            if given is not None:
                messages[given] = replace(messages[given], usage=entry.usage)
    if whole is not None:
        messages[whole[0]] = replace(messages[whole[0]], usage=whole[1])
    return messages


def message_of(entry: Entry) -> Message:
    """The message that one item is."""
    item, kind = entry.item, word(entry.item.get("type"))
    name = word(item.get("id")) or entry.id
    if kind in SUMMARIES:
        return Message(name, "user", (Unknown(kind, item),), is_summary=True, by_host=True)
    if kind == "agent_message":
        return Message(name, "user", parts_of(item.get("content")), by_host=True)
    if not isinstance(item.get("role"), str) and ("role" in item or not kind):
        return Message(name, "user", (Unknown(kind or "item", item),))
    message = replace(item_message(item, 0), id=name, raw=None, is_summary=entry.is_summary)
    return replace(message, by_host=message.role == "user" and (entry.is_summary or is_context(item)))


def _turn(message: Message, place: int, calls: int) -> Hashable:
    """What neighbours share that are one message; what a user or the system says stands alone."""
    if message.role == "assistant":
        return ("assistant", calls)
    return "outputs" if message.results else place


def _merged(turn: Sequence[Message]) -> Message:
    if len(turn) == 1:
        return turn[0]
    usages = [message.usage for message in turn if message.usage]
    parts = tuple(part for message in turn for part in message.parts)
    return replace(turn[0], parts=parts, usage=usages[-1] if usages else None)


# Sessions of Codex: a log of what was said, compacted and taken back.


_NAME = "codex"
_PLACED = ("session_meta", "turn_context")
_ENCRYPTED = Warning(
    "encryptedSummary", "What was said before the last compaction is encrypted: it can be neither read nor counted."
)
_ELSEWHERE = Warning("historyElsewhere", "This session goes on from another file, which is not read with it.")


def sniff(source: Source) -> bool:
    """Whether the source is a Codex session, of any version."""
    return is_session(source)


def read(source: Source) -> Chat:
    """Read the live conversation, and say what of it cannot be read."""
    return chat_of(source, records_of(source))


def chat_of(source: Source, records: Sequence[Record]) -> Chat:
    """Read the live conversation of a session's records."""
    entries = live_entries(records)
    return Chat(
        format=_NAME,
        tool=_NAME,
        messages=messages_of(entries),
        system=_instructions(records),
        model=model_of(records),
        title=given_title(records) or typed_title(records),
        workspace=workspace_of(records),
        window=window_of(records),
        warnings=(*source.damage, *_missing(records, entries)),
    )


def _instructions(records: Sequence[Record]) -> str:
    """What Codex told the model before all else, in sessions that say it."""
    told = (fields(one.payload.get("base_instructions")).get("text") for one in records if one.kind == "session_meta")
    return next(filter(None, map(word, told)), "")


def given_title(records: Sequence[Record]) -> str | None:
    """The title that the session was given last."""
    named = (word(record.payload.get("thread_name")) for record in reversed(records) if record.kind == "event_msg")
    return next(filter(None, map(title_of, named)), None)


def typed_title(records: Sequence[Record]) -> str | None:
    """A title made of what a person typed first."""
    typed = (one.payload for one in records if one.kind == "response_item" and is_typed(one.payload))
    return next(filter(None, (title_of("\n".join(typed_texts(texts_of(item)))) for item in typed)), None)


def workspace_of(records: Sequence[Record]) -> str | None:
    """The folder in which the session was held first."""
    return next(filter(None, (word(one.payload.get("cwd")) for one in records if one.kind in _PLACED)), None)


def _missing(records: Sequence[Record], entries: Sequence[Entry]) -> Iterator[Warning]:
    if any(word(entry.item.get("type")) in SUMMARIES for entry in entries):
        yield _ENCRYPTED
    if any(record.kind == "session_meta" and record.payload.get("history_base") for record in records):
        yield _ELSEWHERE


# What a Codex session sent before its newest compaction, and right after: its log, replayed up to there.


def newest(source: Source, _format: str) -> Replaced | None:
    """Replay the log up to the newest compaction, and over it."""
    records = whole_records(source.document) or list(_records_replaced(source.records))
    place = max((place for place, record in enumerate(records) if record.kind == "compacted"), default=None)
    if place is None:
        return None
    lengths = (place, place + 1)
    before, after = (tuple(messages_of(live_entries(records[:length]))) for length in lengths)
    return Replaced(before, after)


def _records_replaced(lines: Sequence[JsonObject]) -> Iterator[Record]:
    """Every record, also those that were replaced."""
    found = (record_at(number, line) for number, line in enumerate(lines, 1))
    return (record for record in found if record is not None)


# The end of a Codex session that grows: what the newest call gave and what answers it is read again, nothing else.


def follow(source: Source) -> tuple[Chat, Tail | None]:
    """Read a session, and find the place from which on it can be read by itself."""
    seen = Seen()
    records = records_of(source, seen)
    chat = chat_of(source, records)
    tail = CodexTail(chat, records, seen.records)
    return chat, tail if tail.is_sound else None


class CodexTail:
    """What was read so far, as much of it as more records may need."""

    def __init__(self, chat: Chat, records: Sequence[Record], places: int) -> None:
        self._places = places  # records in the file, those of no known kind with them
        self._model, self._window = chat.model, chat.window
        self._given, self._typed = given_title(records), typed_title(records)
        start = _last_start(records, 0)
        self._context, self._records = context_of(records[:start]), list(records[start:])
        messages = self.open()
        before = chat.messages[: len(chat.messages) - len(messages)]
        self._names = {message.id for message in before}
        self.is_sound = start > 0 and _is_settled(before) and (*before, *messages) == chat.messages

    def open(self) -> Sequence[Message]:
        """Read the messages of the newest records."""
        return messages_of(live_entries([*self._context, *self._records]))

    def grow(self, lines: bytes) -> Growth | None:
        """Read whole lines that have come to the end."""
        found = grown_records(lines)
        if found is None:
            return None
        numbered = (record_at(self._places + number, record) for number, record in enumerate(found, 1))
        records = [record for record in numbered if record is not None]
        if any(map(_changes_more, records)):
            return None
        self._places += len(found)
        self._records += records
        self._tell(records)
        return self._growth()

    def _tell(self, records: Sequence[Record]) -> None:
        self._model, self._window = model_of(records) or self._model, window_of(records) or self._window
        self._given = given_title(records) or self._given
        self._typed = self._typed or typed_title(records)

    def _growth(self) -> Growth | None:
        """Settle what came before the newest call."""
        messages = self.open()
        if not self._names.isdisjoint(message.id for message in messages):
            return None
        settled = self._settle(messages)
        self._names.update(message.id for message in settled)
        return Growth(settled, messages[len(settled) :], self._model, self._given or self._typed, self._window)

    def _settle(self, messages: Sequence[Message]) -> Sequence[Message]:
        """Keep no more records than the newest call needs; give the messages that no other record can change."""
        known = len(self._context)
        start = _last_start([*self._context, *self._records], known) - known
        if start <= 0:
            return ()
        context = context_of([*self._context, *self._records[:start]])
        newest = messages_of(live_entries([*context, *self._records[start:]]))
        settled = messages[: len(messages) - len(newest)]
        if not _is_settled(settled) or (*settled, *newest) != tuple(messages):
            return ()
        self._context, self._records = context, self._records[start:]
        return settled


def _is_settled(messages: Sequence[Message]) -> bool:
    """Whether no estimate of the whole stands among the messages: the next size takes it away."""
    return not any(message.usage and message.usage.whole for message in messages)


def _last_start(records: Sequence[Record], first: int) -> int:
    """Where the newest call begins to give something; 0 where a record behind it says something of what was before."""
    for place in range(len(records) - 1, first, -1):
        if _changes_more(records[place]):
            return 0
        if _begins(records, place):
            return place
    return 0


def _begins(records: Sequence[Record], place: int) -> bool:
    """Whether a call begins to give something here: the item before this one is none of the assistant's."""
    if not _is_given(records[place]):
        return False
    before = next((one for one in reversed(records[:place]) if one.kind == "response_item"), None)
    return before is not None and not _is_given(before)


def _is_given(record: Record) -> bool:
    if record.kind != "response_item":
        return False
    return message_of(Entry(record.place, record.payload)).role == "assistant"


def _changes_more(record: Record) -> bool:
    """Whether a record says something of what was before it."""
    match record.kind, record.payload:
        case (("compacted" | "session_meta"), _):
            return True
        case "event_msg", {"type": "thread_rolled_back"}:
            return True
        case "response_item", item:
            return word(item.get("type")) in SUMMARIES or is_summary(item)
    return False


def heading(source: Source) -> Chat:
    """Read the title and the folder alone, as a listing shows them."""
    records = records_of(source)
    title = given_title(records) or typed_title(records)
    return Chat(_NAME, _NAME, (), title=title, workspace=workspace_of(records))
