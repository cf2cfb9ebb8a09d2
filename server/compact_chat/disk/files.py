"""Read chat files: whole, in ranges, or both ends, and as they grow; only regular files of a bounded size."""

from __future__ import annotations

import errno
import os
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from math import inf
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from compact_chat.disk.home import NotRegular, regular_file
from compact_chat.errors import ChatNotFound, ChatUnreadable, InvalidParams, TooLarge
from compact_chat.read import (
    BLOCK,
    LONGEST_TAIL,
    MAX_FILE_BYTES,
    SMALL,
    Blob,
    InMemory,
    Range,
    unfinished_line,
    whole_lines,
)
from compact_chat.tools import files_with

LONGEST_URI = 2**16  # characters: no system has longer names, and decoding megabytes would take hundreds of them
# Not `urlsplit`: it drops line ends, which would name another file, and caches its arguments.
_FILE_URI = re.compile(r"file:(?://(?:localhost)?)?(/[^?#]*)", re.IGNORECASE)
_ON_A_DRIVE = re.compile(r"/([a-z]:[/\\].*)", re.IGNORECASE | re.DOTALL)
IN_THE_NETWORK = ("//", "\\\\")  # opening a file on another machine reveals this one, and may block forever
UNREADABLE = (ChatNotFound, ChatUnreadable, TooLarge)  # what reading a chat file may raise
AGAIN = 1.0  # seconds until an unreadable file is retried: nothing signals that it became readable
_PIECE = 2**16  # bytes that are searched for a line end at a time
_EDGE = 256  # last bytes read, which tell a file that grew from one that was rewritten


def path_of(uri: str) -> str:
    """Return the absolute path of a `file:` URI; refuse other machines."""
    found = _FILE_URI.match(uri) if len(uri) <= LONGEST_URI else None
    path = unquote(found[1], errors="surrogateescape") if found else ""
    if os.name == "nt":
        path = windows_path(path)
    if not path or path.startswith(IN_THE_NETWORK):
        raise InvalidParams.at("$.uri", "expected a file: URI on this machine")
    return path


def windows_path(path: str) -> str:
    """Return the path in Windows form, or nothing without a drive letter: it would be a network path."""
    found = _ON_A_DRIVE.fullmatch(path)
    return found[1].replace("/", "\\") if found else ""


def resolved(path: str) -> str:
    """Follow the links in a path; an impossible path is returned unchanged."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path


def read_file(uri: str) -> bytes:
    """Read the regular file that a `file:` URI names."""
    return read_path(path_of(uri), uri)


def read_path(path: str, uri: str, start: int = 0, length: int = MAX_FILE_BYTES) -> bytes:
    """Read a regular file from an offset, up to a length; `uri` is for error messages."""
    with _opened(path, uri) as (handle, size):
        return _read(handle, start, min(size - start, length))


def read_siblings(uri: str) -> dict[str, bytes]:
    """Read the files in a chat's folder that belong to it, by name; skip unreadable ones."""
    chat = Path(path_of(uri))
    found: dict[str, bytes] = {}
    for name in files_with(chat.name):
        with suppress(*UNREADABLE):
            found[name] = read_path(str(chat.with_name(name)), uri)
    return found


@contextmanager
def open_file(uri: str) -> Iterator[Blob]:
    """Open the regular file of a `file:` URI for reading; a small one is read at once."""
    with _opened(path_of(uri), uri) as (handle, size):
        blob = _blob(handle, size)
        if isinstance(blob, _OpenFile):
            yield blob
            return
    yield blob


def _blob(handle: int, size: int) -> Blob:
    return InMemory(_read(handle, 0, size)) if size <= SMALL else _OpenFile(handle, size)


