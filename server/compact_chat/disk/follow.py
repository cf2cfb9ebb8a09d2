"""Follow a file: what is appended is read once, and whatever else happens to it is noticed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import NamedTuple

from compact_chat.disk.files import UNREADABLE, open_file, path_of, read_path
from compact_chat.errors import ChatNotFound
from compact_chat.read import LONGEST_TAIL, Blob, UpTo, unfinished_line, whole_lines
from compact_chat.tools import files_with

AGAIN = 1.0  # seconds until a file that may not be read is tried again: nothing shows when it may
_EDGE = 256  # bytes before the end that was read, which tell a file that grew from one that was written anew


class _Stamp(NamedTuple):
    """What shows that a file is as it was."""

    device: int
    inode: int
    size: int
    changed: int


class Followed:
    """A chat's file and those that belong to it; between two reads it holds no handle and polls sizes and times."""

    def __init__(self, uri: str) -> None:
        self._uri, self._path = uri, path_of(uri)
        path = Path(self._path)
        self._paths = (self._path, *(str(path.with_name(name)) for name in files_with(path.name)))
        self._stamps: tuple[_Stamp | None, ...] = ()
        self._end = 0  # of what was read
        self._edge = b""  # the last bytes of it
        self._unfinished: bytes | None = b""  # a last line that is not whole yet; None if that is too long to be kept
        self._refused = inf  # when

    def has_changed(self) -> bool:
        """Tell whether anything happened since the last read, or may have."""
        return self._stamps_now() != self._stamps or time.monotonic() - self._refused >= AGAIN

    def more(self) -> int:
        """Count the bytes that were not read yet."""
        return _size(self._stamps_now()) - self._end

    def forget(self) -> None:
        """Take nothing for read."""
        self._stamps, self._end = (), 0

    @contextmanager
    def whole(self) -> Iterator[Blob]:
        """Open all of it but a last line that is still being written; raises as reading any chat does."""
        self._stamps, self._refused = self._stamps_now(), inf
        try:
            with open_file(self._uri) as file:
                self._end = self._stamps[0].size if self._stamps[0] else 0
                self._unfinished = unfinished_line(file, self._end)
                start = max(0, self._end - _EDGE)
                self._edge = b"".join(file.ranges([(start, self._end - start)]))
                yield UpTo(file, self._end - len(self._unfinished or b""))
        except ChatNotFound:
            self._refused = time.monotonic()
            raise

    def grown(self) -> bytes | None:
        """Read the whole lines that were appended since; None if all is to be read again.

        Nothing but that the chat's file grew may have happened.
        """
        before, self._stamps = self._stamps, self._stamps_now()
        old, new = before[0] if before else None, self._stamps[0]
        if self._unfinished is None or old is None or new is None or before[1:] != self._stamps[1:]:
            return None
        if old != new and (old[:2] != new[:2] or old.size >= new.size):
            return None
        if _size(self._stamps) - self._end + len(self._unfinished) > LONGEST_TAIL:
            return None
        start = self._end - len(self._edge)
        try:
            data = read_path(self._path, self._uri, start)
        except UNREADABLE:  # reading all says why
            return None
        if not data.startswith(self._edge):
            return None
        lines = self._unfinished + data[len(self._edge) :]
        whole = whole_lines(lines)
        self._end, self._edge, self._unfinished = start + len(data), data[-_EDGE:], lines[whole:]
        return lines[:whole]

    def _stamps_now(self) -> tuple[_Stamp | None, ...]:
        stamps: list[_Stamp | None] = []
        for path in self._paths:
            try:
                found = os.stat(path)
                stamps.append(_Stamp(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns))
            except (OSError, ValueError):
                stamps.append(None)
        return tuple(stamps)


def _size(stamps: tuple[_Stamp | None, ...]) -> int:
    return sum(stamp.size for stamp in stamps if stamp)
