"""Untrusted input within limits: the bytes that a chat is read from, and JSON, decoded leniently.

A value of the wrong type reads as its default, or as empty.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from io import BytesIO
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec import Struct, inspect
from msgspec.structs import replace

from compact_chat.chat import JsonObject, Message, Part, Text, Usage, Warning
from compact_chat.convert import convert, is_deeper
from compact_chat.errors import TooLarge, checkpoint
from compact_chat.text import counted

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
        raise beyond(MAX_DAMAGED, "lines")


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


# JSON.

T = TypeVar("T")
S = TypeVar("S", bound=Struct)
_Fit = Callable[[Any], Any]
_WRONG = object()  # marks a value of the wrong type

MAX_DEPTH = 100
TOO_DEEP = "[nested too deeply]"
MOST_PROBLEMS = 1000  # a caller that fixes these is told the others
MOST_WARNINGS = 100

_PADDING = " \t\r\0"
_SPACE = re.compile(r"[ \t\r\n\0]*")
# An unclosed string runs to the end of the text, so that no quote is tried twice.
_STRING = r'"[^"\\]*+(?>\\.?[^"\\]*+)*+"?'
_BRACKET = re.compile(_STRING + r"|[\[{]|[\]}]", re.DOTALL)
_BRACKET_OR_COMMA = re.compile(_STRING + r"|[\[{\]},]", re.DOTALL)
_CLOSING = {"{": "}", "[": "]"}
_GLUED = json.JSONDecoder()


def shortened(found: Sequence[T], warn: Callable[[T], Warning]) -> tuple[Warning, ...]:
    """Report the first warnings, and the number of the others."""
    first = tuple(map(warn, found[:MOST_WARNINGS]))
    if len(found) == len(first):
        return first
    return (*first, Warning(first[0].code, f"{counted(len(found) - len(first), 'more warning')} of this kind."))


# Decode values.


def decode(text: str | bytes) -> object:
    """Decode one JSON value; raises ValueError, and RecursionError beyond a depth of about a thousand."""
    try:
        value: object = msgspec.json.decode(text)
    except ValueError:  # half a surrogate pair, NaN, a huge number: the standard library accepts them
        value = json.loads(text if isinstance(text, str) else text.decode())
    return value


def parse(text: str | bytes) -> object:
    """Decode one JSON value, replacing what is deeper than 100 levels by a short text; raises ValueError."""
    try:
        value = decode(text)
        if not (may_be_deep(text) and is_deeper(value, MAX_DEPTH)):
            return value
    except RecursionError:
        pass
    return decode(_flattened(text if isinstance(text, str) else text.decode()))


def parsed(text: str | bytes) -> object:
    """Decode one JSON value as `parse` does; None if it cannot be decoded."""
    try:
        return parse(text)
    except (ValueError, RecursionError):
        return None


def parse_line(line: str) -> tuple[list[object], bool]:
    """Decode the records on one line, even glued ones, and whether nothing was lost."""
    text = line.strip(_PADDING)
    if len(text) < 2 or text[0] != "{":
        return [], not text and "\0" not in line
    try:
        return [parse(text)], True
    except (ValueError, RecursionError):
        pass
    values: list[object] = []
    text = _flattened(text) if may_be_deep(text) else text
    offset = 0
    while offset < len(text):
        try:
            value, offset = _GLUED.raw_decode(text, offset)
        except (ValueError, RecursionError):
            return values, False
        values.append(value)
        if space := _SPACE.match(text, offset):
            offset = space.end()
    return values, True


def broken_line(text: str) -> int | None:
    """Return the number of the line on which a JSON document breaks, if it does."""
    try:
        json.loads(text)
    except json.JSONDecodeError as problem:
        return problem.lineno
    except (ValueError, RecursionError):
        return None
    return None


def may_be_deep(text: str | bytes) -> bool:
    """Return whether JSON has enough brackets to be nested too deeply."""
    brackets = text.count("{") + text.count("[") if isinstance(text, str) else text.count(b"{") + text.count(b"[")
    return brackets > MAX_DEPTH


def _flattened(text: str) -> str:
    """Replace what is nested too deeply."""
    pieces: list[str] = []
    depth = start = 0
    for token in _BRACKET.finditer(text):
        sign = token[0]
        if sign in "[{":
            depth += 1
            if depth == MAX_DEPTH + 1:
                pieces += (text[start : token.start()], f'"{TOO_DEEP}"')
        elif sign in "]}":
            if depth == MAX_DEPTH + 1:
                start = token.end()
            depth -= 1
    return "".join(pieces) + (text[start:] if depth <= MAX_DEPTH else "")


# Decode a truncated document: what precedes the break.


def before_the_break(text: str) -> dict[str, object] | list[object] | None:
    """Decode the complete part of a truncated document; None if there is none."""
    end, closing = last_whole(text)
    try:
        value = parse(text[:end] + closing) if closing else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) and value else None


def last_whole(text: str) -> tuple[int, str]:
    """Find the end of the last certainly complete value, and the brackets that close what is open there."""
    still_open: list[str] = []
    end = depth = 0
    for token in _BRACKET_OR_COMMA.finditer(text):
        sign = token[0]
        if sign in _CLOSING:
            still_open.append(_CLOSING[sign])
        elif sign in "]}":
            if still_open[-1:] != [sign]:
                break
            still_open.pop()
        if sign in "]},":
            end, depth = (token.start() if sign == "," else token.end()), len(still_open)
    return end, "".join(reversed(still_open[:depth]))


# Typed values.


def loose(shape: type[S], value: object) -> S:
    """Decode an untrusted JSON value as a Struct; a field that is absent or of the wrong type gets its default.

    >>> class Call(Struct, rename="camel"):
    ...     name: str = ""
    ...     max_tokens: int | None = None
    ...     args: list[str] = []
    >>> loose(Call, {"name": "ls", "maxTokens": True, "args": ["-l", 7], "other": {}})
    Call(name='ls', max_tokens=None, args=['-l'])

    Every field needs a default. A dot in its name leads into an object: `field(default="", name="model.id")`. A list or
    an object keeps its members of the right type. A bool is no int. It recurses no deeper than the types do (a type
    that holds itself, as deep as `parse` lets the data be): what a field of type `Any` holds is taken over as it is.
    """
    if not _has_paths(shape):
        with suppress(ValueError, RecursionError):
            return convert(value, shape)  # 0.3 ms for the 937 records of a session of 4 MB; without it 3.7 ms
    filled: S = _struct(shape)(value if isinstance(value, dict) else {})
    return filled


@cache
def _has_paths(shape: type[Struct]) -> bool:
    """Return whether the name of a field has a dot, here or in a Struct within this one."""
    waiting: list[Any] = [inspect.type_info(shape)]
    seen: set[type] = set()
    while waiting:
        match waiting.pop():
            case inspect.StructType(cls, fields) if cls not in seen:
                seen.add(cls)
                if any("." in field.encode_name for field in fields):
                    return True
                waiting += (field.type for field in fields)
            case inspect.UnionType(types):
                waiting += types
            case inspect.ListType(inner) | inspect.DictType(_, inner):
                waiting.append(inner)
    return False


@cache
def _struct(shape: type[Struct]) -> _Fit:
    """Compile the conversion of an object to a Struct: its keys, their fields, and their types."""
    info = inspect.type_info(shape)
    assert isinstance(info, inspect.StructType)
    if any(field.required for field in info.fields):
        raise TypeError(f"Every field of {shape.__name__} needs a default.")
    plan = [(field.encode_name.split("."), field.name, _fit(field.type)) for field in info.fields]

    def fit(value: Any) -> Any:
        if not isinstance(value, dict):
            return _WRONG
        found = {}
        for path, name, fit in plan:
            one: Any = value
            for key in path:
                one = one.get(key, _WRONG) if isinstance(one, dict) else _WRONG
            if one is not _WRONG and (one := fit(one)) is not _WRONG:
                found[name] = one
        return shape(**found)

    return fit


def _fit(kind: Any) -> _Fit:
    """Compile the conversion of a value to a field of this type; `_WRONG` if it does not fit."""
    match kind:
        case inspect.AnyType():
            return lambda value: value
        case inspect.NoneType():
            return lambda value: value if value is None else _WRONG
        case inspect.BoolType():
            return lambda value: value if isinstance(value, bool) else _WRONG
        case inspect.StrType():
            return lambda value: value if isinstance(value, str) else _WRONG
        case inspect.IntType():
            return lambda value: value if isinstance(value, int) and not isinstance(value, bool) else _WRONG
        case inspect.StructType(cls):

            def convert(value: Any) -> Any:
                return _struct(cls)(value)  # compiled on first use, since a type may contain itself

            return convert
        case inspect.DictType(_, kind_of_member):
            fits = _fit(kind_of_member)
            return lambda value: (
                {key: one for key, member in value.items() if (one := fits(member)) is not _WRONG}
                if isinstance(value, dict)
                else _WRONG
            )
        case inspect.ListType(kind_of_item):
            fits = _fit(kind_of_item)
            return lambda value: (
                [one for item in value if (one := fits(item)) is not _WRONG] if isinstance(value, list) else _WRONG
            )
        case inspect.UnionType(types):
            options = list(map(_fit, types))
            return lambda value: next((one for fit in options if (one := fit(value)) is not _WRONG), _WRONG)
    raise TypeError(f"loose() cannot decode {kind}.")


def word(value: object) -> str:
    """Return the value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def fields(value: object) -> JsonObject:
    """Return the value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def objects(value: object) -> list[JsonObject]:
    """Return the objects in a list; empty if the value is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


