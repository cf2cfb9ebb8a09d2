"""Read a chat's file whole, and nothing that is no regular file of a bounded size."""

from __future__ import annotations

import os
import stat
from urllib.parse import unquote, urlsplit

from compact_chat.errors import ChatNotFound, InvalidParams, TooLarge

MAX_FILE_BYTES = 256 * 2**20
# Opening must not wait for the other end of a pipe, and must not change line ends on Windows.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def read_file(uri: str) -> bytes:
    """Give the contents of the regular file that a `file:` URI names."""
    path = path_of(uri)
    try:
        handle = os.open(path, _FLAGS)
    except (OSError, ValueError) as problem:  # ValueError: a NUL in the name
        raise _not_found(uri) from problem
    try:
        return _contents(handle, uri)
    finally:
        os.close(handle)


def path_of(uri: str) -> str:
    """Give the path of a `file:` URI."""
    try:
        parts = urlsplit(uri)
    except ValueError:  # brackets that enclose no address
        parts = urlsplit("")
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        raise InvalidParams.at("$.uri", "expected a file: URI on this machine")
    if os.name == "nt":
        from urllib.request import url2pathname  # a drive's letter takes more than unquoting

        return url2pathname(parts.path)
    return unquote(parts.path)


def _contents(handle: int, uri: str) -> bytes:
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode):
        raise ChatNotFound("That is no regular file.", uri=uri)
    if found.st_size > MAX_FILE_BYTES:
        raise TooLarge("The file is larger than 256 MiB; export the part of the chat that matters.", uri=uri)
    return _read(handle, found.st_size)


def _read(handle: int, size: int) -> bytes:
    """Read what was there when we looked: a chat may grow meanwhile."""
    pieces: list[bytes] = []
    while size > 0 and (piece := os.read(handle, size)):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _not_found(uri: str) -> ChatNotFound:
    return ChatNotFound("There is no such file, or no permission to read it.", uri=uri)
