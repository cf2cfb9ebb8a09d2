"""The mutation score: which changes it makes, and that a change reaches the running functions."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.mutants import OPERATORS, sites

ROOT = Path(__file__).parents[2]
PRODUCT = '''
"""A product of one room."""
from functools import cache

LIMIT = 10

@cache
def grade(points: int) -> str:
    """Grade points."""
    return "many" if points > LIMIT else "few"

class Shelf:
    def __init__(self, *books: str) -> None:
        self.books = [book for book in books if book]

    @property
    def size(self) -> int:
        return len(self.books)
'''
TESTS = '''
"""Tests that leave a gap at the limit."""
from compact_chat.room import Shelf, grade

def test_grade():
    assert (grade(11), grade(3)) == ("many", "few")

def test_shelf():
    assert Shelf("a", "", "b").size == 2

def test_broken():
    assert grade(11) == "few"
'''


def mutated(body: str) -> set[str]:
    """Return every mutant of a function with this body."""
    tree = ast.parse(f"def f(x: int = 1) -> None:\n    {body}")
    found = set()
    for site in sites(tree):
        for operator in OPERATORS:
            for new in operator(site.node):
                site.put(new)
                found.add(ast.unparse(tree).split("\n", 1)[1].strip())
                site.put(site.node)
    return found


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return a < b <= c", {"return a <= b <= c", "return a < b < c", "return False"}),
        ("return not a in b", {"return a in b", "return not a not in b", "return None"}),
        ("x += a and b", {"x -= a and b", "x += a or b", "pass"}),
        ("return 'a'", {"return ''", "return 'aXX'"}),
        ("return [1]", {"return []", "return [0]", "return [2]"}),
        ("raise KeyError", {"pass"}),
        ("while x: break", {"while False:\n        break", "while x:\n        pass"}),
        ("return a if b else c", {"return a if True else c", "return a if False else c", "return None"}),
        ("yield x[a:b]", {"yield x[:b]", "yield x[a:]", "pass"}),
        ("'a docstring'", set()),
    ],
)
def test_each_operator_changes_one_place(body: str, expected: set[str]) -> None:
    """A function has these mutants and no others; the signature stays."""
    assert mutated(body) == expected


def test_a_gap_in_the_tests_is_found(tmp_path: Path) -> None:
    """All mutants of cached functions, methods and properties die, except the one that no test covers."""
    for name, text in {"server/compact_chat/room.py": PRODUCT, "tests/unit/test_room.py": TESTS}.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "server/compact_chat/__init__.py").touch()
    out = tmp_path / "out.json"
    options = ["--root", str(tmp_path), "--rooms", "room", "--json", str(out)]

    ran = subprocess.run(
        [sys.executable, "-m", "tests.bench.mutation", *options], cwd=ROOT, capture_output=True, text=True, check=True
    )

    living = [line.split("() ")[1] for line in json.loads(out.read_text("utf-8"))["living"]]
    assert living == ["comparison: points > LIMIT -> points >= LIMIT"]
    assert "'passed': 2, 'failed': 1" in ran.stderr
