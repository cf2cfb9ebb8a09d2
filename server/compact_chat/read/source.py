"""What a chat is read from, decoded once and only in the way that a reader asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

from msgspec import Raw

from compact_chat.chat import JsonObject, Warning
from compact_chat.read.document import MAX_VALUES, check_values, last_whole, members_of, parse, shortened
from compact_chat.read.jsonl import (
    MARK,
    PACKED,
    STRETCH,
    Held,
    InMemory,
    Scan,
    Spot,
    Unpacking,
    Watch,
    are_lines,
    beginning_held,
    is_broken,
    numbered_lines,
    pause,
    record_of,
    records_at,
    scan,
    slim,
    values_of,
    whole,
)
from compact_chat.read.loose import objects

__all__ = ["Source", "Watch"]

T = TypeVar("T")
_JSON_START = re.compile(rb"\s*[\[{]")
_PLAIN_NAMES = (".txt", ".md")
_OPENING = 2**14
_CHANGED = Warning("changedWhileRead", "The file was changed while it was read; what was still there of it was read.")


class Source:
    """The bytes of a file, a text, or a document of messages."""

    def __init__(self, held: Held, given: JsonObject | None = None, watch: Watch = tuple) -> None:
        self.watch = watch
        self.strict = given is not None  # a caller's own document: its faults are told, not worked around
        self.has_changed = False  # while it was read
        self.beside: dict[str, Source] = {}  # files that the tool keeps in the same folder, by their names
        self._held = held
        self._given = given
        self._is_text = False  # was never bytes, and so may hold halves of surrogate pairs
        self._name = ""
        self._faults: tuple[Warning, ...] = ()  # found before
        self._is_sound = False  # is UTF-8 for certain
        self._is_bounded = False  # holds no more values than a chat may
        self._scanned: Scan[Any] | None = None

    @classmethod
    def of_held(
        cls, held: Held, name: str = "", beside: Mapping[str, bytes] | None = None, watch: Watch = tuple
    ) -> Source:
        """Bytes that lie somewhere, and the files `beside` them; `name` tells whether they may be plain text."""
        is_packed = next(held.blocks(), b"").startswith(PACKED)
        source = cls(Unpacking(held) if is_packed else held, watch=watch)
        source.beside = {other: cls.of_bytes(data, watch=watch) for other, data in (beside or {}).items()}
        source._name = name.lower()
        return source

    @classmethod
    def of_bytes(
        cls, data: bytes, name: str = "", beside: Mapping[str, bytes] | None = None, watch: Watch = tuple
    ) -> Source:
        """The contents of a file, and of those `beside` it; `name` tells whether it may be plain text."""
        return cls.of_held(InMemory(data), name, beside, watch)

    @classmethod
    def of_text(cls, text: str, watch: Watch = tuple) -> Source:
        """The contents of a file, Markdown of a copied chat, or plain text."""
        source = cls(InMemory(text.encode(errors="surrogatepass")), watch=watch)
        source._is_text = True
        return source

    @classmethod
    def of_document(cls, document: JsonObject, watch: Watch = tuple) -> Source:
        """Messages as a caller holds them, with `system`, `tools` and `model` where it has them."""
        return cls(InMemory(b""), document, watch)

    @property
    def opening(self) -> str:
        """The first thousands of characters."""
        return next(self._held.blocks(), b"")[:_OPENING].removeprefix(MARK).decode(errors="replace")

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
        """The whole as one JSON object or array, or None."""
        if self.strict:
            return self._given
        value = None if self._are_lines else self._parsed()
        return value if isinstance(value, dict | list) else None

    @cached_property
    def members(self) -> dict[str, Raw]:
        """The members of an object that is the whole, not decoded yet; none where they are decoded already."""
        if self.strict or self._are_lines or "document" in self.__dict__:
            return {}
        data = self._data()
        found = members_of(data)
        self._is_sound = bool(found)
        return found

    @property
    def records(self) -> Sequence[JsonObject]:
        """The objects of a JSON-lines file."""
        return self._lines

    @property
    def damaged_lines(self) -> tuple[int, ...]:
        """The lines of which something could not be read."""
        if self._scanned is None and self.document is None:
            self._lines  # noqa: B018 -- to go through the lines is what finds the damage
        return tuple(self._scanned.damaged) if self._scanned else ()

    @property
    def damage(self) -> tuple[Warning, ...]:
        """A warning for each damaged line, as far as they are worth reading."""
        return shortened(self.damaged_lines, _damaged)

    @property
    def warnings(self) -> tuple[Warning, ...]:
        """What is wrong with the bytes, as far as they were looked at."""
        broken = self._broken_line
        faults = self._held.faults if isinstance(self._held, Unpacking) else ()
        found = () if broken is None else (_broken(broken),)
        return (*self._faults, *faults, *found, *((_CHANGED,) if self.has_changed else ()))

    @property
    def is_json(self) -> bool:
        """Whether the whole, or most of its lines, is JSON."""
        return self.document is not None or len(self.records) > len(self.damaged_lines)

    def mended(self) -> Source | None:
        """What stands before the break of a document that was cut off; None where that is nothing."""
        if self.strict or not self.opening.lstrip().startswith(("{", "[")) or self.is_json:
            return None
        end, closing = last_whole(self.text)
        if not closing:
            return None
        source = Source(InMemory((self.text[:end] + closing).encode(errors="surrogatepass")), watch=self.watch)
        source._is_text = True
        source.beside = self.beside
        source._faults = (*self.warnings, _cut_off(1 + self.text.count("\n", 0, end)))
        return source

    def head(self, size: int) -> Source | None:
        """The first lines, so many bytes at least, as a source; None where there are no more, or no lines."""
        early = beginning_held(self._held, size) if self._are_lines else None
        if early is None:
            return None
        head = Source(InMemory(early))
        head._is_text = self._is_text
        return head

    def scan(self, light: Callable[[bytes], T | None], slow: Callable[[JsonObject], T | None]) -> list[tuple[Spot, T]]:
        """Go through the records once: see the function of that name."""
        if self.document is not None:
            made = ((((0, 0), place), slow(record)) for place, record in enumerate(self.records))
            return [(spot, one) for spot, one in made if one is not None]
        self._scanned = scan(self._held, self.watch, self._errors, light, slow)
        return self._scanned.kept

    def records_at(
        self, spots: Iterable[Spot], light: Callable[[bytes], T], slow: Callable[[JsonObject], T]
    ) -> Iterator[T | None]:
        """Decode the records at spots that a scan gave, in their order; None for one that is no longer there."""
        if self.document is not None:
            return (slow(self.records[place]) for _, place in spots)
        return records_at(self._held, self.watch, self._errors, spots, light, slow)

    def byte_lines(self) -> Iterator[tuple[int, bytes]]:
        """Each line with its number."""
        for number, _, line in numbered_lines(self._held):
            if number % STRETCH == 1:
                pause(self.watch)
            yield number, line

    def values_of(self, line: bytes) -> tuple[list[Any], bool]:
        """The values on a line of any kind, and whether nothing of it was lost."""
        return values_of(line, self._errors)

    @cached_property
    def _are_lines(self) -> bool:
        return not self.strict and are_lines(self._held)

    @cached_property
    def _lines(self) -> Sequence[JsonObject]:
        if self.document is not None:
            return () if self.strict else tuple(map(slim, objects([self.document])))
        self._check_values(self._held.blocks())
        found = self._scanned = scan(self._held, self.watch, self._errors, record_of, slim)
        return self.watch(record for _, record in found.kept)

    def _data(self) -> bytes:
        data = whole(self._held)
        if len(data) > MAX_VALUES:  # else there cannot be so many
            self._check_values((data,))
        return data

    def _check_values(self, blocks: Iterable[bytes]) -> None:
        if not self._is_bounded:
            check_values(blocks)
            self._is_bounded = True

    def _parsed(self) -> object:
        self.__dict__.pop("members", None)
        data = self._data()
        try:
            value = parse(data) if _JSON_START.match(data) else None
        except UnicodeDecodeError:
            return _tried(self.text)
        except (ValueError, RecursionError):
            return None
        self._is_sound = value is not None
        return value

    @cached_property
    def text(self) -> str:
        """The whole as a text."""
        return self._data().decode(errors=self._errors)

    @property
    def _broken_line(self) -> int | None:
        """The first line that is not UTF-8."""
        if self._scanned is not None:
            return self._scanned.broken
        lines = () if self.strict or self._is_sound else numbered_lines(self._held)
        return next((number for number, _, line in lines if is_broken(line, self._errors)), None)

    @property
    def _errors(self) -> str:
        return "surrogatepass" if self._is_text else "replace"


def _tried(text: str) -> object:
    try:
        return parse(text)
    except (ValueError, RecursionError):
        return None


def _damaged(line: int) -> Warning:
    return Warning("damagedLine", f"Line {line} is damaged; what could not be read of it was left out.", line)


def _cut_off(line: int) -> Warning:
    return Warning(
        "cutDocument", f"The file breaks off behind line {line}; what stands before the break was read.", line
    )


def _broken(line: int) -> Warning:
    return Warning("brokenBytes", f"Bytes that are not UTF-8 are read as U+FFFD, first on line {line}.", line)
