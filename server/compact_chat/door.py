"""A room's door: the names that other rooms may use, each loaded on first use."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def door(room: str) -> Callable[[str], Any]:
    """Build a package's `__getattr__` (PEP 562) from the imports that it has for type checkers alone.

    They never run, but the package's compiled code holds their names in order: each module before its own. Importing
    every module of a room at start-up costs a quarter more time than `compact-chat count` takes.
    """
    module_of: dict[str, str] = {}
    module = ""
    for name in sys._getframe(1).f_code.co_names:  # noqa: SLF001 -- the caller's own
        if name.startswith(f"{room}."):
            module = name
        elif module and not name.startswith("__"):
            module_of[name] = module
    sys.modules[room].__dict__["__all__"] = list(module_of)

    def load(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        value = getattr(import_module(module_of[name]), name)
        setattr(sys.modules[room], name, value)
        return value

    return load
