"""JSON in chat files: strict where possible, lenient where tools were not, and within memory limits."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from compact_chat.chat import Warning
from compact_chat.convert import is_deeper

T = TypeVar("T")

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
    return (*first, Warning(first[0].code, f"There are {len(found) - len(first):,} more warnings of this kind."))


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
