"""What a Codex session sent before its newest compaction, and right after: its log, replayed up to there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compact_chat.chat import JsonObject
from compact_chat.read.codex_history import live_entries
from compact_chat.read.codex_messages import messages_of
from compact_chat.read.codex_records import Record, record_at, whole_records
from compact_chat.read.replaced import Replaced
from compact_chat.read.source import Source


def newest(source: Source, _format: str) -> Replaced | None:
    """Replay the log up to the newest compaction, and over it."""
    records = whole_records(source.document) or list(_records(source.records))
    place = max((place for place, record in enumerate(records) if record.kind == "compacted"), default=None)
    if place is None:
        return None
    lengths = (place, place + 1)
    before, after = (tuple(messages_of(live_entries(records[:length]))) for length in lengths)
    return Replaced(before, after)


def _records(lines: Sequence[JsonObject]) -> Iterator[Record]:
    """Every record, also those that were replaced."""
    found = (record_at(number, line) for number, line in enumerate(lines, 1))
    return (record for record in found if record is not None)
