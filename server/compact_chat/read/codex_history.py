"""The history that Codex would send: its log replayed, with what was compacted and what was taken back."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from compact_chat.chat import JsonObject, Usage
from compact_chat.read.codex_host import is_summary, is_turn, is_typed, is_update, texts_of
from compact_chat.read.codex_records import Record
from compact_chat.read.codex_usage import usages_of
from compact_chat.read.lenient import objects, word

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
