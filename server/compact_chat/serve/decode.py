"""JSON from a client to plain values, within limits."""

from __future__ import annotations

import json
from typing import Any, NoReturn

import msgspec

MAX_DEPTH = 128  # levels; what reads a chat goes down by recursion
MAX_VALUES = 4_000_000  # counted by commas and brackets, since each value may take a hundred bytes of memory


class TooDeep(Exception):
    """Nested beyond the limit."""


class TooMany(Exception):
    """More values than the limit."""


def decode(body: bytes) -> Any:
    """Decode one value; raise ValueError where it is not JSON in UTF-8."""
    brackets = body.count(b"[") + body.count(b"{")
    if len(body) > MAX_VALUES and brackets + body.count(b",") > MAX_VALUES:
        raise TooMany
    try:
        value = _decoded(body)
    except RecursionError:
        raise TooDeep from None
    if brackets > MAX_DEPTH and _is_deep(value):
        raise TooDeep
    return value


def _decoded(body: bytes) -> Any:
    try:
        return _DECODER.decode(body)
    except ValueError:  # half a surrogate pair or a huge number, which the standard library takes
        return _FORGIVING.decode(body.decode())


def _is_deep(value: Any) -> bool:
    level = _containers([value])
    for _ in range(MAX_DEPTH):
        if not level:
            return False
        level = [child for node in level for child in _containers(node.values() if type(node) is dict else node)]
    return bool(level)


def _containers(values: Any) -> list[Any]:
    return [value for value in values if type(value) is dict or type(value) is list]


def _no_constant(_: str) -> NoReturn:
    raise ValueError


_DECODER = msgspec.json.Decoder()
_FORGIVING = json.JSONDecoder(parse_constant=_no_constant)  # but NaN and Infinity are no JSON
