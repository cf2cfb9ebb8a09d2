"""The doors of the rooms: each name loads, is known to type checkers, and is no module's name."""

from __future__ import annotations

import ast
import inspect
import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import compact_chat

ROOMS = sorted(
    room.name
    for room in pkgutil.iter_modules(compact_chat.__path__)
    if room.ispkg and hasattr(import_module(f"compact_chat.{room.name}"), "__all__")
)


@pytest.mark.parametrize("room", ROOMS)
def test_a_door_gives_what_it_names(room: str) -> None:
    """Every name is there, as for type checkers, and is no module of the room, which would hide it once imported."""
    door = import_module(f"compact_chat.{room}")
    modules = {module.name for module in pkgutil.iter_modules(door.__path__)}
    imports = [node for node in ast.walk(ast.parse(inspect.getsource(door))) if isinstance(node, ast.ImportFrom)]
    typed = {name.name for node in imports if str(node.module).startswith(door.__name__) for name in node.names}

    assert set(door.__all__) == typed
    assert [name for name in typed if not hasattr(door, name)] == []
    assert typed & modules == set()


def test_a_door_loads_nothing_until_it_is_asked() -> None:
    """Importing a room imports none of its modules."""
    program = """
import sys
import compact_chat.read, compact_chat.measure, compact_chat.operations
print([name for name in sys.modules if name.count(".") == 2 and name.startswith("compact_chat.")])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_a_door_refuses_other_names() -> None:
    """A name that a room does not offer is an AttributeError, as of any module."""
    read = import_module("compact_chat.read")

    assert Path(str(read.__file__)).name == "__init__.py"
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = read.no_such_name
