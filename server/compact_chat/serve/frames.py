"""Messages on a byte stream: `Content-Length` headers, a blank line, a body."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import BinaryIO, NamedTuple

MAX_BODY = 64 * 2**20
MAX_HEADER = 2**16
MAX_SKIPPED = 2**32  # a length beyond it is a mistake, and waiting for so many bytes would be for ever
HEAD = 4096
# A body that is longer than its header said may stand before the next header on its line.
_CONTENT_LENGTH = re.compile(rb"(?<![\w-])content-length\s*:\s*(\d{1,18})\s*\Z", re.IGNORECASE)


class Oversized(NamedTuple):
    """A body beyond the limit, which was passed over: how it begins and ends."""

    head: bytes
    tail: bytes


Body = bytes | Oversized


def size_of(body: Body) -> int:
    """Give the bytes that a body takes here."""
    return len(body) if isinstance(body, bytes) else 0


def frame(body: bytes) -> bytes:
    """Put the headers before a body."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def bodies(stream: BinaryIO) -> Iterator[Body]:
    """Give each body until the stream ends; while the next one is awaited, nothing of the last is kept."""
    return iter(partial(_next_body, stream), None)


def _next_body(stream: BinaryIO) -> Body | None:
    length = _next_length(stream)
    if length is None:
        return None
    if length > MAX_BODY:
        return Oversized(*_skip(stream, length if length <= MAX_SKIPPED else 0))
    body = stream.read(length)
    return body if len(body) == length else None


def _next_length(stream: BinaryIO) -> int | None:
    """Read up to a body; lines that are no header are passed over, so that the stream finds its feet again."""
    length = None
    while line := stream.readline(MAX_HEADER):
        if found := _CONTENT_LENGTH.search(line) if length is None else _CONTENT_LENGTH.match(line):
            length = int(found[1])
        elif length is not None and not line.strip():
            return length
    return None


def _skip(stream: BinaryIO, length: int) -> tuple[bytes, bytes]:
    """Pass over a body, and give its beginning and its end."""
    head = tail = stream.read(min(length, HEAD))
    left = length - len(head)
    while left > 0 and (chunk := stream.read(min(left, 2**20))):
        left, tail = left - len(chunk), (tail + chunk)[-HEAD:]
    return head, tail