class _OpenFile:
    """A regular file, limited to its size when opened, read in ranges."""

    def __init__(self, handle: int, size: int) -> None:
        self._handle, self._size = handle, size

    def blocks(self) -> Iterator[bytes]:
        start = 0
        while start < self._size and (block := _read(self._handle, start, min(BLOCK, self._size - start))):
            yield block
            start += len(block)

    def ranges(self, wanted: Iterable[Range]) -> Iterator[bytes]:
        """Read ranges; they are shorter if the file was truncated since."""
        return (_read(self._handle, start, length) for start, length in wanted)


@contextmanager
def _opened(path: str, uri: str) -> Iterator[tuple[int, int]]:
    """Open the regular file of a chat, of a bounded size."""
    with ExitStack() as stack:
        try:
            handle, size = stack.enter_context(regular_file(path))
        except NotRegular as problem:
            raise ChatNotFound("This is not a regular file.", uri=uri) from problem
        except (OSError, ValueError) as problem:  # ValueError: a NUL or half a surrogate pair in the name
            raise ChatNotFound("There is no such file, or no permission to read it.", uri=uri) from problem
        if size > MAX_FILE_BYTES:
            raise TooLarge("The file is larger than 256 MiB; export the part of the chat that matters.", uri=uri)
        try:
            yield handle, size
        except OSError as problem:
            raise ChatUnreadable("The file cannot be read.", uri=uri, format=None, line=None) from problem


def own_file(path: Path, most: int) -> bytes:
    """Read a file that Compact Chat wrote; raises OSError if it is missing, not a regular file, or too large."""
    with regular_file(path, is_ours=True) as (handle, size):
        if size > most:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
        return _read(handle, 0, size)


def _read(handle: int, start: int, size: int) -> bytes:
    """Read no more than the size seen before: a chat may grow, and a file without a size may be endless."""
    os.lseek(handle, start, os.SEEK_SET)
    pieces: list[bytes] = []
    while size > 0 and (piece := os.read(handle, size)):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


# The beginning and the end of a file, or of a line in it.


def ends_of(path: str, first: int, last: int) -> tuple[bytes, bytes]:
    """Read the first bytes of a regular file and the last of the remaining ones; raises OSError."""
    with regular_file(path) as (handle, size):
        head = os.read(handle, first)
        start = max(len(head), size - last)
        os.lseek(handle, start, os.SEEK_SET)
        return head, os.read(handle, min(last, size - start)) if size > start else b""


def line_end(path: str, start: int, last: int, most: int) -> bytes:
    """Read the end of the line at an offset; empty if it is too long; raises OSError."""
    end = b""
    with regular_file(path) as (handle, _):
        while most > 0 and (piece := _read(handle, start, min(most, _PIECE))):
            line, ended, _ = piece.partition(b"\n")
            end = (end + line)[-last:]
            if ended:
                return end
            start += len(piece)
            most -= len(piece)
    return b""


def small_text(path: str, largest: int) -> str:
    """Read a small regular file as text, whatever its bytes; empty if missing or too large."""
    try:
        data, _ = ends_of(path, largest + 1, 0)
    except (OSError, ValueError):  # ValueError: a NUL or half a surrogate pair in the name
        return ""
    return data.decode(errors="replace").removeprefix("\ufeff") if len(data) <= largest else ""


# Follow a growing file: read appended bytes once, and detect every other change.


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
        self._unfinished = b""  # last line
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
            with _opened(self._path, self._uri) as (handle, _):
                self._end = self._stamps[0].size if self._stamps[0] else 0
                self._unfinished = unfinished_line(_blob(handle, self._end))
                self._edge = _read(handle, max(0, self._end - _EDGE), min(_EDGE, self._end))
                yield _blob(handle, self._end - len(self._unfinished))
        except ChatNotFound:
            self._refused = time.monotonic()
            raise

    def grown(self) -> bytes | None:
        """Read the whole lines appended since; None if everything has to be read again.

        Nothing but that the chat's file grew may have happened.
        """
        before, self._stamps = self._stamps, self._stamps_now()
        old, new = before[0] if before else None, self._stamps[0]
        if old is None or new is None or before[1:] != self._stamps[1:]:
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
