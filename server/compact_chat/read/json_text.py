"""JSON as it is found in files: strict where it can be, forgiving where a tool was not."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

import msgspec

MAX_DEPTH = 100
TOO_DEEP = "[nested too deeply]"
_PADDING = " \t\r\0"
_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n\0]*")
# A string that never ends runs to the end of the text, so that no quote is tried twice.
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.?[^"\\]*+)*+"?|[\[{]|[\]}]', re.DOTALL)


def parse(text: str) -> object:
    """Decode one JSON value; what is nested deeper than 100 levels becomes a short text; raises ValueError."""
    try:
        value = _decode(text)
    except RecursionError:
        return _decode(_flattened(text))
    return _decode(_flattened(text)) if _may_be_deep(text) and _is_deep(value) else value


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


def _decode(text: str) -> object:
    try:
        value: object = msgspec.json.decode(text)
    except ValueError:  # half a surrogate pair, NaN, a huge number: the standard library takes them
        value = json.loads(text)
    return value


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


def _may_be_deep(text: str) -> bool:
    return text.count("{") + text.count("[") > MAX_DEPTH


def _is_deep(value: object) -> bool:
    level: list[object] = [value]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in _children(node)]
        if not level:
            return False
    return any(isinstance(node, dict | list) for node in level)


def _children(node: object) -> Iterable[object]:
    if isinstance(node, dict):
        return node.values()
    return node if isinstance(node, list) else ()


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
