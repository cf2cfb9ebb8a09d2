"""Codex sessions: a log of what was said, compacted and taken back (docs/formats.md#codex).

    {"type":"session_meta","payload":{"id":"0199-a","cwd":"/home/ada/shop","base_instructions":{"text":"You are ..."}}}
    {"type":"turn_context","payload":{"cwd":"/home/ada/shop","model":"gpt-5.4"}}
    {"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Hi"}]}}
    {"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{...}","call_id":"call_1"}}
    {"type":"response_item","payload":{"type":"function_call_output","call_id":"call_1","output":"def tax(x): ..."}}
    {"type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":9000,...},...}}}

https://github.com/openai/codex/blob/main/codex-rs/protocol/src/protocol.rs defines the records. Which items a resumed
session sends, and what compactions and taken-back turns change, is the same here as in
https://github.com/openai/codex/blob/main/codex-rs/core/src/session/rollout_reconstruction.rs
(docs/formats.md#codex-live-conversation).

One pass takes what the records say of the session and leaves the items of the history undecoded, since a compaction
may replace them. Those behind the newest compaction are decoded, and the log is replayed. For a session of 2.8 MB that
takes 5 ms and 1.6 MB; decoding every item as it comes would take 11 ms and 6 MB.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import chain, filterfalse, groupby, takewhile
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import (
    SEALED,
    Chat,
    JsonObject,
    Message,
    Opening,
    OwnCompaction,
    Text,
    ToolCall,
    ToolResult,
    Unknown,
    Usage,
    Warning,
)
from compact_chat.read.apis import ROLELESS_ITEMS, item_message, parts_of
from compact_chat.read.formats import Growth, Replacement
from compact_chat.read.loose import check_length, fields, loose, objects, title_of, tokens, with_own_ids, word
from compact_chat.read.source import Source
from compact_chat.text import outside

_NAME = "codex"


class Content(Struct):
    """A content block; one without text reads as empty."""

    text: str = ""


class Passthrough(Struct):
    """Annotations of newer versions on each text of a message."""

    content_item_kinds: list[str] = []


class Item(Struct):
    """An item of the history; `raw` is the whole item."""

    type: str = ""
    id: str | None = None
    role: str | None = None
    content: list[Content] | str | None = None
    internal_chat_message_metadata_passthrough: Passthrough | None = None
    raw: JsonObject = {}

    @property
    def texts(self) -> list[str]:
        """The content, one string per block."""
        return [self.content] if isinstance(self.content, str) else [block.text for block in self.content or ()]

    @property
    def is_noted_typed(self) -> bool | None:
        """Whether a person wrote the message, where Codex says so: newer versions record the kind of each text."""
        noted, texts = self.internal_chat_message_metadata_passthrough, self.texts
        if not noted or not texts or len(noted.content_item_kinds) != len(texts):
            return None
        return any(kind.startswith(_TYPED_KINDS) or kind in ("", "unknown") for kind in noted.content_item_kinds)

    @property
    def is_context(self) -> bool:
        """Whether Codex wrote the message."""
        return any(map(_is_wrapped, self.texts)) if self.is_noted_typed is None else not self.is_noted_typed

    @property
    def is_summary(self) -> bool:
        """Whether it is the summary of an earlier compaction."""
        return self.role == "user" and any(text.startswith(_SUMMARY) for text in self.texts[:1])

    @property
    def is_typed(self) -> bool:
        """Whether it holds what a person typed."""
        return self.role == "user" and not self.is_context and not self.is_summary

    @property
    def is_setting(self) -> bool:
        """Whether it is a changed setting for the model, ahead of the turn that it applies to."""
        if self.role == "developer":
            return any(text.lstrip().startswith("<") for text in self.texts)
        return self.role == "user" and self.is_context


class TokenUsage(Struct):
    """The size of a call."""

    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_output_tokens: int = 0


class TokenInfo(Struct):
    """The newest call, and all calls so far; events repeat it."""

    last_token_usage: TokenUsage | None = None
    total_token_usage: TokenUsage | None = None
    model_context_window: int | None = None


class Instructions(Struct):
    """The system prompt."""

    text: str = ""


class Skipped(Struct):
    """An item that the first pass skips."""


class Payload(Item):
    """What a record carries: an item, or the fields that the first pass needs."""

    # session_meta, which may repeat, as in forks, and turn_context
    cwd: str = ""
    cli_version: str = ""
    model: str | None = None
    base_instructions: Instructions | None = None
    history_base: Any = None  # if present, the session continues from another file
    source: Any = None  # the session's origin: {"subagent": ...} for one started by another session
    # event_msg: most copy an item for the screen; these fields are of token_count, thread_rolled_back, ...
    info: TokenInfo | None = None
    model_context_window: int | None = None
    num_turns: int = 0
    thread_name: str | None = None
    # compacted
    replacement_history: list[Skipped] | None = None


class Line(Payload):
    """A line of the log: an envelope, or a bare item, as the first versions wrote it."""

    payload: Payload | None = None


class Compacted(Struct):
    """What replaces the history so far; older versions wrote only a summary, newer ones may encrypt it."""

    message: str = ""
    replacement_history: list[JsonObject] | None = None


class Search(Struct):
    """`web_search_call`: the provider searches by itself, and only the model sees the results."""

    status: str = "completed"
    action: JsonObject = {}  # {"type": "search", "query": ...}, {"type": "open_page", "url": ...}, ...


def item_of(raw: JsonObject) -> Item:
    """Decode an item."""
    item = loose(Item, raw)
    item.raw = raw
    return item


# A session of any version: lines in envelopes, bare items behind a bare header, or one object.


_HISTORY = ("compacted", "inter_agent_communication", "response_item")
_UNUSED = ("inter_agent_communication_metadata", "security_risk_score", "world_state")
_KINDS = frozenset({"session_meta", "turn_context", "event_msg", *_HISTORY, *_UNUSED})
_BARE_ITEMS = ROLELESS_ITEMS | {"message"}
_BARE_HEADER = frozenset({"id", "timestamp", "instructions", "git"})


def sniff(source: Source) -> bool:
    """Return whether the source is a session, of any version."""
    if _is_object(fields(source.document)):
        return True
    records = source.records
    if any(_unwrapped(record)[1] is not record for record in records):
        return True
    for header in records[:1]:
        is_named = word(header.get("id")) and word(header.get("timestamp"))
        if is_named and len(header) > 2 and _BARE_HEADER.issuperset(header):
            return True
    has_states = any(record.get("record_type") == "state" and "type" not in record for record in records)
    return has_states and any(word(record.get("type")) in _BARE_ITEMS for record in records)


def _is_object(document: JsonObject) -> bool:
    """Return whether a document is the oldest form: the header and all items in one object."""
    session = fields(document.get("session"))
    return isinstance(document.get("items"), list) and "id" in session and "timestamp" in session


def _unwrapped(record: JsonObject) -> tuple[str, JsonObject]:
    """Return a record's kind and payload; an empty kind if it is not Codex's."""
    kind, payload = word(record.get("type")), record.get("payload")
    if kind in _KINDS and isinstance(payload, dict):
        return kind, payload
    return ("response_item" if kind in _BARE_ITEMS else ""), record


class Record(Struct, gc=False):
    """A record of the history; its number identifies it while the file only grows."""

    number: int
    kind: str
    step: Item | Compacted | Usage | int | None  # an int: how many turns are rolled back; None: not decoded yet
    replaces: bool = False  # tokens of the history up to here

    def decode(self, value: JsonObject) -> None:
        """Decode the whole record, unless the first pass took all that is needed."""
        if self.step is not None:
            return
        kind, payload = _unwrapped(value)
        if kind == "response_item":
            self.step = item_of(payload)
        elif kind == "compacted":
            self.step = loose(Compacted, payload)
        elif kind and isinstance(words := payload.get("content"), str):  # from another agent
            content = [{"type": "input_text", "text": words}]
            self.step = item_of({**payload, "type": "agent_message", "content": content})


class Session:
    """The session so far, and the records after the newest compaction that replaced the others."""

    def __init__(self) -> None:
        self.count = 0  # of records of any kind
        self._live = 0  # messages since the newest compaction or taken-back turn
        self.records: list[Record] = []
        self.first: list[Record] = []  # up to the first call, if the session was compacted
        self.system = self.workspace = self.model = self.version = ""
        self.window: int | None = None
        self.is_continuation = False  # from another file
        self.is_sub_agent = False
        self.compactions: list[OwnCompaction] = []
        self._has_compacted = False  # in this turn
        self._size = self._passed = 0  # since a compaction: of the newest call, and of the largest before it
        self._turn = -1  # how many items the turn has brought so far; -1: no turn has begun
        self._name = self._typed = ""
        self._counted: tuple[TokenUsage | None, TokenUsage | None] = (None, None)  # by the event before

    @property
    def title(self) -> str | None:
        """The last name given, else what a person typed first."""
        return title_of(self._name) or title_of(self._typed)

    def note(self, line: Line) -> Record | None:
        """Add the next record."""
        self.count += 1
        if line.type in _KINDS and line.payload is not None:
            kind, payload = line.type, line.payload
        else:
            kind, payload = ("response_item" if line.type in _BARE_ITEMS else ""), line
        step: Usage | int | None = None
        match kind:
            case "compacted":
                self._live = 0
                size, passed = self._size, self._passed
                found = OwnCompaction(self._turn > 0, size, 0, size, self.model, self.version, passed)
                self.compactions.append(found)
                self._has_compacted, self._size, self._passed = True, 0, 0
            case "response_item":
                self._note_item()
                self._live += payload.type == "message"
                check_length(self._live)
                if not self._typed and payload.is_typed:
                    self._typed = title_of("\n".join(typed_texts(payload.texts) or payload.texts)) or ""
            case "event_msg":
                step = self._note_event(payload)
            case "session_meta" | "turn_context":
                self.model = payload.model or self.model
                self.workspace = self.workspace or payload.cwd
                self.version = payload.cli_version or self.version
                self.system = self.system or (payload.base_instructions.text if payload.base_instructions else "")
                self.is_continuation |= bool(payload.history_base)
                self.is_sub_agent |= self.count == 1 and "subagent" in fields(payload.source)
        if kind not in _HISTORY and step is None:
            return None
        return Record(self.count, kind, step, kind == "compacted" and payload.replacement_history is not None)

    def _note_event(self, event: Payload) -> Usage | int | None:
        """Return the size of a new call, or the number of turns rolled back."""
        if event.thread_name:
            self._name = event.thread_name.strip() or self._name
        info = event.info or TokenInfo()
        if window := event.model_context_window or info.model_context_window:
            self.window = tokens(window) or self.window
        if event.type == "thread_rolled_back":
            self._live = 0
            return event.num_turns
        if event.type == "task_started":
            self._turn, self._has_compacted = 0, False
        counted = (info.total_token_usage, info.last_token_usage)
        if event.type != "token_count" or counted in (self._counted, (None, None)):
            return None
        self._counted = counted
        last = info.last_token_usage or TokenUsage()
        # Right after a compaction all is zero but the total, Codex's own estimate: without the tools, and without the
        # instructions that the next call begins with again.
        if not (prompt := tokens(last.input_tokens)):
            return None
        if self.compactions and not self._size:  # the first call after a compaction shows what this left
            self.compactions[-1] = replace(self.compactions[-1], after=prompt)
        output, reasoning = tokens(last.output_tokens), tokens(last.reasoning_output_tokens)
        self._size, self._passed = prompt + output, max(self._passed, self._size)
        return Usage(prompt, output, self.model, reasoning_tokens=reasoning)

    def _note_item(self) -> None:
        """Note an item; a turn that compacts and brings no item is one in which the user asked for nothing else."""
        if self._turn == 0 and self._has_compacted:
            self.compactions[-1] = replace(self.compactions[-1], automatic=True)
        self._turn += self._turn >= 0

    def whole(self, values: Iterable[JsonObject]) -> list[Record]:
        """Add records and decode them."""
        taken: list[Record] = []
        for value in values:
            if record := self.note(loose(Line, value)):
                record.decode(value)
                taken.append(record)
        return taken


_OPENING_RECORDS = 200  # a session that has no call within them says nothing of its beginning


def session_of(source: Source) -> Session:
    """Read a session in one pass, and decode the history that no compaction has replaced."""
    session = Session()
    document = fields(source.document)
    if _is_object(document):
        session.count = -1  # the first item is r1
        header = {"type": "session_meta", "payload": document["session"]}
        items = ({"type": "response_item", "payload": item} for item in objects(document["items"]))
        session.records = session.whole((header, *items))
        return session
    kept = source.scan(Line, session.note)
    begin = max((number for number, (_, record) in enumerate(kept) if record.replaces), default=0)
    session.records = [record for _, record in kept[begin:]]
    compacted = max((number for number, (_, record) in enumerate(kept) if record.kind == "compacted"), default=0)
    first = kept[: min(compacted, _OPENING_RECORDS)]
    called = next((place for place, (_, record) in enumerate(first, 1) if isinstance(record.step, Usage)), 0)
    session.first = [record for _, record in first[:called]]
    replaced = kept[: min(called, begin)]
    undecoded = [(spot, record) for spot, record in (*replaced, *kept[begin:]) if record.step is None]
    for (_, record), value in zip(undecoded, source.values_at(spot for spot, _ in undecoded), strict=True):
        source.has_changed |= value is None or _unwrapped(value)[0] != record.kind
        record.decode(value or {})
    return session


def read(source: Source) -> Chat:
    """Read the live conversation, and warn of what cannot be read."""
    return _chat(source, session_of(source))


def _chat(source: Source, session: Session) -> Chat:
    entries = live_entries(session.records)
    warnings = [*source.damage]
    if any(isinstance(entry, Entry) and entry.item.type in _ENCRYPTED for entry in entries):
        text = "Codex encrypted its summary of the last compaction: it can be neither read nor counted."
        warnings.append(Warning(SEALED, text))
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
        version=session.version,
        opening=_opening(session.first),
        compactions=tuple(session.compactions),
        is_sub_agent=session.is_sub_agent,
        warnings=tuple(warnings),
    )


def _opening(first: Sequence[Record]) -> Opening | None:
    """Read what was said before the first call, and the size of that."""
    usage = first[-1].step if first else None
    messages = messages_of(live_entries(first[:-1]))
    said = tuple(takewhile(lambda message: message.role != "assistant", messages))
    return Opening(said, usage) if isinstance(usage, Usage) else None


# Text in user messages: wrappers and summaries (docs/formats.md#codex-text-in-the-users-name).


_OPENING = re.compile(
    r"<(environment_context|user_instructions|skill|user_shell_command|turn_aborted|subagent_notification"
    r"|agent_message_board_notification|recommended_plugins|goal_context|codex_internal_context|hook_prompt"
    r"|user_action|external_\w{1,100})\b",
    re.IGNORECASE,
)
_WRAPPER = re.compile(  # the elements that no person writes, wherever they stand
    r"(?:# AGENTS\.md instructions[^\n]{0,1000}\s{1,9}<(?=instructions>)|<(?!instructions))"
    r"(instructions|environment_context|user_instructions|turn_aborted|subagent_notification"
    r"|agent_message_board_notification|recommended_plugins|goal_context|codex_internal_context|hook_prompt)"
    r"(?:\s[^<>]{0,500})?>",
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
_APP_NOTES, _APP_REQUEST = "# ", "\n## My request for Codex:"  # of an editor or the desktop app
_IMAGE_TAG = re.compile(r"\s*(?:<image\b[^>\n]{0,1000}>|</image>)\s*\Z")  # around a picture
_TYPED_KINDS = ("user.", "images.", "audio.")


def typed_texts(texts: Iterable[str]) -> list[str]:
    """Return the texts of a message without what Codex, an editor or the app puts around the person's words."""
    own = (_request(text) for text in texts if not _IMAGE_TAG.match(text))
    return [piece for text in own for piece in outside(text, _WRAPPER)]


