"""Where the whole lines of a growing file end: its last line may still be on its way."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any, Generic, Protocol, TypeVar

import msgspec
from msgspec import Struct

from compact_chat.cancel import checkpoint
from compact_chat.chat import JsonObject, Warning
from compact_chat.errors import TooLarge
from compact_chat.read.document import check_kept, parse, parse_line
from compact_chat.read.loose import objects

# The bytes that a chat is read from, in memory or wherever else they lie.


SMALL = 2**23  # bytes that may as well be held whole
BLOCK = 2**20
MARK = b"\xef\xbb\xbf"  # of the byte order; no part of the text

Place = tuple[int, int]  # where bytes begin, and how many they are


class Held(Protocol):
    """Bytes that can be gone through more than once."""

    def whole(self) -> bytes:
        """All of them at once."""

    def blocks(self) -> Iterator[bytes]:
        """All of them, piece by piece."""

    def pieces(self, places: Iterable[Place]) -> Iterator[bytes]:
        """What lies at places that follow each other; less where it is no longer there."""


class InMemory:
    """Bytes that are at hand."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def whole(self) -> bytes:
        """All of them at once."""
        return self._data

    def blocks(self) -> Iterator[bytes]:
        """All of them, piece by piece."""
        data = self._data
        return iter((data,) if len(data) <= SMALL else (data[at : at + BLOCK] for at in range(0, len(data), BLOCK)))

    def pieces(self, places: Iterable[Place]) -> Iterator[bytes]:
        """What lies at the places."""
        return (self._data[start : start + length] for start, length in places)


def whole(held: Held) -> bytes:
    """All of the bytes at once, but the mark of their order."""
    return held.whole().removeprefix(MARK)


def beginning_held(held: Held, size: int) -> bytes | None:
    """So many bytes, and the rest of the line that they end in; None where nothing comes behind it.

    Where that line is a very long one, it is what stands before it.
    """
    pieces: list[bytes] = []
    for block in held.blocks():
        if size < -SMALL:
            return _lines_of(pieces)
        if pieces and size <= 0 and pieces[-1].endswith(b"\n"):
            return b"".join(pieces).removeprefix(MARK)
        if end := block.find(b"\n", max(size, 1) - 1) + 1:
            pieces.append(block[:end])
            if end < len(block):
                return b"".join(pieces).removeprefix(MARK)
        else:
            pieces.append(block)
        size -= len(block)
    return None


def _lines_of(pieces: list[bytes]) -> bytes | None:
    data = b"".join(pieces).removeprefix(MARK)
    return data[: data.rfind(b"\n") + 1] or None


def numbered_lines(held: Held) -> Iterator[tuple[int, int, bytes]]:
    """Each line with its number, and where it begins."""
    number, start = 1, 0
    unended: list[bytes] = []
    for block in held.blocks():
        if len(unended) == 1 and _are_nothing(block) and _are_nothing(unended[0]):
            start += len(block)  # a file may have millions of NULs where its computer went out
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


def _are_nothing(data: bytes) -> bool:
    """Whether bytes are NULs alone."""
    return not data.strip(b"\0")


# Files that a tool has packed with Zstandard, as Codex does with old sessions.


if sys.version_info >= (3, 14):
    from compression.zstd import ZstdDecompressor, ZstdError
else:
    from backports.zstd import ZstdDecompressor, ZstdError

MAX_BYTES = 256 * 2**20  # unpacked: as many as a file may have that is not packed
PACKED = b"\x28\xb5\x2f\xfd"  # how such files begin
_PIECE = 2**16  # packed, given at a time
_ROOM = 2**20  # unpacked, taken at a time: a few bytes may stand for gigabytes
_DAMAGED = Warning("damagedArchive", "The packed file is damaged or cut off; what could be unpacked of it was read.")


