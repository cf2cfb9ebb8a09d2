"""The one table of operations that wire, shell, documents and TypeScript types come from."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, get_args, get_type_hints

import msgspec

from compact_chat.chat import JsonObject
from compact_chat.tools import FORMATS
from compact_chat.wire import Provider, Style

if TYPE_CHECKING:
    from compact_chat.operations.job import Job

# Each name has a function of a module of this room, which is imported at its first use.
OPERATIONS = {
    "sessions": "sessions.sessions",
    "countTokens": "count.count_tokens",
    "transcript": "transcript.transcript",
    "preview": "preview.preview",
    "summarize": "summarize.summarize",
    "prompt": "own_model.prompt",
    "format": "own_model.format_reply",
    "continuation": "own_model.continuation",
    "check": "check.check",
    "export": "past.export",
    "restore": "past.restore",
    "history": "past.history",
    "watch": "watch.watch",
    "unwatch": "watch.unwatch",
}

# These read or write files, however small their params are.
ON_DISK = frozenset({"sessions", "watch", "summarize", "history", "restore", "export", "check", "transcript"})


class Operation(NamedTuple):
    """What goes in, what comes out, and the function between, as its types say; one that asks a model is async."""

    params: type[msgspec.Struct]
    result: type[msgspec.Struct]
    run: Callable[[Any, Job], Any]


_LOADED: dict[str, Operation] = {}


def operation(name: str) -> Operation:
    """Give the operation of this name; the first time this imports its module, which takes a while."""
    if name not in _LOADED:
        module, _, function = OPERATIONS[name].partition(".")
        run = getattr(import_module(f"compact_chat.operations.{module}"), function)
        types = get_type_hints(run)
        _LOADED[name] = Operation(types["asked"], types["return"], run)
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
