"""The table of styles: who names one, and what each tells the offline writer."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import get_args

import pytest

import compact_chat
from compact_chat.styles import STYLES, Heritage, Topic, style_named
from compact_chat.wire import DEFAULT_STYLE, Style

SERVER = Path(compact_chat.__file__).parent


def test_the_table_has_the_styles_of_the_wire() -> None:
    """The contract names each style, and each has its row."""
    assert tuple(STYLES) == get_args(Style)
    assert style_named(None).name == style_named(" ").name == DEFAULT_STYLE


def test_nothing_else_names_a_style() -> None:
    """A new style is a module and a row: no other module of the server has its name as a literal."""
    modules = [path for path in SERVER.rglob("*.py") if path.parent.name != "styles" and path.name != "wire.py"]
    named = [
        f"{path.relative_to(SERVER)}:{node.lineno}"
        for path in modules
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and node.value in STYLES
    ]

    assert named == []


@pytest.mark.parametrize("style", STYLES)
def test_each_topic_has_one_section_at_most(style: Style) -> None:
    """The offline writer finds one section for what it has to tell, and hands on what is known."""
    slots = STYLES[style].slots
    topics = [topic for slot in slots for topic in slot.topics]

    assert len(topics) == len(set(topics))
    assert set(topics) <= set(get_args(Topic))
    assert {slot.heritage for slot in slots} - {None} <= set(get_args(Heritage))