class Unpacking:
    """The bytes that a packed file holds, unpacked anew each time that they are gone through."""

    def __init__(self, packed: Held) -> None:
        self._packed = packed
        self.faults: tuple[Warning, ...] = ()

    def whole(self) -> bytes:
        """All that can be unpacked, at once."""
        return b"".join(self.blocks())

    def blocks(self) -> Iterator[bytes]:
        """All that can be unpacked."""
        room = MAX_BYTES
        try:
            for piece in _unpacked(self._packed):
                room -= len(piece)
                if room < 0:
                    raise TooLarge("The file is larger than 256 MiB once it is unpacked; give the part that matters.")
                if piece:
                    yield piece
        except (EOFError, ZstdError):
            self.faults = (_DAMAGED,)

    def pieces(self, places: Iterable[Place]) -> Iterator[bytes]:
        """What lies at the places, in one go through the file."""
        blocks, held, begin = self.blocks(), b"", 0
        for start, length in places:
            while begin + len(held) < start + length and (block := next(blocks, b"")):
                held, begin = _from(start, begin, held) + block, max(begin, min(start, begin + len(held)))
            yield held[start - begin : start - begin + length]


def _from(start: int, begin: int, held: bytes) -> bytes:
    return held[max(start - begin, 0) :]


def _unpacked(packed: Held) -> Iterator[bytes]:
    """Unpack one frame after the other; one that is cut off raises EOFError."""
    pieces = (block[at : at + _PIECE] for block in packed.blocks() for at in range(0, len(block), _PIECE))
    rest = next(pieces, b"")
    while rest:
        frame = ZstdDecompressor()
        while not frame.eof:
            if frame.needs_input and not rest:
                raise EOFError
            given, rest = (rest, b"") if frame.needs_input else (b"", rest)
            yield frame.decompress(given, _ROOM)
            rest = rest or next(pieces, b"")
        rest = frame.unused_data + rest


def beginning_packed(packed: bytes, size: int) -> bytes:
    """The first bytes that a packed file holds, of which the beginning is given."""
    pieces: list[bytes] = []
    try:
        for piece in _unpacked(InMemory(packed)):
            pieces.append(piece)
            size -= len(piece)
            if size <= 0:
                break
    except (EOFError, ZstdError):
        pass  # the end was not given
    return b"".join(pieces)[: size or None]


# Whether a file is JSON lines or one document, told from its beginning where that is enough.


_EARLY = 2**16
_CLOSE = 100  # what breaks so close to where a text was cut may be whole in the file
_WORD = re.compile(rb"[^ \t\r\n]")
_ANY = msgspec.json.Decoder(msgspec.Raw)


def are_lines(held: Held) -> bool:
    """Whether the bytes are more than one JSON value: then they are no document, and need not be decoded to know it."""
    first, has_more = _first_line(held)
    if not has_more:
        return False
    try:
        _ANY.decode(first)
    except (ValueError, RecursionError):
        return _breaks_early(held)
    return True


def _first_line(held: Held) -> tuple[bytes, bool]:
    """The first line that is not blank, and whether another one follows it."""
    line: list[bytes] = []
    blocks = held.blocks()
    for block in blocks:
        begin = 0 if any(line) else _first_word(block)
        end = block.find(b"\n", begin)
        line.append(block[begin:] if end < 0 else block[begin:end])
        if end >= 0:
            has_more = bool(_WORD.search(block, end)) or any(map(_WORD.search, blocks))
            return b"".join(line) if has_more else b"", has_more
    return b"", False


def _first_word(block: bytes) -> int:
    found = _WORD.search(block, len(MARK) if block.startswith(MARK) else 0)
    return found.start() if found else len(block)


def _breaks_early(held: Held) -> bool:
    """Whether the beginning is broken in itself, and not for being cut off here."""
    text = next(held.blocks())[:_EARLY].decode("utf-8-sig", errors="replace")
    try:
        json.loads(text)
    except json.JSONDecodeError as problem:
        return problem.pos < len(text) - _CLOSE and not problem.msg.startswith("Unterminated string")
    except (ValueError, RecursionError):
        return False
    return False


# Files of JSON lines, gone through without holding them: how much is decoded of a record, a reader says itself.


# Gives items so that whoever goes through them may be stopped between two.
Watch = Callable[[Iterable[Any]], tuple[Any, ...]]
T = TypeVar("T")
Spot = tuple[Place, int]  # the line of a record, and its number among those that are glued together there

_UI_COPY = "toolUseResult"  # half of a Claude Code file; nothing of it goes to a model
_PADDING = b" \t\r\0"
STRETCH = 50  # lines between two moments at which the work may be stopped


class Scan(Struct, Generic[T]):
    """What was kept of the records, the lines that are damaged, and the first line that is not UTF-8."""

    kept: list[tuple[Spot, T]]
    damaged: list[int]
    broken: int | None = None


