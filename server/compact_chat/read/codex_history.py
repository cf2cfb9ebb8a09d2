"""The history of a Codex session: its items, the log replayed as Codex does, and the messages that come of it.

Which items are sent, and what compactions and taken-back turns change, is the same in
https://github.com/openai/codex/blob/main/codex-rs/core/src/session/rollout_reconstruction.rs
(docs/formats.md#codex-live-conversation).
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import JsonObject, Message, Text, ToolCall, ToolResult, Unknown, Usage
from compact_chat.read.apis import item_message
from compact_chat.read.blocks import parts_of
from compact_chat.read.loose import loose, with_own_ids

ENCRYPTED = frozenset({"compaction", "compaction_summary", "context_compaction"})  # items that are summaries


class Compacted(Struct):
    """What replaces the history so far; older versions wrote a summary alone, and newer ones may encrypt it."""

    message: str = ""
    replacement_history: list[JsonObject] | None = None


class Content(Struct):
    """A block of a message; one that is no text reads as an empty one."""

    text: str = ""


class Passthrough(Struct):
    """What newer versions note of each text of a message."""

    content_item_kinds: list[str] = []


class Item(Struct):
    """An item of the history; `raw` is all of it."""

    type: str = ""
    id: str | None = None
    role: str | None = None
    content: list[Content] | str | None = None
    internal_chat_message_metadata_passthrough: Passthrough | None = None
    raw: JsonObject = {}

    @property
    def texts(self) -> list[str]:
        """The content, a string for each block."""
        return [self.content] if isinstance(self.content, str) else [block.text for block in self.content or ()]

    @property
    def is_context(self) -> bool:
        """Whether Codex wrote the message: newer versions note the kind of each text."""
        noted, texts = self.internal_chat_message_metadata_passthrough, self.texts
        if noted and texts and len(noted.content_item_kinds) == len(texts):
            return not any(
                kind.startswith(_TYPED_KINDS) or kind in ("", "unknown") for kind in noted.content_item_kinds
            )
        return any(map(_is_wrapped, texts))

    @property
    def is_summary(self) -> bool:
        """Whether it is the summary of an earlier compaction."""
        return self.role == "user" and any(text.startswith(_SUMMARY) for text in self.texts[:1])

    @property
    def is_turn(self) -> bool:
        """Whether it begins a turn that can be taken back: words of a user, or of another agent."""
        return self.type == "agent_message" or (self.role == "user" and not self.is_context)

    @property
    def is_typed(self) -> bool:
        """Whether it holds what a person typed."""
        return self.role == "user" and not self.is_context and not self.is_summary

    @property
    def is_setting(self) -> bool:
        """Whether it tells the model of a new setting, ahead of the turn that it holds for."""
        if self.role == "developer":
            return any(text.lstrip().startswith("<") for text in self.texts)
        return self.role == "user" and self.is_context


def item_of(raw: JsonObject) -> Item:
    """Decode an item."""
    item = loose(Item, raw)
    item.raw = raw
    return item


# Text in the user's name: wrappers and summaries (docs/formats.md#codex-text-in-the-users-name).


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
_IDE_CONTEXT, _IDE_REQUEST = "# Context from my IDE", "## My request for Codex:"
_TYPED_KINDS = ("user.", "images.", "audio.")


def typed_texts(texts: Iterable[str]) -> list[str]:
    """Give the texts of a message without what an editor puts in front of the person's words."""
    return [
        (text.partition(_IDE_REQUEST)[2].strip() if text.lstrip().startswith(_IDE_CONTEXT) else "") or text
        for text in texts
    ]


def _is_wrapped(text: str) -> bool:
    """Whether a text is a wrapper from its first to its last character: a person may mention one."""
    text = text.strip()
    start, end = _AGENTS
    if text[: len(start)].lower() == start:
        return text[-len(end) :].lower() == end
    if opening := _OPENING.match(text):
        closing = f"</{opening[1]}>"
        return text[-len(closing) :].lower() == closing.lower()
    return text.startswith(_WARNINGS)


# The log, replayed: the history that Codex would send.


_NOT_SENT = frozenset({"additional_tools", "compaction_trigger", "configuration_update", "ghost_snapshot"})
_KEPT_TOKENS, _BYTES_PER_TOKEN = 20_000, 4  # of the user's messages, where an old version compacted, as Codex counts


class Record(Struct, gc=False):
    """A record that makes the history; its number names it for as long as the file only grows."""

    number: int
    kind: str
    step: Item | Compacted | Usage | int | None  # an int: turns are taken back; None: still to be decoded
    replaces: bool = False  # the history up to here

    @property
    def place(self) -> str:
        """The id of an item that has none of its own."""
        return f"r{self.number}"


class Entry(Struct, frozen=True):
    """An item of the history."""

    id: str
    item: Item
    is_summary: bool = False


def live_entries(records: Sequence[Record]) -> list[Entry | Usage]:
    """Replay the log; sizes stand behind the items of their calls."""
    history = _History()
    for record in records:
        match record.step:
            case Item() as item:
                history.add(Entry(record.place, item, item.is_summary))
            case Usage() as usage:
                history.entries.append(usage)
            case int(turns):
                history.roll_back(turns)
            case Compacted(message, None):
                history.summarize(record.place, message)
            case Compacted(message, items):
                history.replace(record.place, message, [item_of(item) for item in items or ()])
    return history.all()


