"""Sessions of Codex: a log of what was said, compacted and taken back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compact_chat.chat import Chat, Warning
from compact_chat.read.codex_history import SUMMARIES, Entry, live_entries
from compact_chat.read.codex_host import is_typed, texts_of, typed_texts
from compact_chat.read.codex_lines import records_of
from compact_chat.read.codex_messages import messages_of
from compact_chat.read.codex_records import Record, is_session
from compact_chat.read.codex_usage import model_of, window_of
from compact_chat.read.lenient import fields, word
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
