"""The end of a Codex session that grows: what the newest call gave and what answers it is read again, nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from compact_chat.chat import Chat, Message
from compact_chat.read.codex import chat_of, given_title, typed_title
from compact_chat.read.codex_history import SUMMARIES, Entry, live_entries
from compact_chat.read.codex_host import is_summary
from compact_chat.read.codex_lines import Seen, records_of
from compact_chat.read.codex_messages import message_of, messages_of
from compact_chat.read.codex_records import Record, record_at
from compact_chat.read.codex_usage import context_of, model_of, window_of
from compact_chat.read.grown import grown_records
from compact_chat.read.lenient import word
from compact_chat.read.source import Source
from compact_chat.read.tail import Growth, Tail


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
