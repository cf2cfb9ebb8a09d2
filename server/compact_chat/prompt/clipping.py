"""Cut texts in their middle, and the arguments of tool calls to JSON that stays valid."""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Any

from compact_chat.chat import JsonObject

_MOST_VALUES = 100
_MOST_BITS = 1024  # Beyond it a number is infinite to most readers of JSON.


def clip(text: str, limit: int | None) -> str:
    """Cut a text longer than `limit` to its first three quarters and its end, around a marker (rule T6)."""
    if limit is None or len(text) <= limit:
        return text
    head = limit * 3 // 4
    tail = limit - head
    marker = f"\n[... {len(text) - limit} characters omitted ...]\n"
    clipped = text[:head] + marker + text[len(text) - tail :]
    return clipped if len(clipped) < len(text) else text


def arguments_json(given: JsonObject, limit: int) -> str:
    """Write arguments as JSON; over the limit long strings are clipped, and at last values left out (rule T4)."""
    try:
        whole = _compact(given)
        if len(whole) <= limit:
            return whole
    except (RecursionError, ValueError):  # nested too deeply, or a number that JSON lacks
        pass
    shorter = "{}"
    for values, cap in _steps(limit):
        shorter = _compact(_shortened(given, values, cap))
        if len(shorter) <= limit:
            break
    return shorter


def _compact(given: JsonObject) -> str:
    return json.dumps(given, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _steps(limit: int) -> Iterator[tuple[int, int]]:
    """Yield how many values to keep and how long a string may be, harder from step to step."""
    cap, values = limit, _MOST_VALUES
    while cap:
        yield values, cap
        cap = cap * 3 // 4
    while values:
        yield values, 0
        values //= 2
    yield 0, 0


def _shortened(given: JsonObject, values: int, cap: int) -> JsonObject:
    """Copy the first values, outer levels first, and say how many are left out; without recursion."""
    copy: JsonObject = {}
    waiting: deque[tuple[Any, Any]] = deque([(given, copy)])
    while waiting:
        source, twin = waiting.popleft()
        members = list(islice(source.items() if isinstance(source, dict) else (("", item) for item in source), values))
        values -= len(members)
        for key, value in members:
            short = _short(value, cap)
            _add(twin, clip(key, cap), short)
            if isinstance(short, dict | list):
                waiting.append((value, short))
        if left := len(source) - len(members):
            _add(twin, "...", f"[... {left} entries omitted ...]")
    return copy


def _short(value: object, cap: int) -> object:
    """Return a scalar that JSON can hold, or an empty container to be filled."""
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
