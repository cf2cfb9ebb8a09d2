"""Read chat files: whole, in ranges, or both ends; only regular files of a bounded size."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import unquote

from compact_chat.errors import ChatNotFound, ChatUnreadable, InvalidParams, TooLarge
from compact_chat.read import BLOCK, MAX_FILE_BYTES, SMALL, Blob, InMemory, Range
from compact_chat.tools import files_with

LONGEST_URI = 2**16  # characters: no system has longer names, and decoding megabytes would take hundreds of them
# Not `urlsplit`: it drops line ends, which would name another file, and caches its arguments.
_FILE_URI = re.compile(r"file:(?://(?:localhost)?)?(/[^?#]*)", re.IGNORECASE)
_ON_A_DRIVE = re.compile(r"/([a-z]:[/\\].*)", re.IGNORECASE | re.DOTALL)
# Do not wait for the other end of a pipe, take a controlling terminal, or change line ends on Windows.
READ_ONLY = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOCTTY", "O_BINARY"))
NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
_CHUNK = 2**18
IN_THE_NETWORK = ("//", "\\\\")  # opening a file on another machine reveals this one, and may block forever
UNREADABLE = (ChatNotFound, ChatUnreadable, TooLarge)  # what reading a chat file may raise


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


def read_path(path: str, uri: str, start: int = 0) -> bytes:
    """Read a regular file from an offset; `uri` is for error messages."""
    with _opened(path, uri) as (handle, size):
        return _read(handle, start, size - start)


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
        if size > SMALL:
            yield _OpenFile(handle, size)
            return
        blob = InMemory(_read(handle, 0, size))
    yield blob


class _OpenFile:
    """A regular file, limited to its size when opened, read in ranges."""

    def __init__(self, handle: int, size: int) -> None:
        self._handle, self._size = handle, size

    def whole(self) -> bytes:
        return _read(self._handle, 0, self._size)

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
            raise ChatNotFound("That is no regular file.", uri=uri) from problem
        except (OSError, ValueError) as problem:  # ValueError: a NUL or half a surrogate pair in the name
            raise ChatNotFound("There is no such file, or no permission to read it.", uri=uri) from problem
        if size > MAX_FILE_BYTES:
            raise TooLarge("The file is larger than 256 MiB; export the part of the chat that matters.", uri=uri)
        try:
            yield handle, size
        except OSError as problem:
            raise ChatUnreadable("The file cannot be read.", uri=uri, format=None, line=None) from problem


class NotRegular(OSError):
    """A pipe, a socket, a device or a folder, or a link where none is followed."""


@contextmanager
def regular_file(path: str | Path, *, is_ours: bool = False) -> Iterator[tuple[int, int]]:
    """Open a regular file with its size; refuse links to our own files. Raises OSError, or ValueError for odd names.

    Check first, since opening a device may have side effects, and again, since the file may have been replaced.
    """
    _check(os.stat(path, follow_symlinks=not is_ours))
    handle = os.open(path, READ_ONLY | (NO_FOLLOW if is_ours else 0))
    try:
        found = os.fstat(handle)
        _check(found)
        yield handle, found.st_size
    finally:
        os.close(handle)


def own_file(path: Path, most: int) -> bytes:
    """Read a file that Compact Chat wrote; raises OSError if it is missing, not a regular file, or too large."""
    with regular_file(path, is_ours=True) as (handle, size):
        if size > most:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
        return _read(handle, 0, size)


def _check(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise NotRegular(errno.EINVAL, "it is no regular file")


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
        os.lseek(handle, start, os.SEEK_SET)
        while most > 0 and (chunk := os.read(handle, min(most, _CHUNK))):
            line, ended, _ = chunk.partition(b"\n")
            end = (end + line)[-last:]
            if ended:
                return end
            most -= len(chunk)
    return b""


def small_text(path: str, largest: int) -> str:
    """Read a small regular file as text, whatever its bytes; empty if missing or too large."""
    try:
        data, _ = ends_of(path, largest + 1, 0)
    except (OSError, ValueError):  # ValueError: a NUL or half a surrogate pair in the name
        return ""
    return data.decode(errors="replace").removeprefix("\ufeff") if len(data) <= largest else ""
