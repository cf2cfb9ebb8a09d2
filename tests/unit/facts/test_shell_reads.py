"""Files that commands in a shell show."""

from __future__ import annotations

import time
from typing import Any

import pytest

from compact_chat.chat import ToolCall
from compact_chat.facts import Step
from compact_chat.facts.files import file_shown


def shown(command: object, **more: Any) -> str:
    """The file that a command shows."""
    return file_shown(Step("m", ToolCall("1", "Bash", {"command": command, **more})))


@pytest.mark.parametrize(
    "command",
    [
        "cat a.py",
        "cat -n 'a.py'",
        "head -50 a.py",
        "head -n 50 a.py",
        "tail -c 100 a.py",
        "nl -ba a.py",
        "sed -n '1,200p' a.py",
        "sed -n -e p a.py",
        "cat a.py | head -100",
        "nl -ba a.py | sed -n '10,20p'",
        "cat a.py 2>/dev/null",
        "cat a.py 2>&1 | grep -n 'a|b;c'",
        "cat a.py || true",
        'cat a.py; echo "done: $?"',
        ["bash", "-lc", "cat a.py"],
        ["cat", "a.py"],
    ],
)
def test_a_command_that_shows_one_file(command: object) -> None:
    """Options, their values, scripts and what cuts from it are no files."""
    assert shown(command) == "a.py"


@pytest.mark.parametrize(
    "command",
    [
        "cat a.py b.py",
        "cat a.py && cat b.py",
        "cat a.py; rm b.py",
        "cat a.py | python",
        "cat > a.py",
        "cat a.py > b.py",
        "cat <<'E' > a.py\nx\nE",
        "cat *.py",
        "cat $FILE",
        "cat 'a.py",
        "cat -",
        "cat",
        "head -n 5",
        "sed 's/a/b/' a.py",
        "sed -i -n '1p' a.py",
        "catalog a.py",
        "ls a.py",
        "cat (a.py)",
        "",
        f"cat {'a' * 2_000}",
    ],
)
def test_a_command_that_shows_none_or_more(command: str) -> None:
    """Where it is not plain that one file is shown, none is told."""
    assert shown(command) == ""


@pytest.mark.parametrize(
    ("command", "more", "path"),
    [
        ("cat a.py", {"workdir": "/w"}, "/w/a.py"),
        ("cat /v/a.py", {"workdir": "/w"}, "/v/a.py"),
        ("cd /w && cat a.py", {}, "/w/a.py"),
        ("cd src; cat a.py", {"cwd": "/w"}, "/w/src/a.py"),
        ("cat a.py", {"workdir": 7}, "a.py"),
    ],
)
def test_the_folder_that_it_was_run_in_counts(command: str, more: dict[str, Any], path: str) -> None:
    """The file is told as seen from outside."""
    assert shown(command, **more) == path


def test_other_tools_show_nothing() -> None:
    """Only what runs in a shell is looked at."""
    assert file_shown(Step("m", ToolCall("1", "Read", {"command": "cat a.py"}))) == ""


@pytest.mark.parametrize("unit", ["cat ", "cat a|", "cd x&&", "'", "2> ", " "])
def test_a_thousand_long_commands_are_quick(unit: str) -> None:
    """A command of any length costs little."""
    start = time.perf_counter()
    for _ in range(200):
        shown(("cat " + unit * 1_000)[:1_000])
        shown("cat " + unit * 100_000)
    assert time.perf_counter() - start < 5
