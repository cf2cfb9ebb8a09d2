"""The members of a JSON object, decoded one by one: a long list in it need never be held decoded as a whole."""

from __future__ import annotations

import json
import re
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import Raw

from compact_chat.chat import Warning
from compact_chat.errors import TooLarge

# How much one chat may hold, and how much of what is wrong with it is told.


T = TypeVar("T")
MAX_MESSAGES = 100_000
MAX_VALUES = 10_000_000  # lines, commas and brackets: each may take a hundred bytes of memory once it is decoded
_SEPARATORS = (b"\n", b",", b"[", b"{")
_VALUES_OF_A_RECORD = 5
MOST_PROBLEMS = 1000  # a caller that mends these learns of the others
MOST_WARNINGS = 100


def check_length(messages: int) -> None:
    """Refuse a chat of too many messages."""
    if messages > MAX_MESSAGES:
        raise TooLarge(f"The chat has more than {MAX_MESSAGES:,} messages; give the part of it that matters.")


def check_values(pieces: Iterable[bytes]) -> None:
    """Refuse bytes that would take many times their size once they are decoded."""
    values = 0
    for piece in pieces:
        values += sum(map(piece.count, _SEPARATORS))
        if values > MAX_VALUES:
            raise _too_many_values()


def check_kept(records: int) -> None:
    """Refuse more records than can be kept in mind, even if next to nothing of each is."""
    if records * _VALUES_OF_A_RECORD > MAX_VALUES:
        raise _too_many_values()


def _too_many_values() -> TooLarge:
    return TooLarge(f"The chat has more than {MAX_VALUES:,} lines and values; give the part of it that matters.")


def shortened(found: Sequence[T], warn: Callable[[T], Warning]) -> tuple[Warning, ...]:
    """Warn of the first of what was found, and say how much more there is."""
    told = tuple(map(warn, found[:MOST_WARNINGS]))
    if len(found) == len(told):
        return told
    return (*told, Warning(told[0].code, f"There are {len(found) - len(told):,} more warnings of this kind."))


# JSON as it is found in files: strict where it can be, forgiving where a tool was not.


MAX_DEPTH = 100
TOO_DEEP = "[nested too deeply]"
_CONTAINERS = (dict, list)
_PADDING = " \t\r\0"
_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n\0]*")
# A string that never ends runs to the end of the text, so that no quote is tried twice.
_TOKEN_JSON_TEXT = re.compile(r'"[^"\\]*+(?>\\.?[^"\\]*+)*+"?|[\[{]|[\]}]', re.DOTALL)


def parse(text: str | bytes) -> object:
    """Decode one JSON value; what is nested deeper than 100 levels becomes a short text; raises ValueError."""
    try:
        value = decode(text)
    except RecursionError:
        return decode(_flattened(_characters(text)))
    return decode(_flattened(_characters(text))) if may_be_deep(text) and _is_deep(value) else value


def parse_line(line: str) -> tuple[list[object], bool]:
    """Decode the records on one line, glued ones too; the second value tells that nothing of it was lost."""
    text = line.strip(_PADDING)
    if len(text) < 2 or text[0] != "{":
        return [], not text and "\0" not in line
    try:
        return [parse(text)], True
    except (ValueError, RecursionError):
        return _parse_glued(text)


def broken_line(text: str) -> int | None:
    """Number the line on which a JSON document breaks, where it does."""
    try:
        json.loads(text)
    except json.JSONDecodeError as problem:
        return problem.lineno
    except (ValueError, RecursionError):
        return None
    return None


def decode(text: str | bytes) -> object:
    """Decode one JSON value; raises ValueError, and RecursionError where it is nested about a thousand levels deep."""
    try:
        value: object = msgspec.json.decode(text)
    except ValueError:  # half a surrogate pair, NaN, a huge number: the standard library takes them
        value = json.loads(_characters(text))
    return value


def _characters(text: str | bytes) -> str:
    return text if isinstance(text, str) else text.decode()


def _parse_glued(text: str) -> tuple[list[object], bool]:
    values: list[object] = []
    text = _flattened(text) if may_be_deep(text) else text
    place = 0
    while place < len(text):
        try:
            value, place = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError):
            return values, False
        values.append(value)
        place = _SPACE.match(text, place).end()  # type: ignore[union-attr]  # an empty match is a match
    return values, True


