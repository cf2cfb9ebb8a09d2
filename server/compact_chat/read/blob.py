"""The bytes that a chat is read from, and how many of them are read."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from io import BytesIO
from typing import Protocol

from compact_chat.chat import Warning
from compact_chat.errors import TooLarge, checkpoint

SMALL = 2**23  # bytes that may stay in memory
BLOCK = 2**20
MARK = b"\xef\xbb\xbf"  # the byte order mark, which is not part of the text
ZSTD = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"  # imported for a packed file only
PACKED = b"\x28\xb5\x2f\xfd"  # magic bytes of packed files
_DAMAGED = Warning("damagedArchive", "The packed file is damaged or cut off; what could be unpacked of it was read.")

Range = tuple[int, int]  # offset and length
_MIB = 2**20
MAX_FILE_BYTES = 256 * _MIB  # also of what a packed file holds
MAX_WHOLE = 64 * _MIB  # bytes of what is decoded at once: a line, a document, a text
MAX_RECORDS, MAX_DAMAGED = 250_000, 2_000_000  # JSON lines
MAX_MESSAGES = 100_000
MAX_FRAMES = 25_000  # of a packed file: an empty one has 9 bytes, and takes 9 µs each time the file is read
MAX_VALUES = 2_500_000  # of JSON, by its commas and brackets: each may become a part of a message
MAX_LINES = 10_000_000  # of a text

_SEPARATORS = (b",", b"[", b"{")
_VALUE = re.compile(rb'"[^"\\]*+(?>\\.?[^"\\]*+)*+"?|([,\[{])', re.DOTALL)  # a string, or the start of a value


class Blob(Protocol):
    """Bytes that can be read more than once."""

    def blocks(self) -> Iterator[bytes]:
        """Read all bytes in blocks."""

    def ranges(self, wanted: Iterable[Range]) -> Iterator[bytes]:
        """Read consecutive ranges; one beyond the end is shorter."""


class InMemory:
    """Bytes in memory."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def blocks(self) -> Iterator[bytes]:
        """Yield the bytes, in several blocks if there are many."""
        data = self.data
        return iter((data,) if len(data) <= SMALL else (data[at : at + BLOCK] for at in range(0, len(data), BLOCK)))

    def ranges(self, wanted: Iterable[Range]) -> Iterator[bytes]:
        """Slice the bytes."""
        return (self.data[start : start + length] for start, length in wanted)


class Unpacked:
    """The bytes in a packed file, unpacked on each read: Codex packs old sessions."""

    def __init__(self, packed: bytes) -> None:
        self._packed = packed
        self.faults: tuple[Warning, ...] = ()

    def blocks(self) -> Iterator[bytes]:
        """Unpack in blocks; a damaged file as far as possible."""
        zstd, room = import_module(ZSTD), MAX_FILE_BYTES
        with suppress(zstd.ZstdError):  # damage is noted below
            check_frames(self._packed, zstd.get_frame_size)
        try:
            with zstd.ZstdFile(BytesIO(self._packed)) as file:
                while block := file.read1(BLOCK):  # a few bytes may unpack to gigabytes
                    room -= len(block)
                    if room < 0:
                        sentence = "The file is larger than 256 MiB once it is unpacked; give the part that matters."
                        raise TooLarge(sentence)
                    yield block
        except (EOFError, zstd.ZstdError):
            self.faults = (_DAMAGED,)

    def ranges(self, wanted: Iterable[Range]) -> Iterator[bytes]:
        """Read ranges in one pass through the file."""
        blocks, window, begin = self.blocks(), b"", 0
        for start, length in wanted:
            while begin + len(window) < start + length and (block := next(blocks, b"")):
                gone = max(0, min(start - begin, len(window)))
                window, begin = window[gone:] + block, begin + gone
            yield window[start - begin : start - begin + length]


def unpacked_beginning(packed: bytes, size: int) -> bytes:
    """Unpack at least so many bytes, if there are as many, from the beginning of a packed file."""
    found = b""
    for block in Unpacked(packed).blocks():
        found += block
        if len(found) >= size:
            break
    return found[:size]


