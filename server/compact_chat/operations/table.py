"""What is built, as `initialize` advertises it."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple, get_args

import msgspec

from compact_chat.chat import JsonObject
from compact_chat.operations.desk import Desk
from compact_chat.operations.work import Work
from compact_chat.tools import FORMATS
from compact_chat.wire import Provider, Style

# The one table of operations that wire, shell and documents come from.


# Each name has a module of this room with its story, imported at its first use, since starting must cost nothing.
OPERATIONS = {
    "sessions": "sessions",
    "countTokens": "count",
    "transcript": "transcript",
    "preview": "preview",
    "summarize": "summarize",
    "prompt": "prompt",
    "format": "format",
    "continuation": "continuation",
    "check": "check",
    "export": "export",
    "restore": "restore",
    "history": "history",
    "watch": "watch",
    "unwatch": "unwatch",
}

# These look at files or write them, however small their params are.
ON_DISK = frozenset({"sessions", "watch", "summarize", "history", "restore", "export", "check", "transcript"})


class Operation(NamedTuple):
    """What goes in, what comes out, and the function between; one that waits for a model is a coroutine."""

    params: type[msgspec.Struct]
    result: type[msgspec.Struct]
    run: Callable[[Any, Desk, Work], Any]


_LOADED: dict[str, Operation] = {}


def operation(name: str) -> Operation:
    """Give the operation of this name; the first time its modules are imported, which takes a while."""
    if name not in _LOADED:
        module = import_module(f"compact_chat.operations.{OPERATIONS[name]}")
        _LOADED[name] = Operation(module.Params, module.Result, module.run)
    return _LOADED[name]


def is_loaded(name: str) -> bool:
    """Say whether an operation is at hand at once."""
    return name in _LOADED


# What is built, as `initialize` advertises it.


def card() -> JsonObject:
    """Name the operations, formats, styles and providers that are built, and nothing else."""
    return {
        "version": 1,
        "operations": list(OPERATIONS),
        "formats": list(FORMATS),
        "styles": list(get_args(Style)),
        "providers": [name for name in get_args(Provider) if name != "auto"],
    }
