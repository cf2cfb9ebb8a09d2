"""A room's door: the names that other rooms may use, each loaded on first use."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def door(room: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """Build a package's `__getattr__` from its modules and their public names (PEP 562).

    Importing every module of a room at start-up costs a quarter more time than `compact-chat count` takes.
    """
    module_of = {name: f"{room}.{module}" for module, names in places.items() for name in names.split()}
    sys.modules[room].__dict__["__all__"] = list(module_of)

    def load(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        value = getattr(import_module(module_of[name]), name)
        setattr(sys.modules[room], name, value)
        return value

    return load
