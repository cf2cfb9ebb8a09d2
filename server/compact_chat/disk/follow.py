"""Follow a growing file: read appended bytes once, and detect every other change."""

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

AGAIN = 1.0  # seconds until an unreadable file is retried: nothing signals that it became readable
_EDGE = 256  # last bytes read, which tell a file that grew from one that was rewritten


class _Stamp(NamedTuple):
    """File metadata to detect changes by."""

    device: int
    inode: int
    size: int
    changed: int
    touched: int  # ctime: no program can set it, so it shows a rewrite that keeps size and mtime


class Followed:
    """A chat's file and its siblings; between two reads it holds no handle and polls sizes and times."""

    def __init__(self, uri: str) -> None:
        self._uri, self._path = uri, path_of(uri)
        path = Path(self._path)
        self._paths = (self._path, *(str(path.with_name(name)) for name in files_with(path.name)))
        self._stamps: tuple[_Stamp | None, ...] = ()
        self._end = 0  # of the last read
        self._edge = b""  # its last bytes
        self._unfinished: bytes | None = b""  # an unfinished last line; None if too long to keep
        self._refused = inf  # when

    def has_changed(self) -> bool:
        """Return whether anything changed since the last read, or may have."""
        return self._stamps_now() != self._stamps or time.monotonic() - self._refused >= AGAIN

    def more(self) -> int:
        """Count the unread bytes."""
        return _size(self._stamps_now()) - self._end

    def forget(self) -> None:
        """Treat everything as unread."""
        self._stamps, self._end = (), 0

    @contextmanager
    def whole(self) -> Iterator[Blob]:
        """Open everything except an unfinished last line; raises like reading any chat."""
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
        """Read the whole lines appended since; None if everything has to be read again.

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
        except UNREADABLE:  # reading everything reports the cause
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
                stamps.append(_Stamp(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns))
            except (OSError, ValueError):
                stamps.append(None)
        return tuple(stamps)


def _size(stamps: tuple[_Stamp | None, ...]) -> int:
    return sum(stamp.size for stamp in stamps if stamp)
