"""The rules of the house that a program can check: sizes, docstrings, and what no file may hold."""

from __future__ import annotations

import ast
import re
import statistics
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted((ROOT / "server").rglob("*.py"))
SCRIPTS = [*MODULES, *sorted((ROOT / "tests").rglob("*.py")), *sorted((ROOT / "scripts").rglob("*.py"))]
LONGEST_MODULE, LONGEST_FUNCTION, MEDIAN_FUNCTION = 300, 50, 8
# Written apart, so that this file does not hold what it looks for.
HOSTS = re.compile(
    "|".join(
        ("registry" + r"\.npm", "py" + r"pi\.org", "python" + "hosted", "deb" + r"\.debian", "npm" + r"js\.(com|org)")
    )
)


def name(path: Path) -> str:
    """Name a file as a person would."""
    return str(path.relative_to(ROOT))


def functions(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Find the functions of a module."""
    tree = ast.parse(path.read_text("utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of a function."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


@pytest.mark.parametrize("path", SCRIPTS, ids=name)
def test_modules_are_small_and_say_what_they_are(path: Path) -> None:
    """A module opens with one sentence and has at most 300 lines, a function at most 50."""
    text = path.read_text("utf-8")

    assert text.count("\n") <= LONGEST_MODULE
    assert [f.name for f in functions(path) if lines(f) > LONGEST_FUNCTION] == []
    assert ast.get_docstring(ast.parse(text)), "no docstring"


def test_functions_are_of_one_step() -> None:
    """Half of the product's functions have at most eight lines."""
    sizes = [lines(function) for path in MODULES for function in functions(path)]

    assert statistics.median(sizes) <= MEDIAN_FUNCTION


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("test_*.py")), ids=name)
def test_each_test_states_its_behaviour(path: Path) -> None:
    """Every test function has a docstring."""
    assert [f.name for f in functions(path) if f.name.startswith("test") and not ast.get_docstring(f)] == []


def test_no_file_names_a_registry() -> None:
    """No file of the project, lock files included, names the host of a package registry."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    paths = [ROOT / line for line in listed.stdout.splitlines()]

    assert [name(p) for p in paths if p.is_file() and HOSTS.search(p.read_bytes().decode("latin-1"))] == []


def test_there_are_at_most_six_commands() -> None:
    """The Makefile has at most six targets that a person types."""
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)

    assert phony
    assert len(phony[1].split()) <= 6
