"""A file that is followed: what comes to its end is read once, and whatever else happens to it is noticed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from compact_chat.disk.files import open_file, read_from
from compact_chat.disk.names import path_of
from compact_chat.read.beside import needed_beside
from compact_chat.read.held import Held
from compact_chat.read.lines import UpTo, last_line, whole_lines

_EDGE = 256  # bytes before the end that was read, by which a file that grew is told from one that was written anew


class _Mark(NamedTuple):
    """By what a file is known to be as it was."""

    device: int
    inode: int
    size: int
    changed: int


class Followed:
    """A chat's file and those beside it; between two reads it holds no handle, and costs a look at their sizes."""

    def __init__(self, uri: str) -> None:
        self._uri, self._path = uri, path_of(uri)
        beside = needed_beside(Path(self._path).name)
        self._paths = (self._path, *(str(Path(self._path).with_name(name)) for name in beside))
        self._seen: tuple[_Mark | None, ...] = ()
        self._end = 0  # of what was read
        self._edge = self._held = b""  # the last bytes of it; a last line that is not whole yet

    def has_changed(self) -> bool:
        """Say whether anything happened since the last read."""
        return self._marks() != self._seen

    @contextmanager
    def whole(self) -> Iterator[Held]:
        """Open all of it but a last line that is still being written; raises as reading any chat does."""
        self._seen = self._marks()
        with open_file(self._uri) as file:
            self._end = self._seen[0].size if self._seen[0] else 0
            self._held = last_line(file, self._end)
            start = max(0, self._end - _EDGE)
            self._edge = b"".join(file.pieces([(start, self._end - start)]))
            yield UpTo(file, self._end - len(self._held))

    def grown(self) -> bytes | None:
        """Read the whole lines that have come to the end since; None where it is not the file that was read."""
        before, self._seen = self._seen, self._marks()
        if not _may_have_grown(before, self._seen):
            return None
        start = self._end - len(self._edge)
        data = read_from(self._path, self._uri, start)
        if not data.startswith(self._edge):
            return None
        lines = self._held + data[len(self._edge) :]
        whole = whole_lines(lines)
        self._end, self._edge, self._held = start + len(data), data[-_EDGE:], lines[whole:]
        return lines[:whole]

    def _marks(self) -> tuple[_Mark | None, ...]:
        return tuple(map(_mark, self._paths))


def _mark(path: str) -> _Mark | None:
    try:
        found = os.stat(path)  # noqa: PTH116 -- many times a second, so without a Path between
    except (OSError, ValueError):
        return None
    return _Mark(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def _may_have_grown(before: tuple[_Mark | None, ...], now: tuple[_Mark | None, ...]) -> bool:
    """Whether the chat's file is the same one and not smaller, and nothing happened beside it."""
    old, new = before[0] if before else None, now[0]
    return old is not None and new is not None and old[:2] == new[:2] and old.size <= new.size and before[1:] == now[1:]
