"""Read the files that belong to a chat and lie in its folder."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote

from compact_chat.errors import ChatNotFound, ChatUnreadable, CompactChatError, InvalidParams, TooLarge
from compact_chat.read import BLOCK, SMALL, Held, InMemory, Place
from compact_chat.tools import files_with

# From a `file:` URI to the path it names on this machine.


# No system has names that need more, and to decode one of megabytes would take hundreds of them.
LONGEST_URI = 2**16
# Not `urlsplit`: it drops line ends, so that another file is named, and remembers whatever it was given.
_FILE_URI = re.compile(r"file:(?://(?:localhost)?)?(/[^?#]*)", re.IGNORECASE)
_ON_A_DRIVE = re.compile(r"/([a-z]:[/\\].*)", re.IGNORECASE | re.DOTALL)


def path_of(uri: str) -> str:
    """Give the absolute path of a `file:` URI; one of another machine is refused, since to open it gives us away."""
    found = _FILE_URI.match(uri) if len(uri) <= LONGEST_URI else None
    path = unquote(found[1], errors="surrogateescape") if found else ""
    if os.name == "nt":
        path = windows_path(path)
    if not path or path.startswith("//"):
        raise InvalidParams.at("$.uri", "expected a file: URI on this machine")
    return path


def windows_path(path: str) -> str:
    """Give the path as Windows writes it, or nothing where no drive is named: it would lead into the network."""
    found = _ON_A_DRIVE.fullmatch(path)
    return found[1].replace("/", "\\") if found else ""


# Read a chat's file whole, and nothing that is no regular file of a bounded size.


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
    handle = _opened_files(path, uri)
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
    handle = _opened_files(path_of(uri), uri)
    try:
        size = _size(handle, uri)
        if size > SMALL:
            yield OpenFile(handle, size, uri)
            return
        held = InMemory(_contents(handle, uri, 0))
    finally:
        os.close(handle)
    yield held


def _opened_files(path: str, uri: str) -> int:
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


# Read the beginning and the end of a file, or of a line in it, without holding what lies between.


_CHUNK = 2**18


def ends_of(path: str, first: int, last: int) -> tuple[bytes, bytes]:
    """Give the first bytes of a regular file and the last of those behind them; raises OSError."""
    with _opened_ends(path) as (handle, size):
        head = os.read(handle, first)
        start = max(len(head), size - last)
        os.lseek(handle, start, os.SEEK_SET)
        return head, os.read(handle, min(last, size - start)) if size > start else b""


def line_end(path: str, start: int, last: int, most: int) -> bytes:
    """Give the last bytes of the line that a place lies in; nothing where it goes on for too long; raises OSError."""
    held = b""
    with _opened_ends(path) as (handle, _):
        os.lseek(handle, start, os.SEEK_SET)
        while most > 0 and (chunk := os.read(handle, min(most, _CHUNK))):
            line, ended, _ = chunk.partition(b"\n")
            held = (held + line)[-last:]
            if ended:
                return held
            most -= len(chunk)
    return b""


@contextmanager
def _opened_ends(path: str) -> Iterator[tuple[int, int]]:
    handle = os.open(path, READ_ONLY)
    try:
        seen = os.fstat(handle)
        if not stat.S_ISREG(seen.st_mode):  # another file has taken the name since we looked
            raise OSError
        yield handle, seen.st_size
    finally:
        os.close(handle)


# Read the files that belong to a chat and lie in its folder.


def read_beside(uri: str) -> dict[str, bytes]:
    """Give the contents of the files, by their names; one that is not there, or cannot be read, is left out."""
    chat = Path(path_of(uri))
    found: dict[str, bytes] = {}
    for name in files_with(chat.name):
        try:
            found[name] = read_path(str(chat.with_name(name)), uri)
        except CompactChatError:
            continue
    return found
