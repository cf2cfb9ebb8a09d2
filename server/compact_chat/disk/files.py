"""Read chats' files: whole, piece by piece, or both ends; nothing that is no regular file of a bounded size."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote

from compact_chat.errors import ChatNotFound, ChatUnreadable, CompactChatError, InvalidParams, TooLarge
from compact_chat.read import BLOCK, SMALL, Blob, InMemory, Range
from compact_chat.tools import files_with

MAX_FILE_BYTES = 256 * 2**20
LONGEST_URI = 2**16  # characters: no system has longer names, and to decode megabytes would take hundreds of them
# Not `urlsplit`: it drops line ends, so that another file is named, and remembers whatever it was given.
_FILE_URI = re.compile(r"file:(?://(?:localhost)?)?(/[^?#]*)", re.IGNORECASE)
_ON_A_DRIVE = re.compile(r"/([a-z]:[/\\].*)", re.IGNORECASE | re.DOTALL)
# Opening must not wait for the other end of a pipe, nor make a terminal ours, nor change line ends on Windows.
READ_ONLY = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOCTTY", "O_BINARY"))
_CHUNK = 2**18


def path_of(uri: str) -> str:
    """Return the absolute path of a `file:` URI; one of another machine is refused, since to open it gives us away."""
    found = _FILE_URI.match(uri) if len(uri) <= LONGEST_URI else None
    path = unquote(found[1], errors="surrogateescape") if found else ""
    if os.name == "nt":
        path = windows_path(path)
    if not path or path.startswith("//"):
        raise InvalidParams.at("$.uri", "expected a file: URI on this machine")
    return path


def windows_path(path: str) -> str:
    """Return the path as Windows writes it, or nothing if no drive is named: it would lead into the network."""
    found = _ON_A_DRIVE.fullmatch(path)
    return found[1].replace("/", "\\") if found else ""


# A whole file.


def read_file(uri: str) -> bytes:
    """Read the regular file that a `file:` URI names."""
    return read_path(path_of(uri), uri)


def read_path(path: str, uri: str, start: int = 0) -> bytes:
    """Read a regular file from an offset on; `uri` is what a failure names."""
    handle = _opened(path, uri)
    try:
        return _contents(handle, uri, start)
    finally:
        os.close(handle)


def read_siblings(uri: str) -> dict[str, bytes]:
    """Read the files that belong to a chat and lie in its folder, by their names; what cannot be read is left out."""
    chat = Path(path_of(uri))
    found: dict[str, bytes] = {}
    for name in files_with(chat.name):
        try:
            found[name] = read_path(str(chat.with_name(name)), uri)
        except CompactChatError:
            continue
    return found


@contextmanager
def open_file(uri: str) -> Iterator[Blob]:
    """Open the regular file that a `file:` URI names, for as long as it is read; a small one is read at once."""
    handle = _opened(path_of(uri), uri)
    try:
        size = _size(handle, uri)
        if size > SMALL:
            yield OpenFile(handle, size, uri)
            return
        blob = InMemory(_contents(handle, uri, 0))
    finally:
        os.close(handle)
    yield blob


class OpenFile:
    """A regular file as long as it was when it was opened, read piece by piece."""

    def __init__(self, handle: int, size: int, uri: str) -> None:
        self._handle, self._size, self._uri = handle, size, uri

    def whole(self) -> bytes:
        """Read all of it at once."""
        return self._at(0, self._size)

    def blocks(self) -> Iterator[bytes]:
        """Read all of it in blocks."""
        start = 0
        while start < self._size and (block := self._at(start, min(BLOCK, self._size - start))):
            yield block
            start += len(block)

    def ranges(self, wanted: Iterable[Range]) -> Iterator[bytes]:
        """Read ranges; less if somebody has cut the file off since."""
        return (self._at(start, length) for start, length in wanted)

    def _at(self, start: int, length: int) -> bytes:
        try:
            return _read(self._handle, start, length)
        except OSError as problem:
            raise _unreadable(self._uri) from problem


def _opened(path: str, uri: str) -> int:
    """Open a file after a look at it: already to open a device may set it going."""
    try:
        _check(os.stat(path), uri)
        return os.open(path, READ_ONLY)
    except (OSError, ValueError) as problem:  # ValueError: a NUL or half a surrogate pair in the name
        raise ChatNotFound("There is no such file, or no permission to read it.", uri=uri) from problem


def _contents(handle: int, uri: str, start: int) -> bytes:
    size = _size(handle, uri) - start
    try:
        return _read(handle, start, size)
    except OSError as problem:
        raise _unreadable(uri) from problem


def _size(handle: int, uri: str) -> int:
    """Return the size of what was opened; another file may have taken the name since we looked."""
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


def _read(handle: int, start: int, size: int) -> bytes:
    """Read no more than was there when we looked: a chat may grow, and what claims no size may have no end."""
    os.lseek(handle, start, os.SEEK_SET)
    pieces: list[bytes] = []
    while size > 0 and (piece := os.read(handle, size)):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


# The beginning and the end of a file, or of a line in it.


def ends_of(path: str, first: int, last: int) -> tuple[bytes, bytes]:
    """Read the first bytes of a regular file and the last of those after them; raises OSError."""
    with _regular_file(path) as (handle, size):
        head = os.read(handle, first)
        start = max(len(head), size - last)
        os.lseek(handle, start, os.SEEK_SET)
        return head, os.read(handle, min(last, size - start)) if size > start else b""


def line_end(path: str, start: int, last: int, most: int) -> bytes:
    """Read the last bytes of the line at an offset; nothing if it goes on for too long; raises OSError."""
    end = b""
    with _regular_file(path) as (handle, _):
        os.lseek(handle, start, os.SEEK_SET)
        while most > 0 and (chunk := os.read(handle, min(most, _CHUNK))):
            line, ended, _ = chunk.partition(b"\n")
            end = (end + line)[-last:]
            if ended:
                return end
            most -= len(chunk)
    return b""


@contextmanager
def _regular_file(path: str) -> Iterator[tuple[int, int]]:
    handle = os.open(path, READ_ONLY)
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):  # another file has taken the name since we looked
            raise OSError
        yield handle, found.st_size
    finally:
        os.close(handle)
