"""Keep the archive within its room: leftovers go, then the oldest compactions, then what nothing refers to."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from compact_chat.disk.archive_record import decoded_head
from compact_chat.disk.archive_writing import PART


def sweep(*folders: Path) -> None:
    """Remove what killed processes left half written; only the one that holds the lock writes here."""
    for folder in folders:
        for entry in _entries(folder):
            if entry.name.startswith(PART):
                _remove(entry.path)


def trim(originals: Path, records: Path, limit: int | None, newest: str) -> None:
    """Let the oldest compactions go until all fits the limit, where there is one; the newest stays in any case.

    A record goes before its original, so that none ever refers to what is gone.
    """
    sizes = {entry.name: entry.stat().st_size for entry in _entries(originals)}
    kept = [_Kept(entry) for entry in _entries(records) if entry.name.endswith(".json")]
    uses = Counter(sha256 for one in kept for sha256 in one.hashes)
    total = sum(sizes.get(name, 0) for name in uses) + sum(one.size for one in kept)
    for one in sorted(kept, key=lambda one: one.path):
        if limit is None or total <= limit:
            break
        if not one.path.endswith(f"-{newest}.json"):
            _remove(one.path)
            uses.subtract(one.hashes)
            total -= one.size + sum(sizes.get(name, 0) for name in one.hashes if not uses[name])
    for name in sizes.keys() - {name for name, times in uses.items() if times}:
        _remove(str(originals / name))


class _Kept:
    """A record on the disk: its size, and the originals that it refers to; one that is damaged refers to none."""

    def __init__(self, entry: os.DirEntry[str]) -> None:
        self.path = entry.path
        self.size = entry.stat().st_size
        with open(entry.path, "rb") as file:
            head = decoded_head(file.readline())
        self.hashes: frozenset[str] = head.original.hashes if head else frozenset()


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from list(entries)
    except FileNotFoundError:
        return


def _remove(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)