class _History:
    """The entries so far, and where turns begin among them; `kept` are the user's own from before a compaction."""

    def __init__(self) -> None:
        self.kept: list[Entry] = []
        self.entries: list[Entry | Usage] = []
        self.turns: list[int] = []

    def add(self, entry: Entry) -> None:
        """Add an item, unless it is one that no model gets."""
        if entry.item.type in _NOT_SENT:
            return
        if entry.item.is_turn:
            self.turns.append(len(self.entries))
        self.entries.append(entry)

    def replace(self, place: str, summary: str, items: Sequence[Item]) -> None:
        """Forget what was before; unless an item is a summary, the last that says what the record says is one."""
        marked = [number for number, item in enumerate(items) if item.is_summary]
        if not marked and summary.strip():
            same = [number for number, item in enumerate(items) if item.role == "user" and item.texts == [summary]]
            marked = same[-1:]
        self.kept, self.entries, self.turns = [], [], []
        for number, item in enumerate(items):
            self.add(Entry(f"{place}.{number + 1}", item, number in marked))

    def summarize(self, place: str, summary: str) -> None:
        """Keep what the user said, as old versions did, with a summary behind it."""
        own = (entry for entry in self.entries if isinstance(entry, Entry))
        self.kept += [entry for entry in own if entry.item.is_typed and not entry.is_summary]
        self.entries, self.turns = [], []
        if summary.strip():
            content = [{"type": "input_text", "text": summary}]
            item = item_of({"type": "message", "role": "user", "content": content})
            self.add(Entry(place, item, is_summary=True))

    def roll_back(self, turns: int) -> None:
        """Take back the newest turns, with the settings told right before them; what came before the first stays."""
        if turns <= 0 or not (self.turns or self.kept):
            return
        if over := max(0, turns - len(self.turns)):
            del self.kept[-over:]
        if not self.turns:
            return
        place = self.turns[-turns:][0]
        while place > self.turns[0]:
            before = self.entries[place - 1]
            if not (isinstance(before, Entry) and before.item.is_setting):
                break
            place -= 1
        del self.entries[place:]
        while self.turns and self.turns[-1] >= place:
            self.turns.pop()

    def all(self) -> list[Entry | Usage]:
        """The whole history, with as many of the kept messages as Codex has room for, the newest in any case."""
        kept: list[Entry | Usage] = []
        room = _KEPT_TOKENS
        for entry in reversed(self.kept):
            size = len("\n".join(entry.item.texts).encode(errors="surrogatepass"))
            room -= -(-size // _BYTES_PER_TOKEN)
            if room < 0 and kept:
                break
            kept.append(entry)
        return [*reversed(kept), *self.entries]


# Items become messages: what one call gave is one, and so are the outputs that answer it.


def messages_of(entries: Sequence[Entry | Usage]) -> tuple[Message, ...]:
    """Merge the items of each call, and put its size on the last of them; an estimate goes on what it ends with."""
    messages: list[Message] = []
    given: int | None = None  # the newest message of a call
    estimate: tuple[int, Usage] | None = None
    for entry in entries:
        if isinstance(entry, Entry):
            made = item_messages(entry)
            given = len(messages) if made[0].role == "assistant" else given
            messages += made
        elif entry.whole:
            estimate = (len(messages) - 1, entry) if messages else None
        else:
            estimate = None
            if given is not None:
                messages[given] = replace(messages[given], usage=entry)
    if estimate is not None:
        messages[estimate[0]] = replace(messages[estimate[0]], usage=estimate[1])
    keyed: list[tuple[Hashable, Message]] = []
    calls = 0
    for place, message in enumerate(messages):
        key = ("call", calls) if message.role == "assistant" else "outputs" if message.results else place
        keyed.append((key, message))
        calls += message.usage is not None and not message.usage.whole
    groups = ([message for _, message in group] for _, group in groupby(keyed, key=lambda pair: pair[0]))
    return with_own_ids(map(_merged, groups))


def _merged(group: Sequence[Message]) -> Message:
    if len(group) == 1:
        return group[0]
    usages = [message.usage for message in group if message.usage]
    parts = tuple(part for message in group for part in message.parts)
    return replace(group[0], parts=parts, usage=usages[-1] if usages else None)


def item_messages(entry: Entry) -> list[Message]:
    """Make the message that an item is; two of a search, which is a call and what is recorded of its result."""
    item = entry.item
    name = item.id or entry.id
    if item.type in ENCRYPTED:
        return [Message(name, "user", (Unknown(item.type, item.raw),), is_summary=True, by_host=True)]
    if item.type == "agent_message":
        return [Message(name, "user", parts_of(item.raw.get("content")), by_host=True)]
    if item.type == "web_search_call":
        search = loose(_Search, item.raw)
        found = ToolResult(name, (Text(search.status),), is_error=search.status == "failed", as_text=True)
        call = ToolCall(name, "web_search", {key: value for key, value in search.action.items() if value is not None})
        return [Message(name, "assistant", (call,)), Message(f"{name}.found", "user", (found,))]
    if item.role is None and ("role" in item.raw or not item.type):
        return [Message(name, "user", (Unknown(item.type or "item", item.raw),))]
    message = item_message(item.raw, 0)
    by_host = message.role == "user" and (entry.is_summary or item.is_context)
    return [replace(message, id=name, raw=None, is_summary=entry.is_summary, by_host=by_host)]


class _Search(Struct):
    """`web_search_call`: the provider searches by itself, and only the model gets what it finds."""

    status: str = "completed"
    action: JsonObject = {}  # {"type": "search", "query": ...}, {"type": "open_page", "url": ...}, ...