def _request(text: str) -> str:
    """Return a text without what an editor or the app puts in front."""
    return (text.partition(_APP_REQUEST)[2].strip() if text.lstrip().startswith(_APP_NOTES) else "") or text


def _is_wrapped(text: str) -> bool:
    """Return whether a text is a wrapper from its first to its last character: a person may mention one."""
    text = text.strip()
    start, end = _AGENTS
    if text[: len(start)].lower() == start:
        return text[-len(end) :].lower() == end
    if opening := _OPENING.match(text):
        closing = f"</{opening[1]}>"
        return text[-len(closing) :].lower() == closing.lower()
    return text.startswith(_WARNINGS)


# The log, replayed: the history that Codex would send.


_ENCRYPTED = frozenset({"compaction", "compaction_summary", "context_compaction"})  # items that are summaries
_NOT_SENT = frozenset({"additional_tools", "compaction_trigger", "configuration_update", "ghost_snapshot"})
_KEPT_TOKENS, _BYTES_PER_TOKEN = 20_000, 4  # tokens of user messages kept by old versions' compactions, as Codex counts


class Entry(Struct, frozen=True):
    """An item of the history."""

    id: str
    item: Item
    is_summary: bool = False


class _History:
    """The entries so far, and where turns begin among them; `kept` are the user's own from before a compaction."""

    def __init__(self) -> None:
        self.kept: list[Entry] = []
        self._tokens = [0]  # of the first ones of these, none to all
        self.entries: list[Entry | Usage] = []
        self._turns: list[int] = []

    @property
    def first(self) -> int:
        """The place of the first message kept that Codex has room for; the newest is sent in any case."""
        return max(0, min(bisect_left(self._tokens, self._tokens[-1] - _KEPT_TOKENS), len(self.kept) - 1))

    def apply(self, record: Record) -> None:
        """Take in the next record of the log."""
        name = f"r{record.number}"
        match record.step:
            case Item() as item:
                self._add(Entry(name, item, item.is_summary))
            case Usage() as usage:
                self.entries.append(usage)
            case int(turns):
                self._roll_back(turns)
            case Compacted(summary, replacement):
                self._compact(name, summary, replacement)

    def live(self, but: range = range(0)) -> list[Entry | Usage]:
        """Give what is sent, but for some of the messages kept, by their places."""
        kept = (self.kept[self.first : but.start], self.kept[but.stop :]) if but else (self.kept[self.first :],)
        return [*chain.from_iterable(kept), *self.entries]

    def _add(self, entry: Entry) -> None:
        """Add an item, unless it is one that no model gets; words of a user or another agent begin a turn."""
        item = entry.item
        if item.type in _NOT_SENT:
            return
        if item.type == "agent_message" or (item.role == "user" and not item.is_context):
            self._turns.append(len(self.entries))
        self.entries.append(entry)

    def _compact(self, name: str, summary: str, replacement: list[JsonObject] | None) -> None:
        """Forget what was before; without a replacement, as in old versions, but for what the user said.

        Unless an item of the replacement is a summary, the last that says what the record says is one.
        """
        entries = [entry for entry in self.entries if isinstance(entry, Entry)]
        self.entries, self._turns = [], []
        if replacement is None:
            for entry in entries:
                if entry.item.is_typed and not entry.is_summary:
                    size = len("\n".join(entry.item.texts).encode(errors="surrogatepass"))
                    self._tokens.append(self._tokens[-1] - (-size // _BYTES_PER_TOKEN))
                    self.kept.append(entry)
            if summary.strip():
                content = [{"type": "input_text", "text": summary}]
                item = item_of({"type": "message", "role": "user", "content": content})
                self._add(Entry(name, item, is_summary=True))
            return
        self.kept, self._tokens = [], [0]
        items = list(map(item_of, replacement))
        marked = [number for number, item in enumerate(items) if item.is_summary]
        if not marked and summary.strip():
            same = [number for number, item in enumerate(items) if item.role == "user" and item.texts == [summary]]
            marked = same[-1:]
        for number, item in enumerate(items):
            self._add(Entry(f"{name}.{number + 1}", item, number in marked))

    def _roll_back(self, turns: int) -> None:
        """Take back the newest turns, with the settings right before them; what came before the first stays."""
        if turns <= 0 or not (self._turns or self.kept):
            return
        if over := max(0, turns - len(self._turns)):
            del self.kept[-over:]
            del self._tokens[len(self.kept) + 1 :]
        if not self._turns:
            return
        place = self._turns[-turns:][0]
        while place > self._turns[0]:
            before = self.entries[place - 1]
            if not (isinstance(before, Entry) and before.item.is_setting):
                break
            place -= 1
        del self.entries[place:]
        while self._turns and self._turns[-1] >= place:
            self._turns.pop()


def live_entries(records: Iterable[Record]) -> list[Entry | Usage]:
    """Replay the log; sizes follow the items of their calls."""
    history = _History()
    for record in records:
        history.apply(record)
    return history.live()


# Items become messages: one for the output of each call, and one for the results that answer it.


def messages_of(entries: Sequence[Entry | Usage]) -> tuple[Message, ...]:
    """Merge the items of each call, and put its size on the last of them."""
    messages: list[Message] = []
    given: int | None = None  # the newest message of a call
    for entry in entries:
        if isinstance(entry, Entry):
            made = item_messages(entry)
            given = len(messages) if made[0].role == "assistant" else given
            messages += made
        elif given is not None:
            messages[given] = replace(messages[given], usage=entry)
    keyed: list[tuple[Hashable, Message]] = []
    calls = 0
    for place, message in enumerate(messages):
        key = ("call", calls) if message.role == "assistant" else "outputs" if message.results else place
        keyed.append((key, message))
        calls += message.usage is not None
    merged: list[Message] = []
    for _, pairs in groupby(keyed, key=lambda pair: pair[0]):
        group = [message for _, message in pairs]
        if len(group) > 1:
            usages = [message.usage for message in group if message.usage]
            parts = tuple(part for message in group for part in message.parts)
            group[0] = replace(group[0], parts=parts, usage=usages[-1] if usages else None)
        merged.append(group[0])
    return with_own_ids(merged)


def item_messages(entry: Entry) -> list[Message]:
    """Make the messages of an item; two for a search, which is a call and what is recorded of its result."""
    item = entry.item
    name = item.id or entry.id
    if item.type in _ENCRYPTED:
        return [Message(name, "user", (Unknown(item.type, item.raw),), is_summary=True, by_host=True)]
    if item.type == "agent_message":
        return [Message(name, "user", parts_of(item.raw.get("content")), by_host=True)]
    if item.type == "web_search_call":
        search = loose(Search, item.raw)
        found = ToolResult(name, (Text(search.status),), is_error=search.status == "failed", as_text=True)
        call = ToolCall(name, "web_search", {key: value for key, value in search.action.items() if value is not None})
        return [Message(name, "assistant", (call,)), Message(f"{name}.found", "user", (found,))]
    if item.role is None and ("role" in item.raw or not item.type):
        return [Message(name, "user", (Unknown(item.type or "item", item.raw),))]
    message = item_message(item.raw, 0)
    by_host = message.role == "user" and (entry.is_summary or item.is_context)
    typed = (
        tuple(map(_request, filterfalse(_IMAGE_TAG.match, message.texts)))
        if item.is_noted_typed and message.role == "user"
        else None
    )
    return [replace(message, id=name, raw=None, is_summary=entry.is_summary, by_host=by_host, typed=typed)]


# What compactions replaced.


def earlier(source: Source, _format: str) -> Iterator[Replacement]:
    """Replay the log up to each compaction, and over it.

    What several compactions kept is only told of the first and the newest: otherwise the work would be quadratic.
    """
    records = session_of(source).records if source.document else Session().whole(source.records)
    newest = sum(record.kind == "compacted" for record in records) - 1
    history = _History()
    found: list[tuple[list[Entry | Usage], list[Entry | Usage]]] = []
    since, known = 0, set[str]()  # where what is kept began after the compaction before, and its entries
    for record in records:
        if record.kind != "compacted":
            history.apply(record)
            continue
        kept, length, first, entries = history.kept, len(history.kept), history.first, history.entries
        history.apply(record)
        is_between, is_kept = 0 < len(found) < newest, history.kept is kept
        stays = range(max(first, history.first, since), length) if is_between and is_kept else range(0)
        before, after = [*kept[first : stays.start if stays else length], *entries], history.live(stays)
        if is_between:
            same = known & _ids(before) & _ids(after)
            before, after = ([one for one in some if _ids([one]).isdisjoint(same)] for some in (before, after))
        found.append((before, after))
        since, known = history.first, _ids(history.entries)
    for before, after in reversed(found):
        yield messages_of(before), messages_of(after)


def _ids(entries: Iterable[Entry | Usage]) -> set[str]:
    return {one.id for one in entries if isinstance(one, Entry)}


# A growing session: only the newest call's output and the results that answer it are reread.


def follow(source: Source) -> tuple[Chat, _CodexTail]:
    """Read a session, and find the position from which it can be reread on its own."""
    session = session_of(source)
    chat = _chat(source, session)
    return chat, _CodexTail(session, chat.messages)


class _CodexTail:
    """The records of the newest call, and the metadata of the whole session."""

    def __init__(self, session: Session, messages: Sequence[Message]) -> None:
        self._session = session
        start = _last_start(session.records)
        self._records, session.records = session.records[start:] if start else [], []
        before = messages[: len(messages) - len(self.open())]
        self._ids = {message.id for message in before}

    def open(self) -> tuple[Message, ...]:
        """Return the messages of the newest records."""
        return messages_of(live_entries(self._records))

    def grow(self, appended: Sequence[JsonObject]) -> Growth | None:
        """Add records appended to the file."""
        if any(_unwrapped(record)[0] == "session_meta" for record in appended):
            return None
        records = self._session.whole(appended)
        if any(map(_changes_more, records)):
            return None
        self._records += records
        messages = self.open()
        named = {word(record.step.raw.get("call_id")) for record in records if isinstance(record.step, Item)}
        called = {call.id for message in messages for call in message.calls}
        is_late = not named <= {*called, ""}  # it answers a call before these messages
        if is_late or not self._ids.isdisjoint(message.id for message in messages):
            return None
        records = self._records[_last_start(self._records) :]
        newest = messages_of(live_entries(records))
        settled = messages[: len(messages) - len(newest)]
        if (*settled, *newest) == messages:
            self._records = records
            self._ids.update(message.id for message in settled)
        else:
            settled = ()
        session = self._session
        return Growth(
            settled,
            messages[len(settled) :],
            session.model or None,
            session.title,
            session.window,
            tuple(session.compactions),
            session.version,
        )


def _last_start(records: Sequence[Record]) -> int:
    """Find where the newest call's output begins; 0 if a later record changes what precedes it."""
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
    """Return whether a record changes what precedes it."""
    step = record.step
    if isinstance(step, Item):
        return step.type in _ENCRYPTED or step.is_summary
    return isinstance(step, Compacted | int)