# Token counts as tools record them; an impossible one is dropped.


_MOST = 10**9  # tokens; a larger value is an error


def tokens(value: object) -> int:
    """Return the value if it is a plausible token count, else 0."""
    number = whole_number(value) or 0
    return number if 0 < number <= _MOST else 0


def usage_of(model: str, prompt: object, output: object, *cached: object, is_whole: bool = True) -> Usage | None:
    """Return the size of a call; None without a prompt.

    Cached tokens are added to the prompt unless it includes them: a part is never larger than the whole.
    """
    size, stored = tokens(prompt), sum(map(tokens, cached))
    size = size if is_whole and stored <= size else size + stored
    return Usage(size, tokens(output), model) if size else None


# Helpers for the ids, numbers and titles of tools' records, and for skipped messages.


_LONGEST_TITLE = 2000  # characters: views truncate titles, once secrets are masked


def whole_number(value: object) -> int | None:
    """Return the value if it is an int (bool excluded), else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def title_of(text: str) -> str | None:
    """Make a title from the first line with content; a very long one is cut."""
    return text.lstrip().partition("\n")[0][:_LONGEST_TITLE].strip() or None


def typed_title(messages: Iterable[Message], typed_texts: Callable[[list[str]], list[str]]) -> str | None:
    """Make a title from the first line that a person typed, as `typed_texts` finds it in each message."""
    asked = (message.texts for message in messages if message.role == "user" and not message.by_host)
    return next((title for texts in asked for title in map(title_of, typed_texts(texts)) if title), None)


def is_by_host(parts: Iterable[Part], typed_texts: Callable[[list[str]], list[str]]) -> bool:
    """Return whether a user message has texts, and a person typed none of them."""
    texts = [part.text for part in parts if isinstance(part, Text)]
    return bool(texts) and not typed_texts(texts)


def left_out(faults: Sequence[str]) -> tuple[Warning, ...]:
    """Warn of skipped messages; each fault is a position and a description."""
    return shortened(faults, lambda fault: Warning("skippedMessage", f"A message was skipped; {fault}."))


# Unique names for messages in logs that repeat names.


def with_own_ids(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Give each message a unique name: a number is appended to a name that is taken."""
    taken: dict[str, int] = {}
    named: list[Message] = []
    for message in messages:
        name = own_name(message.id, taken)
        named.append(message if name == message.id else replace(message, id=name))
        check_length(len(named))
    return tuple(named)


def own_name(name: str, taken: dict[str, int]) -> str:
    """Return a name that is not taken yet, and note how often it was asked for."""
    unique = name
    while unique in taken:
        taken[name] += 1
        unique = f"{name}#{taken[name]}"
    taken[unique] = 1
    return unique
