"""Keep the archive within its room: leftovers go, then the oldest compactions, then what nothing refers to."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from compact_chat.disk.archive_writing import PART

# The names that we give: what else lies in a folder of the user's choice is not ours to remove.
HASH = re.compile(r"[0-9a-f]{64}")
RECORD = re.compile(r"[0-9]{17}-[0-9a-f]{32}\.json")
_QUOTED_HASH = re.compile(rb'"([0-9a-f]{64})"')


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
    sizes = {entry.name: entry.stat().st_size for entry in _entries(originals) if HASH.fullmatch(entry.name)}
    kept = [_Kept(entry) for entry in _entries(records) if RECORD.fullmatch(entry.name)]
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
    """A record on the disk: its size, and the originals that it may refer to, whatever version of us wrote it."""

    def __init__(self, entry: os.DirEntry[str]) -> None:
        self.path = entry.path
        self.size = entry.stat().st_size
        with open(entry.path, "rb") as file:
            self.hashes = frozenset(hash.decode() for hash in _QUOTED_HASH.findall(file.readline()))


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from list(entries)
    except FileNotFoundError:
        return


def _remove(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)