def may_be_deep(text: str | bytes) -> bool:
    """Whether a text has so many brackets that it may be nested deeper than 100 levels."""
    brackets = text.count("{") + text.count("[") if isinstance(text, str) else text.count(b"{") + text.count(b"[")
    return brackets > MAX_DEPTH


def _is_deep(value: object) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in _members(node) if isinstance(child, _CONTAINERS)]
        if not level:
            return False
    return True


def _members(node: Any) -> Iterable[object]:
    members: Iterable[object] = node.values() if isinstance(node, dict) else node
    return members


def _flattened(text: str) -> str:
    pieces: list[str] = []
    depth = start = 0
    for token in _TOKEN_JSON_TEXT.finditer(text):
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


# A JSON document of which the end is missing: what stands before the break, closed where it broke off.


# A string that never ends runs to the end of the text; whatever else matters is a single sign.
_TOKEN_CUT_JSON = re.compile(r'"[^"\\]*+(?>\\.?[^"\\]*+)*+"?|[\[{\]},]', re.DOTALL)
_CLOSING = {"{": "}", "[": "]"}


def before_the_break(text: str) -> dict[str, object] | list[object] | None:
    """Decode as much of a cut document as was written whole; None where that is nothing."""
    end, closing = last_whole(text)
    try:
        value = parse(text[:end] + closing) if closing else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) and value else None


def last_whole(text: str) -> tuple[int, str]:
    """Find the end of the last value that is surely whole, and the brackets that close what is open there."""
    still_open: list[str] = []
    end = depth = 0
    for token in _TOKEN_CUT_JSON.finditer(text):
        sign = token[0]
        if sign in _CLOSING:
            still_open.append(_CLOSING[sign])
            continue
        if sign in "]}":
            if still_open[-1:] != [sign]:
                break
            still_open.pop()
        if sign in "]},":
            end, depth = (token.start() if sign == "," else token.end()), len(still_open)
    return end, "".join(reversed(still_open[:depth]))


# The members of a JSON object, decoded one by one: a long list in it need never be held decoded as a whole.


_PIECE = 2**11
_OBJECT = msgspec.json.Decoder(dict[str, Raw])
_LIST = msgspec.json.Decoder(list[Raw])


def members_of(data: bytes) -> dict[str, Raw]:
    """The members of an object; none where it is no sound one."""
    try:
        _check_utf8(data)
        return _OBJECT.decode(data)
    except (ValueError, RecursionError):
        return {}


def is_list(member: Raw | None) -> bool:
    """Whether a member is a list."""
    return member is not None and bytes(memoryview(member)[:1]) == b"["


def items_of(member: Raw) -> Iterator[object]:
    """The items of a list, decoded one after the other."""
    return map(value_of, _LIST.decode(member))


def opened(held: object) -> object:
    """An object or a list with its members still to be decoded; any other value decoded."""
    if not isinstance(held, Raw):
        return held
    try:
        match bytes(memoryview(held)[:1]):
            case b"{":
                return _OBJECT.decode(held)
            case b"[":
                return _LIST.decode(held)
    except (ValueError, RecursionError):
        pass  # what cannot be decoded by one level may be as a whole
    return value_of(held)


def value_of(member: Raw) -> object:
    """A member decoded, without what is nested too deeply for that; None where a number in it is too long."""
    try:
        return decode(bytes(member))
    except RecursionError:
        return _without_depths(bytes(member))
    except ValueError:
        return None


def _without_depths(data: bytes) -> object:
    try:
        return parse(data)
    except ValueError:
        return None


def _check_utf8(data: bytes) -> None:
    """Raise a ValueError for what is not UTF-8, which what skips values does not see; most pieces are plain ASCII."""
    decoder = getincrementaldecoder("utf-8")()
    for start in range(0, 0 if data.isascii() else len(data), _PIECE):
        piece = data[start : start + _PIECE]
        if not piece.isascii() or decoder.getstate()[0]:
            decoder.decode(piece)
    decoder.decode(b"", final=True)
