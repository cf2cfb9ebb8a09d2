"""Files of JSON lines, gone through without holding them: how much is decoded of a record, a reader says itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any, Generic, TypeVar

from msgspec import Struct

from compact_chat.chat import JsonObject
from compact_chat.read.held import Held, Place, numbered_lines
from compact_chat.read.json_text import parse, parse_line
from compact_chat.read.lenient import objects
from compact_chat.read.limits import check_kept

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


def records_at(held: Held, watch: Watch, errors: str, spots: Iterable[Spot]) -> Iterator[JsonObject | None]:
    """The records at spots that follow each other; None where none is there, or no longer."""
    lines = [(place, [number for _, number in ones]) for place, ones in groupby(spots, key=lambda spot: spot[0])]
    found = zip(held.pieces(place for place, _ in lines), lines, strict=False)
    for number, (line, (place, numbers)) in enumerate(found):
        if not number % STRETCH:
            pause(watch)
        values = _records(line, errors)[0] if len(line) == place[1] else []
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


def pause(watch: Watch) -> None:
    """Let the watch stop the work here."""
    for _ in watch((None,)):
        pass


def is_broken(line: bytes, errors: str) -> bool:
    """Whether a line of a file is not UTF-8; one of a text may hold halves of surrogate pairs."""
    try:
        line.decode()
    except UnicodeDecodeError:
        return errors == "replace"
    return False
