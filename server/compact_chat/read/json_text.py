"""JSON as it is found in files: strict where it can be, forgiving where a tool was not."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

import msgspec

MAX_DEPTH = 100
TOO_DEEP = "[nested too deeply]"
_CONTAINERS = (dict, list)
_PADDING = " \t\r\0"
_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n\0]*")
# A string that never ends runs to the end of the text, so that no quote is tried twice.
_TOKEN = re.compile(r'"[^"\\]*+(?>\\.?[^"\\]*+)*+"?|[\[{]|[\]}]', re.DOTALL)


def parse(text: str | bytes) -> object:
    """Decode one JSON value; what is nested deeper than 100 levels becomes a short text; raises ValueError."""
    try:
        value = decode(text)
    except RecursionError:
        return decode(_flattened(_characters(text)))
    return decode(_flattened(_characters(text))) if _may_be_deep(text) and _is_deep(value) else value


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
    text = _flattened(text) if _may_be_deep(text) else text
    place = 0
    while place < len(text):
        try:
            value, place = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError):
            return values, False
        values.append(value)
        place = _SPACE.match(text, place).end()  # type: ignore[union-attr]  # an empty match is a match
    return values, True


def _may_be_deep(text: str | bytes) -> bool:
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
    for token in _TOKEN.finditer(text):
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
