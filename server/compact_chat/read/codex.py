"""Codex sessions: a log of what was said, compacted and taken back (docs/formats.md#codex).

    {"type":"session_meta","payload":{"id":"0199-a","cwd":"/home/ada/shop","base_instructions":{"text":"You are ..."}}}
    {"type":"turn_context","payload":{"cwd":"/home/ada/shop","model":"gpt-5.4"}}
    {"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Hi"}]}}
    {"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{...}","call_id":"call_1"}}
    {"type":"response_item","payload":{"type":"function_call_output","call_id":"call_1","output":"def tax(x): ..."}}
    {"type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":9000,...},...}}}

https://github.com/openai/codex/blob/main/codex-rs/protocol/src/protocol.rs defines the records, and what a resumed
session sends is made in https://github.com/openai/codex/blob/main/codex-rs/core/src/session/rollout_reconstruction.rs.

One pass takes what the records say of the session and leaves the items of the history undecoded, since a compaction
may replace them. Those behind the newest compaction are decoded, and `codex_history` replays the log. For a session of
2.8 MB that takes 5 ms and 1.6 MB; decoding every item as it comes would take 11 ms and 6 MB.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from compact_chat.chat import Chat, JsonObject, Message, Usage, Warning
from compact_chat.read.apis import ROLELESS_ITEMS
from compact_chat.read.codex_history import (
    ENCRYPTED,
    Compacted,
    Entry,
    Item,
    Record,
    item_messages,
    item_of,
    live_entries,
    messages_of,
    typed_texts,
)
from compact_chat.read.growing import Growth, Replaced, Tail
from compact_chat.read.jsonl import grown_records, record_of, slim
from compact_chat.read.loose import fields, loose, objects, title_of, tokens, word
from compact_chat.read.source import Source

_NAME = "codex"


class TokenUsage(Struct):
    """The size of a call; right after a compaction zeros, but for Codex's own estimate of the total."""

    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_output_tokens: int = 0
    total_tokens: int = 0


class TokenInfo(Struct):
    """The newest call, and all calls so far; events repeat it."""

    last_token_usage: TokenUsage | None = None
    total_token_usage: TokenUsage | None = None
    model_context_window: int | None = None


class Instructions(Struct):
    """What Codex told the model before all else."""

    text: str = ""


class Skipped(Struct):
    """An item of which the first pass needs nothing."""


class Payload(Item):
    """What a record carries: an item, or what follows here, as far as the first pass needs it."""

    # session_meta, which may repeat, as in forks, and turn_context
    cwd: str = ""
    model: str | None = None
    base_instructions: Instructions | None = None
    history_base: Any = None  # where it is given, the session goes on from another file
    source: Any = None  # what the session was begun for: {"subagent": ...} by another one
    # event_msg: most copy an item for the screen; these fields are of token_count, thread_rolled_back, ...
    info: TokenInfo | None = None
    model_context_window: int | None = None
    num_turns: int = 0
    thread_name: str | None = None
    # compacted
    replacement_history: list[Skipped] | None = None


class Envelope(Struct):
    """A line of the log."""

    type: str = ""
    payload: Payload | None = None


# A session of any age: lines in envelopes, bare items behind a bare header, or one object.


_HISTORY = ("compacted", "inter_agent_communication", "response_item")
_ASIDE = ("inter_agent_communication_metadata", "security_risk_score", "world_state")  # say nothing that we need
_KINDS = frozenset({"session_meta", "turn_context", "event_msg", *_HISTORY, *_ASIDE})
_BARE_ITEMS = ROLELESS_ITEMS | {"message"}
_BARE_HEADER = frozenset({"id", "timestamp", "instructions", "git"})


def sniff(source: Source) -> bool:
    """Whether the source is a session, of any version."""
    if source.strict:
        return False
    if _is_object(fields(source.document)):
        return True
    records = source.records
    if any(_unwrapped(record)[1] is not record for record in records) or any(map(_is_bare_header, records[:1])):
        return True
    has_states = any(record.get("record_type") == "state" and "type" not in record for record in records)
    return has_states and any(word(record.get("type")) in _BARE_ITEMS for record in records)


def _is_object(document: JsonObject) -> bool:
    """Whether a document is the oldest form: the header and all items in one object."""
    session = fields(document.get("session"))
    return isinstance(document.get("items"), list) and "id" in session and "timestamp" in session


def _is_bare_header(record: JsonObject) -> bool:
    is_named = word(record.get("id")) and word(record.get("timestamp"))
    return bool(is_named) and len(record) > 2 and _BARE_HEADER.issuperset(record)


