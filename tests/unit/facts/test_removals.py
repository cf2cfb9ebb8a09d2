"""Files that commands removed."""

from __future__ import annotations

import time

import pytest

from compact_chat.facts import find_steps, removed_files
from tests.samples.tools import ran, used


@pytest.mark.parametrize(
    "command",
    [
        "rm /repo/src/a.py",
        "rm -f src/a.py",
        "cd /repo && rm ./src/a.py b.py",
        "git rm 'src/a.py'; ls",
        "make\nrm a.py",
    ],
)
def test_a_plainly_named_file_is_removed(command: str) -> None:
    """The path that a tool used is told from the whole of it or from its end."""
    assert removed_files(find_steps((*used("write", "ok", path="/repo/src/a.py"), *ran(command, "")))) == {
        "/repo/src/a.py"
    }


@pytest.mark.parametrize("command", ["rm *.py", "rm xa.py", "echo rm a.py", "rm $(ls a.py)", "rm other/a.py"])
def test_what_is_not_plain_removes_nothing(command: str) -> None:
    """Patterns, other files, and words that only speak of removal tell nothing."""
    assert removed_files(find_steps((*used("write", "ok", path="/repo/src/a.py"), *ran(command, "")))) == frozenset()


def test_a_file_that_is_written_again_is_there() -> None:
    """T21: a removal that failed, or that was followed by another use, does not count."""
    written = used("write", "ok", path="a.py")
    assert removed_files(find_steps((*written, *ran("rm a.py", "no", is_error=True)))) == frozenset()
    assert removed_files(find_steps((*written, *ran("rm a.py", ""), *used("write", "ok", path="a.py")))) == frozenset()


def test_work_is_linear() -> None:
    """G5: many files of one name and many removals take no time for each pair of them."""
    chat = (*(part for n in range(1500) for part in used("write", "ok", path=f"{n}/a")), *ran("rm z/a\n" * 20_000, ""))
    taken = find_steps(chat)
    begin = time.process_time()
    removed_files(taken)
    assert time.process_time() - begin < 1
