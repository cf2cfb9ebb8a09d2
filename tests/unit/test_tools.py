"""The table of tools: its rows fit the readers, and nothing else in the package names a tool."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import compact_chat
from compact_chat.tools import FORMATS, OF_NO_TOOL, TOOLS, Format, files_with, tool_named, tool_of

PACKAGE = Path(compact_chat.__file__).parent
NAMES = {name for tool in TOOLS for name in (tool.name, *(one.name for one in tool.formats))}
# Where the word that a tool is named by means something else.
OTHER_MEANINGS = {
    ("resume/continuation.py", "continue"): "what the next turn is to do",
    ("measure/families.py", "gemini"): "the beginning of models' names",
}


def literals(path: Path) -> Iterator[str]:
    """The string literals of a module, but for keys of its door, which name modules."""
    tree = ast.parse(path.read_text("utf-8"))
    keys = {id(key) for node in ast.walk(tree) if isinstance(node, ast.Dict) for key in node.keys}
    for node in ast.walk(tree):
        is_key = path.name == "__init__.py" and id(node) in keys
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and not is_key:
            yield node.value


def readers() -> set[str]:
    """The modules that read a tool's own formats."""
    return {f"read/{one.reader}.py" for tool in TOOLS for one in tool.formats}


def test_only_the_table_and_the_readers_name_tools() -> None:
    """Whoever adds a tool adds a row and a reader, and need not look for other places."""
    modules = {str(path.relative_to(PACKAGE)): path for path in PACKAGE.rglob("*.py")}
    others = modules.keys() - readers() - {"tools.py", "agents/hosts.py"}  # the latter: what we plug into
    found = {(name, text) for name in others for text in literals(modules[name]) if text in NAMES}
    assert found == OTHER_MEANINGS.keys()


@pytest.mark.parametrize("one", FORMATS.values(), ids=lambda one: one.name)
def test_readers_have_what_their_row_says(one: Format) -> None:
    """`sniff` and `read` are there."""
    reader = import_module(f"compact_chat.read.{one.reader}")
    assert callable(getattr(reader, f"sniff{one.suffix}"))
    assert callable(getattr(reader, f"read{one.suffix}"))


def test_exports_have_a_writer() -> None:
    """The functions that write a format are in the door of resume."""
    door = import_module("compact_chat.resume")
    assert all(callable(getattr(door, one.export.writer)) for one in FORMATS.values() if one.export)


def test_rows_fit_together() -> None:
    """Names are unique, and folders hold formats of their tool."""
    assert len(NAMES | {one.name for one in OF_NO_TOOL}) == len(FORMATS) + len(NAMES - FORMATS.keys())
    for tool in TOOLS:
        assert {folder.format for folder in tool.folders} <= {one.name for one in tool.formats}
        assert all(tool_of(one.name) == (one.writer or tool.name) for one in tool.formats)
        assert tool_named(tool.name) is tool


def test_a_file_is_read_with_those_of_its_task() -> None:
    """Cline keeps a task in several files; a file of another name stands alone."""
    first, screen, older = tool_named("cline").files
    assert set(files_with(screen)) == {first, older, "context_history.json", "task_metadata.json"}
    assert list(files_with("context_history.json")) == list(files_with("a.jsonl")) == []
    assert tool_of("anthropic") == "anthropic"
    assert tool_named("no such tool").formats == ()
