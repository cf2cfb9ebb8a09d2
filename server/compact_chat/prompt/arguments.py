"""The arguments of a tool call as compact JSON that is valid however much of it is cut."""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from compact_chat.chat import JsonObject
from compact_chat.prompt.clip import clip

_MOST_VALUES = 100
_MOST_BITS = 1024  # Beyond it a number is infinite to most readers of JSON.


def arguments_json(given: JsonObject, limit: int) -> str:
    """The arguments as JSON; over the limit long strings are clipped, and at last values left out (rule T4)."""
    whole = _whole(given)
    if whole is not None and len(whole) <= limit:
        return whole
    shorter = "{}"
    for values, cap in _steps(limit):
        shorter = _compact(_shortened(given, values, cap))
        if len(shorter) <= limit:
            break
    return shorter


def _whole(given: JsonObject) -> str | None:
    """All of the arguments, unless they are nested too deeply or hold numbers that JSON lacks."""
    try:
        return _compact(given)
    except (RecursionError, ValueError):
        return None


def _compact(given: JsonObject) -> str:
    return json.dumps(given, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _steps(limit: int) -> Iterator[tuple[int, int]]:
    """How many values to keep and how long a string may be, harder from step to step."""
    cap, values = limit, _MOST_VALUES
    while cap:
        yield values, cap
        cap = cap * 3 // 4
    while values:
        yield values, 0
        values //= 2
    yield 0, 0


def _shortened(given: JsonObject, values: int, cap: int) -> JsonObject:
    """A copy of the first values, outer levels first, that says how many it leaves out; no recursion."""
    copy: JsonObject = {}
    waiting: deque[tuple[Any, Any]] = deque([(given, copy)])
    while waiting:
        source, twin = waiting.popleft()
        members = list(islice(_members(source), values))
        values -= len(members)
        for key, value in members:
            short = _short(value, cap)
            _add(twin, clip(key, cap), short)
            if isinstance(short, dict | list):
                waiting.append((value, short))
        if left := len(source) - len(members):
            _add(twin, "...", f"[... {left} entries omitted ...]")
    return copy


def _members(source: dict[str, Any] | list[Any]) -> Iterable[tuple[str, Any]]:
    return source.items() if isinstance(source, dict) else (("", item) for item in source)


def _short(value: object, cap: int) -> object:
    """A scalar that JSON can hold, or an empty container to be filled."""
    match value:
        case str(text):
            return clip(text, cap)
        case float(number) if not math.isfinite(number):
            return None
        case int(number) if number.bit_length() > _MOST_BITS:
            return None
        case dict():
            return {}
        case list():
            return []
        case _:
            return value


def _add(container: dict[str, Any] | list[Any], key: str, value: object) -> None:
    if isinstance(container, dict):
        container[key] = value
    else:
        container.append(value)
