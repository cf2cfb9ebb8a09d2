"""Read a chat's file whole, and nothing that is no regular file of a bounded size."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from compact_chat.disk.names import path_of
from compact_chat.errors import ChatNotFound, ChatUnreadable, TooLarge
from compact_chat.read.held import BLOCK, SMALL, Held, InMemory, Place

MAX_FILE_BYTES = 256 * 2**20
# Opening must not wait for the other end of a pipe, nor make a terminal ours, nor change line ends on Windows.
READ_ONLY = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOCTTY", "O_BINARY"))


def read_file(uri: str) -> bytes:
    """Give the contents of the regular file that a `file:` URI names."""
    return read_path(path_of(uri), uri)


def read_path(path: str, uri: str) -> bytes:
    """Give the contents of a regular file; `uri` is what a failure names."""
    return read_from(path, uri, 0)


def read_from(path: str, uri: str, start: int) -> bytes:
    """Give the contents of a regular file from a place on."""
    handle = _opened(path, uri)
    try:
        return _contents(handle, uri, start)
    finally:
        os.close(handle)


class OpenFile:
    """A regular file as long as it was when we looked, read piece by piece."""

    def __init__(self, handle: int, size: int, uri: str) -> None:
        self._handle, self._size, self._uri = handle, size, uri

    def whole(self) -> bytes:
        """All of it at once."""
        return self._at(0, self._size)

    def blocks(self) -> Iterator[bytes]:
        """All of it, piece by piece."""
        start = 0
        while start < self._size and (piece := self._at(start, min(BLOCK, self._size - start))):
            yield piece
            start += len(piece)

    def pieces(self, places: Iterable[Place]) -> Iterator[bytes]:
        """What lies at the places; less where somebody has cut the file off since."""
        return (self._at(start, length) for start, length in places)

    def _at(self, start: int, length: int) -> bytes:
        try:
            os.lseek(self._handle, start, os.SEEK_SET)
            return _read(self._handle, length)
        except OSError as problem:
            raise _unreadable(self._uri) from problem


@contextmanager
def open_file(uri: str) -> Iterator[Held]:
    """Open the regular file that a `file:` URI names, for as long as it is read; a small one is read at once."""
    handle = _opened(path_of(uri), uri)
    try:
        size = _size(handle, uri)
        if size > SMALL:
            yield OpenFile(handle, size, uri)
            return
        held = InMemory(_contents(handle, uri, 0))
    finally:
        os.close(handle)
    yield held


def _opened(path: str, uri: str) -> int:
    """Open a file that is worth it; already to open a device may set it going."""
    try:
        _check(os.stat(path), uri)
        return os.open(path, READ_ONLY)
    except (OSError, ValueError) as problem:  # ValueError: a NUL or half a surrogate pair in the name
        raise ChatNotFound("There is no such file, or no permission to read it.", uri=uri) from problem


def _contents(handle: int, uri: str, start: int) -> bytes:
    """Read what was opened; another file may have taken the name since we looked."""
    try:
        size = _size(handle, uri) - start
        os.lseek(handle, start, os.SEEK_SET)
        return _read(handle, size)
    except OSError as problem:
        raise _unreadable(uri) from problem


def _size(handle: int, uri: str) -> int:
    try:
        found = os.fstat(handle)
    except OSError as problem:
        raise _unreadable(uri) from problem
    _check(found, uri)
    return found.st_size


def _check(found: os.stat_result, uri: str) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise ChatNotFound("That is no regular file.", uri=uri)
    if found.st_size > MAX_FILE_BYTES:
        raise TooLarge("The file is larger than 256 MiB; export the part of the chat that matters.", uri=uri)


def _unreadable(uri: str) -> ChatUnreadable:
    return ChatUnreadable("The file cannot be read.", uri=uri, format=None, line=None)


def _read(handle: int, size: int) -> bytes:
    """Read what was there when we looked: a chat may grow meanwhile, and what claims no size may have no end."""
    pieces: list[bytes] = []
    while size > 0 and (piece := os.read(handle, size)):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)
