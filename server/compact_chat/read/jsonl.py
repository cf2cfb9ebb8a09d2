"""JSON lines, read without loading the file: a reader chooses how much of each record it decodes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct

from compact_chat.cancel import checkpoint
from compact_chat.chat import JsonObject
from compact_chat.read.blob import MARK, SMALL, Blob, InMemory, Range, check_records, numbered_lines
from compact_chat.read.loose import objects, parse, parse_line

T = TypeVar("T")
Spot = tuple[Range, int]  # a record's line, and its index among records glued together there

LONGEST_TAIL = SMALL  # bytes of an unfinished last line that are kept
_UI_COPY = "toolUseResult"  # half of a Claude Code file; never sent to a model
_PADDING = b" \t\r\0"  # what may be around a record
_EARLY = 2**16
_CLOSE = 100  # a break this close to the cut may be whole in the file
_WORD = re.compile(rb"[^ \t\r\n]")
_ANY = msgspec.json.Decoder(msgspec.Raw)


# Decode the records. A line decoder may raise ValueError; then the line is decoded record by record.


class Scan(Struct, Generic[T]):
    """What was kept of the records, the damaged lines, and the first line that is not UTF-8."""

    kept: list[tuple[Spot, T]]
    damaged: list[int]
    broken: int | None = None


def scan(
    blob: Blob, errors: str, of_line: Callable[[bytes], T | None], of_record: Callable[[JsonObject], T | None]
) -> Scan[T]:
    """Decode all records once, and keep each result other than None."""
    found: Scan[T] = Scan([], [])
    for number, start, line in numbered_lines(blob):
        checkpoint()
        check_records(len(found.kept), len(found.damaged))
        is_record = line.lstrip(_PADDING).startswith(b"{")
        try:
            if is_record:
                if not line.isascii():
                    line.decode()
                if (kept := of_line(line)) is not None:
                    found.kept.append((((start, len(line)), 0), kept))
                continue
        except (ValueError, RecursionError):
            pass
        records, whole = values_of(line, errors) if is_record else ([], b"\0" not in line and not line.strip(_PADDING))
        if not whole:
            found.damaged.append(number)
        if found.broken is None and (is_record or not whole) and is_broken(line, errors):
            found.broken = number
        for place, record in enumerate(objects(records)):
            if (kept := of_record(record)) is not None:
                found.kept.append((((start, len(line)), place), kept))
    return found


def records_at(blob: Blob, errors: str, spots: Iterable[Spot]) -> Iterator[JsonObject | None]:
    """Decode the records at consecutive spots, without screen-only fields; None for one that has moved."""
    lines = [(line, [number for _, number in ones]) for line, ones in groupby(spots, key=lambda spot: spot[0])]
    found = zip(blob.ranges(line for line, _ in lines), lines, strict=False)
    for data, ((_, length), numbers) in found:
        checkpoint()
        records = objects(values_of(data, errors)[0]) if len(data) == length else []
        yield from (records[number] if number < len(records) else None for number in numbers)


def record_of(line: bytes) -> JsonObject:
    """Decode the only record of an intact line, without screen-only fields; raises ValueError."""
    record = parse(line)
    if isinstance(record, dict):
        return slim(record)
    raise ValueError("That is no record.")


def slim(record: JsonObject) -> JsonObject:
    """Drop screen-only fields."""
    record.pop(_UI_COPY, None)
    return record


def values_of(line: bytes, errors: str) -> tuple[list[Any], bool]:
    """Decode the values on any line, and whether nothing was lost."""
    try:
        return [record_of(line)], True
    except (ValueError, RecursionError):
        values, whole = parse_line(line.decode(errors=errors))
    for record in objects(values):
        slim(record)
    return values, whole


def is_broken(line: bytes, errors: str) -> bool:
    """Return whether a line of a file is not UTF-8; in a text it may have halves of surrogate pairs."""
    try:
        line.decode()
    except UnicodeDecodeError:
        return errors == "replace"
    return False


# Distinguish JSON lines from one document.


def are_lines(blob: Blob) -> bool:
    """Return whether this is more than one JSON value; a document need not be decoded to know.

    Lines may begin with damage: then the beginning of the file is broken in itself.
    """
    line: list[bytes] = []
    blocks = blob.blocks()
    for number, block in enumerate(blocks):
        found = None if any(line) else _WORD.search(block, len(MARK) * (not number and block.startswith(MARK)))
        begin = 0 if any(line) else found.start() if found else len(block)
        end = block.find(b"\n", begin)
        line.append(block[begin:] if end < 0 else block[begin:end])
        if end >= 0:
            break
    else:
        return False
    if not (_WORD.search(block, end) or any(map(_WORD.search, blocks))):
        return False
    try:
        _ANY.decode(b"".join(line))
    except (ValueError, RecursionError):
        text = next(blob.blocks())[:_EARLY].decode("utf-8-sig", errors="replace")
    else:
        return True
    try:
        json.loads(text)
    except json.JSONDecodeError as problem:
        return problem.pos < len(text) - _CLOSE and not problem.msg.startswith("Unterminated string")
    except (ValueError, RecursionError):
        pass
    return False


# Find where the whole lines of a growing file end: its last line may be unfinished.


def grown_records(lines: bytes) -> list[JsonObject] | None:
    """Decode whole lines appended to a file; None if one is damaged, so that the file is reread."""
    found = scan(InMemory(lines), "replace", record_of, slim)
    return None if found.damaged or found.broken else [record for _, record in found.kept]


def whole_lines(lines: bytes) -> int:
    """Count the bytes of whole JSON lines."""
    end = lines.rfind(b"\n") + 1
    return len(lines) if _is_record(lines[end:]) else end


def unfinished_line(blob: Blob) -> bytes | None:
    """Return the unfinished last line of a file of lines, if any; None if it is too long."""
    first = last = b""
    for _, _, last in numbered_lines(blob):
        first = first if first.strip(_PADDING) else last
    if not _is_record(first) or _is_record(last):
        return b""
    return last if len(last) <= LONGEST_TAIL else None


def _is_record(line: bytes) -> bool:
    """Return whether a line is a complete record: appending cannot make it another."""
    if line.rstrip(_PADDING)[-1:] != b"}":
        return False
    records, whole = parse_line(line.decode(errors="replace"))
    return whole and bool(records)
