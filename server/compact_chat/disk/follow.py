"""A file that is followed: what comes to its end is read once, and whatever else happens to it is noticed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import NamedTuple

from compact_chat.disk.files import open_file, path_of, read_from
from compact_chat.errors import ChatNotFound, CompactChatError
from compact_chat.read import MOST, Held, UpTo, last_line, whole_lines
from compact_chat.tools import files_with

AGAIN = 1.0  # seconds until a file that may not be read is tried again: no mark of it tells when it may
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
        beside = tuple(files_with(Path(self._path).name))
        self._paths = (self._path, *(str(Path(self._path).with_name(name)) for name in beside))
        self._seen: tuple[_Mark | None, ...] = ()
        self._end = 0  # of what was read
        self._edge = b""  # the last bytes of it
        self._held: bytes | None = b""  # a last line that is not whole yet; None where that is too long to be kept
        self._refused = inf  # when

    def has_changed(self) -> bool:
        """Say whether anything happened since the last read, or may have."""
        return self._marks() != self._seen or time.monotonic() - self._refused >= AGAIN

    def more(self) -> int:
        """Say how many bytes there are beside those that were read."""
        return _size(self._marks()) - self._end

    def forget(self) -> None:
        """Take nothing for read."""
        self._seen, self._end = (), 0

    @contextmanager
    def whole(self) -> Iterator[Held]:
        """Open all of it but a last line that is still being written; raises as reading any chat does."""
        self._seen, self._refused = self._marks(), inf
        try:
            with open_file(self._uri) as file:
                yield self._begun(file)
        except ChatNotFound:
            self._refused = time.monotonic()
            raise

    def _begun(self, file: Held) -> Held:
        self._end = self._seen[0].size if self._seen[0] else 0
        self._held = last_line(file, self._end)
        start = max(0, self._end - _EDGE)
        self._edge = b"".join(file.pieces([(start, self._end - start)]))
        return UpTo(file, self._end - len(self._held or b""))

    def grown(self) -> bytes | None:
        """Read the whole lines that have come to the end since; None where all is to be read anew."""
        before, self._seen = self._seen, self._marks()
        if self._held is None or not _may_have_grown(before, self._seen):
            return None
        if _size(self._seen) - self._end + len(self._held) > MOST:
            return None
        start = self._end - len(self._edge)
        try:
            data = read_from(self._path, self._uri, start)
        except CompactChatError:  # reading all tells why
            return None
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
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return _Mark(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def _size(marks: tuple[_Mark | None, ...]) -> int:
    return sum(mark.size for mark in marks if mark)


def _may_have_grown(before: tuple[_Mark | None, ...], now: tuple[_Mark | None, ...]) -> bool:
    """Whether nothing happened but that the chat's file grew, if anything did."""
    old, new = before[0] if before else None, now[0]
    if old is None or new is None or before[1:] != now[1:]:
        return False
    return old == new or (old[:2] == new[:2] and old.size < new.size)