def scan(
    held: Held, watch: Watch, errors: str, light: Callable[[bytes], T | None], slow: Callable[[JsonObject], T | None]
) -> Scan[T]:
    """Go through all records once, and keep what is made of them, but None.

    `light` looks at the only record of a sound line; where it raises a ValueError, `slow` takes what the line holds.
    """
    found: Scan[T] = Scan([], [])
    for number, start, line in numbered_lines(held):
        if number % STRETCH == 1:
            pause(watch)
            check_kept(len(found.kept) + len(found.damaged))
        if not line.lstrip(_PADDING).startswith(b"{"):
            _note_foreign(found, number, line, errors)
            continue
        try:
            if not line.isascii():
                line.decode()
            kept = light(line)
        except (ValueError, RecursionError):
            _scan_slowly(found, (number, start, line), errors, slow)
            continue
        if kept is not None:
            found.kept.append((((start, len(line)), 0), kept))
    return found


def records_at(
    held: Held,
    watch: Watch,
    errors: str,
    spots: Iterable[Spot],
    light: Callable[[bytes], T],
    slow: Callable[[JsonObject], T],
) -> Iterator[T | None]:
    """The records at spots that follow each other, decoded as `scan` does; None where none is there, or no longer."""
    lines = [(place, [number for _, number in ones]) for place, ones in groupby(spots, key=lambda spot: spot[0])]
    found = zip(held.pieces(place for place, _ in lines), lines, strict=False)
    for number, (line, (place, numbers)) in enumerate(found):
        if not number % STRETCH:
            pause(watch)
        values: list[T] = []
        if len(line) == place[1]:
            try:
                values = [light(line)]
            except (ValueError, RecursionError):
                values = list(map(slow, _records(line, errors)[0]))
        yield from (values[number] if number < len(values) else None for number in numbers)


def record_of(line: bytes) -> JsonObject:
    """The one record on a sound line, without what is for the screen only; raises ValueError."""
    record = parse(line)
    if not isinstance(record, dict):
        raise ValueError("That is no record.")  # noqa: TRY004 -- wrong JSON is a ValueError wherever it is wrong
    return slim(record)


def slim(record: JsonObject) -> JsonObject:
    """Take what is for the screen only out of a record."""
    record.pop(_UI_COPY, None)
    return record


def _note_foreign(found: Scan[T], number: int, line: bytes, errors: str) -> None:
    """Note a line that begins no record, and that nobody need try to decode; a blank one is as good as none."""
    if b"\0" in line or line.strip(_PADDING):
        found.damaged.append(number)
        if found.broken is None and is_broken(line, errors):
            found.broken = number


def _scan_slowly(
    found: Scan[T], numbered: tuple[int, int, bytes], errors: str, slow: Callable[[JsonObject], T | None]
) -> None:
    """Look at a line that is more, or less, than one sound record."""
    number, start, line = numbered
    records, whole = _records(line, errors)
    if not whole:
        found.damaged.append(number)
    if found.broken is None and is_broken(line, errors):
        found.broken = number
    kept = ((((start, len(line)), place), slow(record)) for place, record in enumerate(records))
    found.kept += [(spot, one) for spot, one in kept if one is not None]


def values_of(line: bytes, errors: str) -> tuple[list[Any], bool]:
    """The values on a line of any kind, and whether nothing of it was lost."""
    try:
        return [record_of(line)], True
    except (ValueError, RecursionError):
        return parse_line(line.decode(errors=errors))


def _records(line: bytes, errors: str) -> tuple[list[JsonObject], bool]:
    values, whole = values_of(line, errors)
    return list(map(slim, objects(values))), whole


def pause(_: Watch) -> None:
    """Stop here if the operation was cancelled."""
    checkpoint()


def is_broken(line: bytes, errors: str) -> bool:
    """Whether a line of a file is not UTF-8; one of a text may hold halves of surrogate pairs."""
    try:
        line.decode()
    except UnicodeDecodeError:
        return errors == "replace"
    return False


# The records on whole lines that have come to the end of a file.


def grown_records(lines: bytes) -> list[JsonObject] | None:
    """The records; None where a line is damaged, since of that the whole file is to tell."""
    found = scan(InMemory(lines), tuple, "replace", record_of, slim)
    return None if found.damaged or found.broken else [record for _, record in found.kept]


# Where the whole lines of a growing file end: its last line may still be on its way.


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