def _unwrapped(record: JsonObject) -> tuple[str, JsonObject]:
    """Give the kind of a record and what it carries; no kind for a record that is none of Codex's."""
    kind, payload = word(record.get("type")), record.get("payload")
    if kind in _KINDS and isinstance(payload, dict):
        return kind, payload
    return ("response_item" if kind in _BARE_ITEMS else ""), record


class Session:
    """What the records so far say of the whole, and those behind the newest compaction that replaced the others."""

    def __init__(self) -> None:
        self.count = 0  # of records of any kind
        self.records: list[Record] = []
        self.system = self.workspace = self.model = ""
        self.window: int | None = None
        self.is_continuation = False  # of another file
        self.is_sub_agent = False
        self._name = self._typed = ""
        self._counted: tuple[TokenUsage | None, TokenUsage | None] = (None, None)  # by the event before
        self._envelopes = msgspec.json.Decoder(Envelope)

    @property
    def title(self) -> str | None:
        """The name that was given last, else what a person typed first."""
        return title_of(self._name) or title_of(self._typed)

    def light(self, line: bytes) -> Record | None:
        """Take in the record on a line; raises a ValueError for one without an envelope."""
        envelope = self._envelopes.decode(line)
        if envelope.payload is None or envelope.type not in _KINDS:
            raise ValueError("That is no record of today.")
        return self._note(envelope.type, envelope.payload)

    def slow(self, record: JsonObject) -> Record | None:
        """Take in a record of any age whose members may be of any type."""
        kind, payload = _unwrapped(record)
        return self._note(kind, loose(Payload, payload))

    def whole(self, records: Iterable[JsonObject]) -> list[Record]:
        """Take in records and decode them."""
        taken: list[Record] = []
        for value in records:
            if record := self.slow(value):
                record.step = _decoded(*_unwrapped(value)) if record.step is None else record.step
                taken.append(record)
        return taken

    def _note(self, kind: str, payload: Payload) -> Record | None:
        self.count += 1
        step: Usage | int | None = None
        match kind:
            case "response_item":
                if not self._typed and payload.is_typed:
                    self._typed = title_of("\n".join(typed_texts(payload.texts))) or ""
            case "event_msg":
                step = self._note_event(payload)
            case "session_meta" | "turn_context":
                self.model = payload.model or self.model
                self.workspace = self.workspace or payload.cwd
                if kind == "session_meta":
                    self.system = self.system or (payload.base_instructions.text if payload.base_instructions else "")
                    self.is_continuation |= bool(payload.history_base)
                    self.is_sub_agent |= self.count == 1 and "subagent" in fields(payload.source)
        if kind not in _HISTORY and step is None:
            return None
        return Record(self.count, kind, step, kind == "compacted" and payload.replacement_history is not None)

    def _note_event(self, event: Payload) -> Usage | int | None:
        """Give the size of a new call, or how many turns were taken back."""
        if event.thread_name:
            self._name = event.thread_name.strip() or self._name
        info = event.info or TokenInfo()
        if window := event.model_context_window or info.model_context_window:
            self.window = tokens(window) or self.window
        if event.type == "thread_rolled_back":
            return event.num_turns
        counted = (info.total_token_usage, info.last_token_usage)
        if event.type != "token_count" or counted in (self._counted, (None, None)):
            return None
        self._counted = counted
        last = info.last_token_usage or TokenUsage()
        if prompt := tokens(last.input_tokens):
            reasoning = tokens(last.reasoning_output_tokens)
            return Usage(prompt, tokens(last.output_tokens), self.model, reasoning_tokens=reasoning)
        whole = tokens(last.total_tokens)
        return Usage(whole, 0, self.model, whole=True) if whole else None


def _decoded(kind: str, payload: JsonObject) -> Item | Compacted | None:
    """Decode a record of the history; None for one that says nothing."""
    match kind:
        case "response_item":
            return item_of(payload)
        case "compacted":
            return loose(Compacted, payload)
        case "inter_agent_communication" if isinstance(words := payload.get("content"), str):
            return item_of({**payload, "type": "agent_message", "content": [{"type": "input_text", "text": words}]})
    return None


def session_of(source: Source) -> Session:
    """Go through a session, and decode the history that no compaction has replaced."""
    session = Session()
    document = fields(source.document)
    if _is_object(document):
        session.count = -1  # the first item is r1
        session.slow({"type": "session_meta", "payload": document["session"]})
        items = objects(document["items"])
        session.records = session.whole({"type": "response_item", "payload": item} for item in items)
        return session
    kept = source.scan(session.light, session.slow)
    begin = max((number for number, (_, record) in enumerate(kept) if record.replaces), default=0)
    found = source.records_at((spot for spot, record in kept[begin:] if record.step is None), record_of, slim)
    for _, record in kept[begin:]:
        if record.step is None:
            value = next(found)
            kind, payload = _unwrapped(value or {})
            source.has_changed |= value is None or kind not in (record.kind, "")
            record.step = _decoded(kind, payload)
        session.records.append(record)
    return session


