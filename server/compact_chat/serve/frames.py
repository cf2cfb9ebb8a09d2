"""Messages on a byte stream: `Content-Length` headers, a blank line, a body."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from compact_chat.errors import TooLarge

MAX_BODY = 64 * 2**20
MAX_HEADER = 2**16
MAX_SKIPPED = 2**32  # a length beyond it is a mistake, and waiting for so many bytes would be for ever
# A body that is longer than its header said may stand before the next header on its line.
_CONTENT_LENGTH = re.compile(rb"(?<![\w-])content-length\s*:\s*(\d{1,18})\s*\Z", re.IGNORECASE)


def frame(body: bytes) -> bytes:
    """Put the headers before a body."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def bodies(stream: BinaryIO) -> Iterator[bytes | TooLarge]:
    """Give each body until the stream ends; one beyond the limit is passed over, and an error stands for it."""
    while (length := _next_length(stream)) is not None:
        if length > MAX_BODY:
            yield TooLarge(f"A message may have {MAX_BODY // 2**20} MiB; give a larger chat as a file.")
            _skip(stream, length if length <= MAX_SKIPPED else 0)
        elif len(body := stream.read(length)) == length:
            yield body


def _next_length(stream: BinaryIO) -> int | None:
    """Read up to a body; lines that are no header are passed over, so that the stream finds its feet again."""
    length = None
    while line := stream.readline(MAX_HEADER):
        if found := _CONTENT_LENGTH.search(line):
            length = int(found[1])
        elif length is not None and not line.strip():
            return length
    return None


def _skip(stream: BinaryIO, length: int) -> None:
    while length > 0 and (chunk := stream.read(min(length, 2**20))):
        length -= len(chunk)
