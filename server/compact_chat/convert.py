"""Convert plain values to typed ones from any thread, and tell how deep they are nested."""

from __future__ import annotations

from itertools import chain
from threading import RLock
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")
_COMPILING = RLock()
_compiled: dict[int, Any] = {}  # types by their identity, which is faster than the hash of a generic one


def compiled(kind: type[T]) -> type[T]:
    """Have one thread compile a type that lives as long as its module, before any other uses it.

    msgspec 0.22.0 shows other threads a Struct that it is still compiling, and they crash (no upstream issue known).
    """
    if id(kind) not in _compiled:
        with _COMPILING:
            msgspec.json.Decoder(kind)
            _compiled[id(kind)] = kind
    return kind


def convert(value: object, kind: type[T]) -> T:
    """Convert a value as `msgspec.convert` does."""
    return msgspec.convert(value, compiled(kind))  # noqa: TID251 -- for all others


def is_deeper(value: Any, levels: int) -> bool:
    """Return whether a JSON value is nested in more levels; lists and objects alone are looked into."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(levels):
        children = chain.from_iterable(node.values() if type(node) is dict else node for node in level)
        level = [child for child in children if type(child) is dict or type(child) is list]
        if not level:
            return False
    return bool(level)
