"""The one table of operations that wire, shell, documents and TypeScript types come from."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import msgspec

from compact_chat.chat import JsonObject
from compact_chat.tools import FORMATS
from compact_chat.wire import Provider, Style

if TYPE_CHECKING:
    from compact_chat.operations.job import Job

# Each name has a module of this room with `Params`, `Result` and `run`; it is imported at its first use.
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

# These read or write files, however small their params are.
ON_DISK = frozenset({"sessions", "watch", "summarize", "history", "restore", "export", "check", "transcript"})


class Operation(NamedTuple):
    """What goes in, what comes out, and the function between; one that waits for a model is a coroutine."""

    params: type[msgspec.Struct]
    result: type[msgspec.Struct]
    run: Callable[[Any, Job], Any]


_LOADED: dict[str, Operation] = {}


def operation(name: str) -> Operation:
    """Give the operation of this name; the first time this imports its module, which takes a while."""
    if name not in _LOADED:
        module = import_module(f"compact_chat.operations.{OPERATIONS[name]}")
        _LOADED[name] = Operation(module.Params, module.Result, module.run)
    return _LOADED[name]


def is_loaded(name: str) -> bool:
    """Whether an operation's module is imported already."""
    return name in _LOADED


def card() -> JsonObject:
    """List the operations, formats, styles and providers, as `initialize` advertises them."""
    return {
        "version": 1,
        "operations": list(OPERATIONS),
        "formats": list(FORMATS),
        "styles": list(get_args(Style)),
        "providers": [name for name in get_args(Provider) if name != "auto"],
    }
