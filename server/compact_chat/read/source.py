"""A chat's source, decoded once and only as its reader requests: a text, a JSON document, or JSON lines."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import groupby
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct
from msgspec.json import Decoder

from compact_chat.chat import JsonObject, Warning
from compact_chat.convert import compiled
from compact_chat.errors import checkpoint
from compact_chat.read.loose import (
    MARK,
    MAX_VALUES,
    PACKED,
    SMALL,
    Blob,
    InMemory,
    Range,
    Unpacked,
    check_lines,
    check_records,
    check_size,
    check_values,
    fields,
    first_lines,
    last_whole,
    loose,
    numbered_lines,
    objects,
    parse,
    parse_line,
    shortened,
)

S = TypeVar("S", bound=Struct)
T = TypeVar("T")
_JSON_START = re.compile(rb"\s*[\[{]")
_PLAIN_NAMES = (".txt", ".md")
_OPENING = 2**14  # characters
Spot = tuple[Range, int]  # a record's line, and its index among records glued together there

LONGEST_TAIL = SMALL  # bytes of an unfinished last line that are kept
_PADDING = b" \t\r\0"  # what may be around a record
_EARLY = 2**16
_CLOSE = 100  # a break this close to the cut may be whole in the file
_ANY = msgspec.json.Decoder(msgspec.Raw)
_CHANGED = Warning("changedWhileRead", "The file was changed while it was read; what was still there of it was read.")


class Source:
    """The bytes of a file, a text, or a document of messages."""

    def __init__(self, blob: Blob, given: JsonObject | None = None, is_text: bool = False) -> None:
        self.strict = given is not None  # a caller's own document: its problems are raised, not worked around
        self.has_changed = False  # while it was read
        self.siblings: dict[str, Source] = {}  # files that the tool keeps in the same folder, by name
        self._blob = blob
        self._given = given
        self._is_text = is_text  # was never bytes, and so may contain halves of surrogate pairs
        self._errors = "surrogatepass" if is_text else "replace"
        self._name = ""
        self._faults: tuple[Warning, ...] = ()  # found before
        self._scanned: Scan[Any] | None = None

    @classmethod
    def of_blob(cls, blob: Blob, name: str = "", siblings: Mapping[str, bytes] | None = None) -> Source:
        """Read bytes, and those of files in the same folder; `name` tells whether a file may be plain text."""
        is_packed = next(blob.blocks(), b"").startswith(PACKED)
        source = cls(Unpacked(b"".join(blob.blocks())) if is_packed else blob)
        _check(source._blob)
        source.siblings = {other: cls.of_bytes(data) for other, data in (siblings or {}).items()}
        source._name = name.lower()
        return source

    @classmethod
    def of_bytes(cls, data: bytes, name: str = "", siblings: Mapping[str, bytes] | None = None) -> Source:
        """Read the contents of a file."""
        return cls.of_blob(InMemory(data), name, siblings)

    @classmethod
    def of_text(cls, text: str) -> Source:
        """Read the contents of a file, a copied Markdown chat, or plain text."""
        source = cls(InMemory(text.encode(errors="surrogatepass")), is_text=True)
        _check(source._blob)
        return source

    @classmethod
    def of_document(cls, document: JsonObject) -> Source:
        """Read a caller's messages, with `system`, `tools` and `model` if present."""
        return cls(InMemory(b""), document)

    @property
    def opening(self) -> str:
        """The first thousands of characters."""
        return next(self._blob.blocks(), b"")[:_OPENING].removeprefix(MARK).decode(errors="replace")

    @cached_property
    def text(self) -> str:
        """The whole source as a text."""
        return self._data().decode(errors=self._errors)

    @cached_property
    def clean(self) -> bool:
        """Whether it is UTF-8 without NUL."""
        return self._is_text or (self._broken_line is None and "\0" not in self.text)

    @cached_property
    def plain(self) -> bool:
        """Whether it may be read as plain text."""
        return self._is_text or (self._name.endswith(_PLAIN_NAMES) and self.clean)

    @cached_property
    def document(self) -> JsonObject | list[object] | None:
        """The whole source as one JSON object or array, or None."""
        if self.strict:
            return self._given
        if self._are_lines:
            return None
        data = self._data()
        value = None
        try:
            value = parse(data) if _JSON_START.match(data) else None
        except UnicodeDecodeError:
            with suppress(ValueError, RecursionError):
                value = parse(self.text)
        except (ValueError, RecursionError):
            pass
        return value if isinstance(value, dict | list) else None

    @cached_property
    def records(self) -> Sequence[JsonObject]:
        """The objects in a JSON-lines file."""
        if self.document is not None:
            return () if self.strict else tuple(objects([self.document]))
        self._scanned = self._scan(lambda line: fields(parse(line)), lambda record: record)
        return tuple(record for _, record in self._scanned.kept)

    @property
    def is_json(self) -> bool:
        """Whether the whole source, or most of its lines, is JSON."""
        return self.document is not None or len(self.records) > len(self.damaged_lines)

    @property
    def damaged_lines(self) -> tuple[int, ...]:
        """The lines of which something could not be read."""
        if self._scanned is None and self.document is None:
            _ = self.records  # decoding the lines finds the damage
        return tuple(self._scanned.damaged) if self._scanned else ()

    @property
    def damage(self) -> tuple[Warning, ...]:
        """A warning for each damaged line, up to a limit."""
        sentence = "Line {0} is damaged; what could not be read of it was left out."
        return shortened(self.damaged_lines, lambda line: Warning("damagedLine", sentence.format(line), line))

    @property
    def broken_siblings(self) -> tuple[Warning, ...]:
        """A warning for each unreadable sibling."""
        broken = [name for name, source in self.siblings.items() if source.document is None]
        text = "beside the chat cannot be read; what it tells of the chat is missing."
        return tuple(Warning("brokenFile", f"{name} {text}") for name in broken)

    @property
    def warnings(self) -> tuple[Warning, ...]:
        """The warnings about the bytes that have been read so far."""
        found = [*self._faults, *(self._blob.faults if isinstance(self._blob, Unpacked) else ())]
        if (line := self._broken_line) is not None:
            sentence = f"Bytes that are not UTF-8 are read as U+FFFD, first on line {line}."
            found.append(Warning("brokenBytes", sentence, line))
        return (*found, _CHANGED) if self.has_changed else tuple(found)

    def mended(self) -> Source | None:
        """Return what precedes the break of a truncated document; None if there is nothing."""
        if not self.opening.lstrip().startswith(("{", "[")) or self.is_json:
            return None
        end, closing = last_whole(self.text)
        if not closing:
            return None
        line = 1 + self.text.count("\n", 0, end)
        sentence = f"The file breaks off behind line {line}; what stands before the break was read."
        source = Source(InMemory((self.text[:end] + closing).encode(errors="surrogatepass")), is_text=True)
        source._faults = (*self.warnings, Warning("cutDocument", sentence, line))
        source.siblings = self.siblings
        return source

    def head(self, size: int) -> Source | None:
        """Return the first lines, so many bytes at least; None if there are no more, or if this is a document."""
        early = first_lines(self._blob, size) if self._are_lines else None
        return None if early is None else Source(InMemory(early), is_text=self._is_text)

    def scan(self, shape: type[S], note: Callable[[S], T | None]) -> list[tuple[Spot, T]]:
        """Decode each record once, as a Struct, and keep the results of `note` other than None."""
        if self.document is not None:
            noted = ((((0, 0), place), note(loose(shape, record))) for place, record in enumerate(self.records))
            return [(spot, one) for spot, one in noted if one is not None]
        decode = Decoder(compiled(shape)).decode
        found = self._scanned = self._scan(lambda line: note(decode(line)), lambda record: note(loose(shape, record)))
        return found.kept

    def values_at(self, spots: Iterable[Spot]) -> Iterator[JsonObject | None]:
        """Decode the records at a scan's spots, in order; None for one that has moved."""
        if self.document is not None:
            yield from (self.records[place] for _, place in spots)
            return
        lines = [(line, [number for _, number in ones]) for line, ones in groupby(spots, key=lambda spot: spot[0])]
        found = zip(self._blob.ranges(line for line, _ in lines), lines, strict=False)
        for data, ((_, length), numbers) in found:
            checkpoint()
            records = objects(self._values_of(data)[0]) if len(data) == length else []
            yield from (records[number] if number < len(records) else None for number in numbers)

    def values(self) -> Iterator[tuple[int, list[Any], bool]]:
        """Decode line by line: its number, the values on it, and whether nothing was lost."""
        for number, _, line in numbered_lines(self._blob):
            checkpoint()
            yield number, *self._values_of(line)

    def _scan(self, of_line: Callable[[bytes], T | None], of_record: Callable[[JsonObject], T | None]) -> Scan[T]:
        """Decode all records once, and keep each result other than None.

        Where `of_line` raises ValueError, the line is decoded record by record.
        """
        found: Scan[T] = Scan([], [])
        for number, start, line in numbered_lines(self._blob):
            checkpoint()
            if not line.lstrip(_PADDING).startswith(b"{"):
                if b"\0" in line or line.strip(_PADDING):  # else it is blank
                    self._note_damage(found, number, line)
                continue
            check_records(len(found.kept), len(found.damaged))
            try:
                if not line.isascii():
                    line.decode()
                if (kept := of_line(line)) is not None:
                    found.kept.append((((start, len(line)), 0), kept))
                continue
            except (ValueError, RecursionError):
                pass
            records, whole = self._values_of(line)
            if not whole:
                self._note_damage(found, number, line)
            elif found.broken is None and self._is_broken(line):
                found.broken = number
            for place, record in enumerate(objects(records)):
                if (kept := of_record(record)) is not None:
                    found.kept.append((((start, len(line)), place), kept))
        return found

    def _note_damage(self, found: Scan[T], number: int, line: bytes) -> None:
        found.damaged.append(number)
        check_records(0, len(found.damaged))
        if found.broken is None and self._is_broken(line):
            found.broken = number

    def _values_of(self, line: bytes) -> tuple[list[Any], bool]:
        """Decode the records on any line, and whether nothing was lost."""
        if line.startswith(b"{"):
            with suppress(ValueError, RecursionError):
                return [parse(line)], True
        return parse_line(line.decode(errors=self._errors))

    @cached_property
    def _are_lines(self) -> bool:
        return are_lines(self._blob)

    def _data(self) -> bytes:
        check_size(sum(map(len, self._blob.blocks())), "text")
        return b"".join(self._blob.blocks()).removeprefix(MARK)

    @property
    def _broken_line(self) -> int | None:
        """Return the first line that is not UTF-8."""
        if self._scanned is not None:
            return self._scanned.broken
        return next((number for number, _, line in numbered_lines(self._blob) if self._is_broken(line)), None)

    def _is_broken(self, line: bytes) -> bool:
        """Return whether a line of a file is not UTF-8; in a text it may have halves of surrogate pairs."""
        try:
            line.decode()
        except UnicodeDecodeError:
            return not self._is_text
        return False