def numbered_lines(blob: Blob) -> Iterator[tuple[int, int, bytes]]:
    """Yield each line with its number and its offset; a byte order mark belongs to none."""
    number, start = 1, 0
    unended: list[bytes] = []
    for block in blob.blocks():
        if len(unended) == 1 and not block.strip(b"\0") and not unended[0].strip(b"\0"):
            start += len(block)  # a crash may leave millions of NULs in a file
            continue
        begin = len(MARK) if not start and not unended and block.startswith(MARK) else 0
        start += begin
        while (end := block.find(b"\n", begin)) >= 0:
            line = block[begin:end]  # one at a time takes half of the time of splitting the block
            if unended:
                line = b"".join((*unended, line))
                unended = []
            yield number, start, line
            number += 1
            start += len(line) + 1
            begin = end + 1
        if begin < len(block):
            unended.append(block[begin:])
    yield number, start, b"".join(unended)


def first_lines(blob: Blob, size: int) -> bytes | None:
    """Read so many bytes and the rest of their last line; None if nothing follows.

    If that line is too long, return what precedes it.
    """
    lines, found = numbered_lines(blob), list[bytes]()
    for _, start, line in lines:
        if len(line) > SMALL or (found and start >= size):
            return b"\n".join((*found, b"")) if found and (line or next(lines, None)) else None
        found.append(line)
    return None


# Limits, so that no file takes more than seconds and some hundred megabytes (rule G10).


def beyond(limit: int, things: str) -> TooLarge:
    """Make the error for a chat that has more of something than is read."""
    return TooLarge(f"The chat has more than {limit:,} {things}; give the part of it that matters.")


def check_length(messages: int) -> None:
    """Refuse a chat with too many messages."""
    if messages > MAX_MESSAGES:
        raise beyond(MAX_MESSAGES, "messages")


def check_lines(blocks: Iterable[bytes]) -> int:
    """Refuse bytes with too many records, or with a line that is too long, before anything is decoded.

    Returns the most values that they may hold, if they are JSON.
    """
    lines = records = values = length = 0
    is_json = False
    for number, block in enumerate(blocks):
        checkpoint()
        if not block.strip(b"\0"):  # a crash may leave millions of NULs in a file
            continue
        is_json = is_json or (not number and block.lstrip()[:1] in (b"{", b"["))
        lines += block.count(b"\n")
        records += block.count(b"\n{")
        values += sum(map(block.count, _SEPARATORS))
        check_records(records, 0)
        if lines > MAX_LINES:
            raise beyond(MAX_LINES, "lines")
        end = block.find(b"\n")
        check_size(length + (end if end >= 0 else len(block)), "line")
        length = length + len(block) if end < 0 else len(block) - block.rfind(b"\n") - 1
    return values if is_json or records else 0


def check_records(records: int, damaged: int) -> None:
    """Refuse lines with too many records, or too many that hold none."""
    if records > MAX_RECORDS:
        raise beyond(MAX_RECORDS, "records")
    if damaged > MAX_DAMAGED:
        raise beyond(MAX_DAMAGED, "damaged lines")


def check_frames(packed: bytes, size_of: Callable[[memoryview], int]) -> None:
    """Refuse a packed file with too many frames, before any of them is unpacked."""
    rest, frames = memoryview(packed), 0
    while rest:
        if frames == MAX_FRAMES:
            raise beyond(MAX_FRAMES, "packed frames")
        rest, frames = rest[size_of(rest) :], frames + 1


def check_size(size: int, of: str) -> None:
    """Refuse what is too large to be decoded at once."""
    if size > MAX_WHOLE:
        raise TooLarge(f"A {of} of the chat is larger than {MAX_WHOLE // _MIB} MiB; give the part of it that matters.")


def check_values(lines: Iterable[bytes]) -> None:
    """Refuse lines of JSON with too many values, not counting what looks like one in their texts."""
    left = MAX_VALUES
    for line in lines:
        checkpoint()
        for found in _VALUE.finditer(line) if sum(map(line.count, _SEPARATORS)) else ():
            left -= found[1] is not None
            if left < 0:
                raise beyond(MAX_VALUES, "values")