def read(source: Source) -> Chat:
    """Read the live conversation, and warn of what cannot be read."""
    return _chat(source, session_of(source))


def heading(source: Source) -> Chat:
    """Read the title and the folder alone, as a listing shows them."""
    session = session_of(source)
    return Chat(
        _NAME, _NAME, (), title=session.title, workspace=session.workspace or None, is_sub_agent=session.is_sub_agent
    )


def _chat(source: Source, session: Session) -> Chat:
    entries = live_entries(session.records)
    warnings = [*source.damage]
    if any(isinstance(entry, Entry) and entry.item.type in ENCRYPTED for entry in entries):
        text = "What was said before the last compaction is encrypted: it can be neither read nor counted."
        warnings.append(Warning("encryptedSummary", text))
    if session.is_continuation:
        text = "This session goes on from another file, which is not read with it."
        warnings.append(Warning("historyElsewhere", text))
    return Chat(
        format=_NAME,
        tool=_NAME,
        messages=messages_of(entries),
        system=session.system,
        model=session.model or None,
        title=session.title,
        workspace=session.workspace or None,
        window=session.window,
        is_sub_agent=session.is_sub_agent,
        warnings=tuple(warnings),
    )


# What the newest compaction replaced.


def newest(source: Source, _format: str) -> Replaced | None:
    """Replay the log up to the newest compaction, and over it."""
    records = session_of(source).records if source.document else Session().whole(source.records)
    place = max((place for place, record in enumerate(records) if record.kind == "compacted"), default=None)
    if place is None:
        return None
    before, after = (messages_of(live_entries(records[:length])) for length in (place, place + 1))
    return Replaced(before, after)


# A session that grows: only what the newest call gave and what answers it is read again.


def follow(source: Source) -> tuple[Chat, Tail | None]:
    """Read a session, and find the place from which on it can be read by itself."""
    session = session_of(source)
    chat = _chat(source, session)
    tail = _CodexTail(session, chat)
    return chat, tail if tail.is_sound else None


class _CodexTail:
    """The records of the newest call, and what the whole session says of itself."""

    def __init__(self, session: Session, chat: Chat) -> None:
        self._session = session
        start = _last_start(session.records)
        self._records, session.records = session.records[start:], []
        messages = self.open()
        before = chat.messages[: len(chat.messages) - len(messages)]
        self._ids = {message.id for message in before}
        self.is_sound = start > 0 and _is_settled(before) and (*before, *messages) == chat.messages

    def open(self) -> tuple[Message, ...]:
        """Read the messages of the newest records."""
        return messages_of(live_entries(self._records))

    def grow(self, lines: bytes) -> Growth | None:
        """Read whole lines that have come to the end."""
        found = grown_records(lines)
        if found is None or any(_unwrapped(record)[0] == "session_meta" for record in found):
            return None
        records = self._session.whole(found)
        if any(map(_changes_more, records)):
            return None
        self._records += records
        messages = self.open()
        if not self._ids.isdisjoint(message.id for message in messages):
            return None
        records = self._records[_last_start(self._records) :]
        newest = messages_of(live_entries(records))
        settled = messages[: len(messages) - len(newest)]
        if _is_settled(settled) and (*settled, *newest) == messages:
            self._records = records
            self._ids.update(message.id for message in settled)
        else:
            settled = ()
        session = self._session
        return Growth(settled, messages[len(settled) :], session.model or None, session.title, session.window)


def _is_settled(messages: Sequence[Message]) -> bool:
    """Whether no estimate of the whole is among the messages: the next size takes it away."""
    return not any(message.usage and message.usage.whole for message in messages)


def _last_start(records: Sequence[Record]) -> int:
    """Find where the newest call begins to give something; 0 if a record behind it changes what was before."""
    given = 0
    for place in range(len(records) - 1, -1, -1):
        step = records[place].step
        if _changes_more(records[place]):
            return 0
        if isinstance(step, Item):
            if item_messages(Entry("", step))[0].role == "assistant":
                given = place
            elif given:
                return given
    return 0


def _changes_more(record: Record) -> bool:
    """Whether a record changes what was before it."""
    step = record.step
    if isinstance(step, Item):
        return step.type in ENCRYPTED or step.is_summary
    return isinstance(step, Compacted | int)
