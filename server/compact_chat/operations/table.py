"""The one table of operations that wire, shell and documents come from."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any, NamedTuple

import msgspec

from compact_chat.operations.desk import Desk
from compact_chat.operations.work import Work

# Each name has a module of this room with its story, imported at its first use, since starting must cost nothing.
OPERATIONS = {
    "countTokens": "count",
    "preview": "preview",
    "summarize": "summarize",
    "prompt": "prompt",
    "format": "format",
    "continuation": "continuation",
}


class Operation(NamedTuple):
    """What goes in, what comes out, and the function between."""

    params: type[msgspec.Struct]
    result: type[msgspec.Struct]
    run: Callable[[Any, Desk, Work], msgspec.Struct | Awaitable[msgspec.Struct]]


def operation(name: str) -> Operation:
    """Give the operation of this name."""
    module = import_module(f"compact_chat.operations.{OPERATIONS[name]}")
    return Operation(module.Params, module.Result, module.run)
