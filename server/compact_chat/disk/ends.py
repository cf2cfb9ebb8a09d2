"""Read the beginning and the end of a file, or of a line in it, without holding what lies between."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from compact_chat.disk.files import READ_ONLY

_CHUNK = 2**18


def ends_of(path: str, first: int, last: int) -> tuple[bytes, bytes]:
    """Give the first bytes of a regular file and the last of those behind them; raises OSError."""
    with _opened(path) as (handle, size):
        head = os.read(handle, first)
        start = max(len(head), size - last)
        os.lseek(handle, start, os.SEEK_SET)
        return head, os.read(handle, min(last, size - start)) if size > start else b""


def line_end(path: str, start: int, last: int, most: int) -> bytes:
    """Give the last bytes of the line that a place lies in; nothing where it goes on for too long; raises OSError."""
    held = b""
    with _opened(path) as (handle, _):
        os.lseek(handle, start, os.SEEK_SET)
        while most > 0 and (chunk := os.read(handle, min(most, _CHUNK))):
            line, ended, _ = chunk.partition(b"\n")
            held = (held + line)[-last:]
            if ended:
                return held
            most -= len(chunk)
    return b""


@contextmanager
def _opened(path: str) -> Iterator[tuple[int, int]]:
    handle = os.open(path, READ_ONLY)
    try:
        seen = os.fstat(handle)
        if not stat.S_ISREG(seen.st_mode):  # another file has taken the name since we looked
            raise OSError
        yield handle, seen.st_size
    finally:
        os.close(handle)
