"""Regular expressions use only constructs that every supported Python matches correctly."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "server" / "compact_chat"
POSSESSIVE = re.compile(r"[*+?}]\+")
OF_TIKTOKEN = r"\p{"  # matched by tiktoken's own engine
SAFE = {"LITERAL", "NOT_LITERAL", "ANY", "IN", "ATOMIC_GROUP"}


def literals(node: ast.AST) -> Iterator[str]:
    """Yield the string literals below a node, with a group for each value of an f-string."""
    if isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "(?:ab)" for part in node.values)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
        yield node.value if isinstance(node.value, str) else node.value.decode("latin-1")
    else:
        for child in ast.iter_child_nodes(node):
            yield from literals(child)


def subpatterns(value: Any) -> Iterator[Any]:
    """Yield the patterns in the argument of a parsed operation."""
    if type(value).__name__ == "SubPattern":
        yield value
    elif isinstance(value, tuple | list):
        for part in value:
            yield from subpatterns(part)


def is_unsafe(pattern: Any, possessive: bool = False) -> bool:
    """Whether a possessive quantifier repeats more than a character or an atomic group, or repeats a capture."""
    for operation, value in pattern:
        kind = str(operation)
        repeats = kind == "POSSESSIVE_REPEAT"
        if repeats and (len(value[2]) != 1 or str(value[2][0][0]) not in SAFE):
            return True
        if possessive and kind == "SUBPATTERN" and value[0] is not None:
            return True
        if any(is_unsafe(part, possessive or repeats) for part in subpatterns(value)):
            return True
    return False


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"[ab]{2,}+\w*+c?+", False),
        (r"(?>ab?c)*+(d)", False),
        (r"(?:ab?c)*+", True),
        (r"x(?>(?:ab?c){2,}+|d)", True),
        (r"(?>(a)b)*+", True),
        (r"(a)\1*+", True),
    ],
)
def test_unsafe_patterns_are_found(pattern: str, expected: bool) -> None:
    """A possessive quantifier is safe over a character, a set or an atomic group without captures."""
    assert is_unsafe(importlib.import_module("re._parser").parse(pattern)) is expected


def test_no_pattern_is_unsafe() -> None:
    """Write `(?>ab?c)*+` instead of `(?:ab?c)*+`, and keep captures out of it.

    Before Python 3.11.5, `(?:ab?c)*+` keeps what its last, failed round has read: it matches all of "a" (gh-100061). In
    every 3.11, and before 3.12.8 and 3.13.1, a capture within can be wrong or raise SystemError (gh-101955).
    """
    parse = importlib.import_module("re._parser").parse
    found = [
        (path.name, text)
        for path in sorted(PACKAGE.rglob("*.py"))
        for text in literals(ast.parse(path.read_text("utf-8")))
        if POSSESSIVE.search(text) and OF_TIKTOKEN not in text and is_unsafe(parse(text))
    ]

    assert found == []
