"""Read a chat's file whole, and nothing that is no regular file of a bounded size."""

from __future__ import annotations

import os
import stat

from compact_chat.disk.names import path_of
from compact_chat.errors import ChatNotFound, ChatUnreadable, TooLarge

MAX_FILE_BYTES = 256 * 2**20
# Opening must not wait for the other end of a pipe, nor make a terminal ours, nor change line ends on Windows.
_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOCTTY", "O_BINARY"))


def read_file(uri: str) -> bytes:
    """Give the contents of the regular file that a `file:` URI names."""
    return read_path(path_of(uri), uri)


def read_path(path: str, uri: str) -> bytes:
    """Give the contents of a regular file; `uri` is what a failure names."""
    handle = _opened(path, uri)
    try:
        return _contents(handle, uri)
    finally:
        os.close(handle)


def _opened(path: str, uri: str) -> int:
    """Open a file that is worth it; already to open a device may set it going."""
    try:
        _check(os.stat(path), uri)  # noqa: PTH116 -- a Path drops a slash at the end
        return os.open(path, _FLAGS)
    except (OSError, ValueError) as problem:  # ValueError: a NUL or half a surrogate pair in the name
        raise ChatNotFound("There is no such file, or no permission to read it.", uri=uri) from problem


def _contents(handle: int, uri: str) -> bytes:
    """Read what was opened; another file may have taken the name since we looked."""
    try:
        found = os.fstat(handle)
        _check(found, uri)
        return _read(handle, found.st_size)
    except OSError as problem:
        raise ChatUnreadable("The file cannot be read.", uri=uri, format=None, line=None) from problem


def _check(found: os.stat_result, uri: str) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise ChatNotFound("That is no regular file.", uri=uri)
    if found.st_size > MAX_FILE_BYTES:
        raise TooLarge("The file is larger than 256 MiB; export the part of the chat that matters.", uri=uri)


def _read(handle: int, size: int) -> bytes:
    """Read what was there when we looked: a chat may grow meanwhile, and what claims no size may have no end."""
    pieces: list[bytes] = []
    while size > 0 and (piece := os.read(handle, size)):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)
