"""What a chat is read from, decoded once and only in the way that a reader asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

from compact_chat.chat import JsonObject, Warning
from compact_chat.read.json_text import parse, parse_line
from compact_chat.read.lenient import objects
from compact_chat.read.limits import shortened

# Gives items so that whoever goes through them may be stopped between two.
Watch = Callable[[Iterable[Any]], tuple[Any, ...]]
_JSON_START = re.compile(r"\s*[\[{]")
_PLAIN_NAMES = (".txt", ".md")
_PACKED = b"\x28\xb5\x2f\xfd"  # how files that Zstandard has packed begin
_UI_COPY = "toolUseResult"  # half of a Claude Code file; nothing of it goes to a model


class Source:
    """The bytes of a file, a text, or a document of messages."""

    def __init__(
        self, text: str = "", given: JsonObject | None = None, plain: bool = False, watch: Watch = tuple
    ) -> None:
        self.text = text.removeprefix("\ufeff")
        self.watch = watch
        self.strict = given is not None  # a caller's own document: its faults are told, not worked around
        self.plain = plain  # may be read as plain text
        self.clean = True  # UTF-8 without NUL
        self.warnings: tuple[Warning, ...] = ()
        self.beside: dict[str, Source] = {}  # files that the tool keeps in the same folder, by their names
        self._given = given

    @classmethod
    def of_bytes(
        cls, data: bytes, name: str = "", beside: Mapping[str, bytes] | None = None, watch: Watch = tuple
    ) -> Source:
        """The contents of a file, and of those `beside` it; `name` tells whether it may be plain text."""
        data, faults = _unpacked(data)
        text, warnings = _decoded(data)
        source = cls(text, watch=watch)
        source.beside = {other: cls.of_bytes(held, watch=watch) for other, held in (beside or {}).items()}
        source.warnings = faults + warnings
        source.clean = not warnings and b"\0" not in data
        source.plain = source.clean and name.lower().endswith(_PLAIN_NAMES)
        return source

    @classmethod
    def of_text(cls, text: str, watch: Watch = tuple) -> Source:
        """The contents of a file, Markdown of a copied chat, or plain text."""
        return cls(text, plain=True, watch=watch)

    @classmethod
    def of_document(cls, document: JsonObject, watch: Watch = tuple) -> Source:
        """Messages as a caller holds them, with `system`, `tools` and `model` where it has them."""
        return cls(given=document, watch=watch)

    @cached_property
    def document(self) -> JsonObject | list[object] | None:
        """The whole as one JSON object or array, or None."""
        if self.strict:
            return self._given
        try:
            value = parse(self.text) if _JSON_START.match(self.text) else None
        except (ValueError, RecursionError):
            return None
        return value if isinstance(value, dict | list) else None

    @property
    def records(self) -> tuple[JsonObject, ...]:
        """The objects of a JSON-lines file."""
        return self._lines[0]

    @property
    def damaged_lines(self) -> tuple[int, ...]:
        """The lines of which something could not be read."""
        return self._lines[1]

    @property
    def damage(self) -> tuple[Warning, ...]:
        """A warning for each damaged line, as far as they are worth reading."""
        return shortened(self.damaged_lines, _damaged)

    @property
    def is_json(self) -> bool:
        """Whether the whole, or most of its lines, is JSON."""
        return self.document is not None or len(self.records) > len(self.damaged_lines)

    @cached_property
    def _lines(self) -> tuple[tuple[JsonObject, ...], tuple[int, ...]]:
        if self.document is not None:
            return () if self.strict else tuple(map(_slim, objects([self.document]))), ()
        records: list[JsonObject] = []
        damaged: list[int] = []
        for number, line in enumerate(self.watch(self.text.split("\n")), 1):
            if not line:
                continue
            values, whole = parse_line(line)
            records += map(_slim, objects(values))
            if not whole:
                damaged.append(number)
        return self.watch(records), tuple(damaged)


def _slim(record: JsonObject) -> JsonObject:
    record.pop(_UI_COPY, None)
    return record


def _damaged(line: int) -> Warning:
    return Warning("damagedLine", f"Line {line} is damaged; what could not be read of it was left out.", line)


def _unpacked(data: bytes) -> tuple[bytes, tuple[Warning, ...]]:
    if not data.startswith(_PACKED):
        return data, ()
    from compact_chat.read.packed import unpacked

    return unpacked(data)


def _decoded(data: bytes) -> tuple[str, tuple[Warning, ...]]:
    try:
        return data.decode(), ()
    except UnicodeDecodeError as problem:
        line = 1 + data.count(b"\n", 0, problem.start)
        told = Warning("brokenBytes", f"Bytes that are not UTF-8 are read as U+FFFD, first on line {line}.", line)
        return data.decode(errors="replace"), (told,)