def _check(blob: Blob) -> None:
    """Refuse what is too large to read; what may hold too many values is looked at closely."""
    if check_lines(blob.blocks()) > MAX_VALUES:
        check_values(line for _, _, line in numbered_lines(blob))


class Scan(Struct, Generic[T]):
    """What was kept of the records, the damaged lines, and the first line that is not UTF-8."""

    kept: list[tuple[Spot, T]]
    damaged: list[int]
    broken: int | None = None


# Distinguish JSON lines from one document.


def are_lines(blob: Blob) -> bool:
    """Return whether this is more than one JSON value; a document need not be decoded to know.

    Lines may begin with damage: then the beginning of the file is broken in itself.
    """
    lines = (line for _, _, line in numbered_lines(blob) if line.strip(b" \t\r"))
    first = next(lines, b"")
    if next(lines, None) is None:
        return False
    try:
        _ANY.decode(first)
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
    source = Source(InMemory(lines))
    found = list(source.values())  # also where a line alone, or all of them, would be a document
    if source.warnings or not all(whole for _, _, whole in found):
        return None
    return objects([value for _, values, _ in found for value in values])


def whole_lines(lines: bytes) -> int:
    """Count the bytes of whole JSON lines."""
    end = lines.rfind(b"\n") + 1
    return len(lines) if _is_record(lines[end:]) else end


def unfinished_line(blob: Blob) -> bytes:
    """Return the unfinished last line of a file of lines; empty without one, and for one that is too long.

    What completes a longer one is a damaged line by itself, so that the file is read anew.
    """
    first = last = b""
    for _, _, last in numbered_lines(blob):
        first = first if first.strip(_PADDING) else last
    is_short = len(last) <= LONGEST_TAIL  # decoding takes many times its size
    return last if is_short and _is_record(first) and not _is_record(last) else b""


def _is_record(line: bytes) -> bool:
    """Return whether a line is a complete record: appending cannot make it another."""
    if line.rstrip(_PADDING)[-1:] != b"}":
        return False
    records, whole = parse_line(line.decode(errors="replace"))
    return whole and bool(records)
