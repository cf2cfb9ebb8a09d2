"""Convert plain values to typed ones from any thread."""

from __future__ import annotations

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
