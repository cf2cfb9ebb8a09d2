"""Sessions of Codex: a log of what was said, compacted and taken back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from compact_chat.chat import Chat, Warning
from compact_chat.read.codex_history import SUMMARIES, Entry, live_entries
from compact_chat.read.codex_host import is_typed, texts_of, typed_texts
from compact_chat.read.codex_messages import messages_of
from compact_chat.read.codex_records import Record, is_session, records_of
from compact_chat.read.codex_usage import model_of, window_of
from compact_chat.read.lenient import word
from compact_chat.read.records import title_of
from compact_chat.read.source import Source

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
    records = records_of(source)
    entries = live_entries(records)
    return Chat(
        format=_NAME,
        tool=_NAME,
        messages=messages_of(entries),
        model=model_of(records),
        title=_title(records),
        workspace=next(filter(None, (word(one.payload.get("cwd")) for one in records if one.kind in _PLACED)), None),
        window=window_of(records),
        warnings=(*source.damage, *_missing(records, entries)),
    )


def _title(records: Sequence[Record]) -> str | None:
    named = (word(record.payload.get("thread_name")) for record in reversed(records) if record.kind == "event_msg")
    return next(filter(None, map(title_of, chain(named, _typed(records)))), None)


def _typed(records: Sequence[Record]) -> Iterator[str]:
    typed = (one.payload for one in records if one.kind == "response_item" and is_typed(one.payload))
    return ("\n".join(typed_texts(texts_of(item))) for item in typed)


def _missing(records: Sequence[Record], entries: Sequence[Entry]) -> Iterator[Warning]:
    if any(word(entry.item.get("type")) in SUMMARIES for entry in entries):
        yield _ENCRYPTED
    if any(record.kind == "session_meta" and record.payload.get("history_base") for record in records):
        yield _ELSEWHERE
