"""Find the compactions that were made: in archives, and in what this server remembers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from compact_chat.chat import Chat
from compact_chat.disk import archive
from compact_chat.disk.archive_places import known_folders
from compact_chat.disk.archive_record import Head, Record
from compact_chat.errors import ChatUnreadable, CompactionNotFound
from compact_chat.operations.desk import Desk
from compact_chat.operations.origin import read_again
from compact_chat.read.source import Watch
from compact_chat.redact.values import masked_values
from compact_chat.results import Compaction

_SINCE = {"fixed": 0}  # counts that compactions were made without at first
SHORTEST_ID, LONGEST_ID = 6, 32  # hexadecimal digits


class Trace(Struct, frozen=True):
    """What tells a compaction, and where it is kept; in no folder where this server alone remembers it."""

    head: Head
    folder: Path | None


def traces(desk: Desk) -> Iterator[Trace]:
    """Give all that is known, each once; those of one archive newest first."""
    seen: set[str] = set()
    for trace in _all(desk):
        if trace.head.id not in seen:
            seen.add(trace.head.id)
            yield trace


def find(compaction_id: str, desk: Desk) -> tuple[Record, Trace]:
    """Give a compaction by its id, or by a beginning that no other has; raises CompactionNotFound without one."""
    compaction_id = _whole_id(compaction_id, desk)
    if remembered := desk.undo.find(compaction_id):
        return remembered.record, Trace(remembered.record.head, None)
    for folder in known_folders(desk.settings.archive):
        if record := archive.find(folder, compaction_id):
            return record, Trace(record.head, folder)
    raise CompactionNotFound(
        "No such compaction is known: its id is wrong, it had to make room for newer ones, or it was not archived."
    )


def _whole_id(beginning: str, desk: Desk) -> str:
    if len(beginning) < SHORTEST_ID or len(beginning) >= LONGEST_ID:
        return beginning
    found = [trace.head.id for trace in traces(desk) if trace.head.id.startswith(beginning)]
    return found[0] if len(found) == 1 else beginning


def compaction_of(record: Record, clean: Callable[[str], str]) -> Compaction:
    """Give a compaction as it was given when it was made, with what `clean` leaves of its texts."""
    kept = record.body.compaction
    counts = kept.get("counts")
    if isinstance(counts, dict):
        kept = {**kept, "counts": {**_SINCE, **counts}}
    try:
        return msgspec.convert(masked_values(kept, clean), Compaction)
    except msgspec.ValidationError:
        raise ChatUnreadable(
            "What the archive holds of this compaction is damaged, or of another version; summarise the chat again.",
            uri=record.head.uri,
            format=None,
            line=None,
        ) from None


def original_bytes(trace: Trace, sha256: str, desk: Desk) -> bytes:
    """Give bytes that were kept; raises where they are gone or damaged."""
    data = _bytes(trace, sha256, desk)
    if data is None:
        raise original_gone(archive.original_path(trace.folder, sha256).as_uri() if trace.folder else None)
    return data


def original_gone(place: str | None) -> ChatUnreadable:
    """Say that what a compaction was made of is not there any more."""
    return ChatUnreadable("The original is gone from the archive, or damaged there.", uri=place, format=None, line=None)


def original_chat(trace: Trace, desk: Desk, watch: Watch = tuple) -> Chat:
    """Read the chat that was compacted, as it was."""
    kept = trace.head.original
    beside = {name: original_bytes(trace, sha256, desk) for name, sha256 in kept.beside.items()}
    return read_again(kept, trace.head.uri, original_bytes(trace, kept.sha256, desk), beside, watch)


def _all(desk: Desk) -> Iterator[Trace]:
    yield from (Trace(one.record.head, None) for one in reversed(desk.undo.all()))
    for folder in known_folders(desk.settings.archive):
        yield from (Trace(head, folder) for head in archive.heads(folder))


def _bytes(trace: Trace, sha256: str, desk: Desk) -> bytes | None:
    if trace.folder is not None:
        return archive.original(trace.folder, sha256)
    remembered = desk.undo.find(trace.head.id)
    return remembered.originals.get(sha256) if remembered else None
