"""Where the whole lines of a growing file end: its last line may still be on its way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from compact_chat.read.held import BLOCK, SMALL, Held, Place, numbered_lines
from compact_chat.read.json_text import parse_line

MOST = SMALL  # bytes that are read and kept at once
_AROUND = b" \t\r\0"  # what may stand around a record


class UpTo:
    """The first bytes of a file that may grow while it is read."""

    def __init__(self, held: Held, size: int) -> None:
        self._held, self._size = held, size

    def whole(self) -> bytes:
        """All of them at once."""
        return self._held.whole()[: self._size]

    def blocks(self) -> Iterator[bytes]:
        """All of them, piece by piece."""
        left = self._size
        for block in self._held.blocks():
            yield block[:left]
            left -= len(block)
            if left <= 0:
                return

    def pieces(self, places: Iterable[Place]) -> Iterator[bytes]:
        """What lies at places."""
        return self._held.pieces(places)


def whole_lines(lines: bytes) -> int:
    """How many bytes of JSON lines are whole ones."""
    end = lines.rfind(b"\n") + 1
    return len(lines) if _is_record(lines[end:]) else end


def last_line(held: Held, size: int) -> bytes | None:
    """The last line of a file of so many bytes, where it begins with a record and this one is not whole.

    None where it is too long to be kept until it is.
    """
    if not _is_record(next((line for _, _, line in numbered_lines(held) if line.strip(_AROUND)), b"")):
        return b""
    rest = b""
    for end in range(size, 0, -BLOCK):
        if len(rest) > MOST:
            return None
        start = max(0, end - BLOCK)
        piece, newline, last = b"".join(held.pieces([(start, end - start)])).rpartition(b"\n")
        rest = (last if newline else piece or last) + rest
        if newline:
            break
    return b"" if _is_record(rest) else rest


def _is_record(line: bytes) -> bool:
    """Whether a line is a record already: nothing that follows one can make it another."""
    if line.rstrip(_AROUND)[-1:] != b"}":
        return False
    records, whole = parse_line(line.decode(errors="replace"))
    return whole and bool(records)
