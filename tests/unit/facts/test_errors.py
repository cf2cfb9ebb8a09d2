"""The errors of a chat, and whether they were overcome."""

from __future__ import annotations

import time

import pytest

from compact_chat.chat import Message
from compact_chat.facts import find_errors, find_steps
from compact_chat.facts.errors import error_lines
from tests.samples.tools import ran, used

TRACEBACK = "Traceback (most recent call last):\n  File \"a.py\", line 3\n    x()\nKeyError: 'id'\n"
RUST = "   Compiling a v0.1\nerror[E0308]: mismatched types\n --> src/a.rs:41:5\nwarning: unused"
PYTEST = "x.py F\nE       AssertionError: 1 != 2\nFAILED tests/x.py::test_a - AssertionError: 1 != 2\n1 failed in 0.12s"


@pytest.mark.parametrize(
    ("output", "line"),
    [
        (TRACEBACK, "KeyError: 'id'"),
        (RUST, "error[E0308]: mismatched types"),
        (PYTEST, "FAILED tests/x.py::test_a - AssertionError: 1 != 2"),
        ("--- FAIL: TestReset (0.03s)\nFAIL\tcli/cmd\t0.458s", "--- FAIL: TestReset"),
        ("src/x.ts(3,5): error TS2304: Cannot find name 'y'.", "src/x.ts(3,5): error TS2304: Cannot find name 'y'."),
        ("a.c:12:5: error: expected ';'", "a.c:12:5: error: expected ';'"),
        ("fatal: not a git repository", "fatal: not a git repository"),
        ("npm ERR! code ELIFECYCLE", "npm ERR! code ELIFECYCLE"),
        ("make: *** [test] Error 1", "make: *** [test] Error 1"),
        ("\x1b[31mError: boom\x1b[0m", "Error: boom"),
        ("panic: runtime error: index out of range", "panic: runtime error: index out of range"),
    ],
)
def test_the_line_that_names_the_error(output: str, line: str) -> None:
    """Compilers, tests and shells are known by how their lines begin, without colours and durations."""
    assert line in error_lines(output, failed=False)


@pytest.mark.parametrize(
    "output",
    [
        "there is no error here",
        "0 errors, 0 warnings",
        "no errors found",
        "fix prefix of notebook errors",
        "test_error_handling PASSED",
        "docs/error.md: how errors are shown",
        "if err != nil { return fmt.Errorf(x) }",
        "",
    ],
)
def test_prose_about_errors_is_none(output: str) -> None:
    """Field: "there is no error" is no error, "prefix" is no fix."""
    assert error_lines(output, failed=False) == []


def test_of_many_lines_the_first_and_the_last_count() -> None:
    """A long log is told by its beginning and its end, where the error of a log stands."""
    found = error_lines("\n".join(f"Error: number {n}" for n in range(50)), failed=True)

    assert [line.rsplit(" ", 1)[-1] for line in found] == ["0", "1", "2", "47", "48", "49"]


def test_a_failure_without_such_a_line_is_told_by_its_last_one() -> None:
    """A log ends with its error; the host's own line on the exit code tells nothing."""
    (error,) = find_errors(find_steps(ran("./deploy", "Exit code 4\nstarting\nhost is unreachable", is_error=True)))

    assert (error.text, error.code, error.where, error.fixed) == ("host is unreachable", 4, "./deploy", False)


@pytest.mark.parametrize(
    "chat",
    [
        ran("grep -r x src", "Exit code 1", is_error=True),
        ran("ls gone", "Exit code 2\nls: gone: No such file or directory", is_error=True),
        ran("cat log.txt", "Error: from yesterday"),
        used("Read", "Error handling is hard"),
        ran("make", "The user doesn't want to proceed with this tool use.", is_error=True),
        ran("pytest", "all passed"),
    ],
)
def test_a_look_and_a_refusal_are_no_errors(chat: tuple[object, ...]) -> None:
    """A search that finds nothing, words in a file, and a call that never ran are no errors."""
    assert find_errors(find_steps(chat)) == ()  # type: ignore[arg-type]  # parametrize loses the type of its tuples


def test_a_tool_that_is_no_shell_is_told_by_its_first_line() -> None:
    """A failed edit is an error of that file."""
    (error,) = find_errors(
        find_steps(used("Edit", "<tool_use_error>String not found</tool_use_error>", is_error=True, file_path="a"))
    )

    assert (error.text, error.where) == ("String not found", "Edit a")


def test_an_exit_code_hidden_by_a_pipe_does_not_hide_the_error() -> None:
    """A test run through `tail` ends with 0 and still failed."""
    assert [
        error.text for error in find_errors(find_steps(ran("go test ./... | tail -5", "--- FAIL: TestA (0.1s)")))
    ] == ["--- FAIL: TestA"]


@pytest.mark.parametrize(
    ("later", "fixed"),
    [
        (ran("pytest tests/x.py", "1 passed"), True),
        (ran("cd src && pytest -q tests/x.py 2>&1 | tail", "1 passed"), True),
        (ran("pytest", "9 passed"), True),
        (ran("pytest tests/other.py", "1 passed"), False),
        (ran("pytest tests/x.py", PYTEST, is_error=True), False),
        (ran("ls", "x.py"), False),
        (ran("pytest tests/x.py", None), False),
    ],
)
def test_an_error_is_overcome_when_the_same_goes_well(later: tuple[Message, ...], fixed: bool) -> None:
    """The same errand, or a wider one, must succeed later; another one proves nothing."""
    chat = (*ran("pytest tests/x.py", f"Exit code 1\n{PYTEST}", is_error=True), *later)

    assert {error.fixed for error in find_errors(find_steps(chat))} == {fixed}


def test_an_error_that_comes_back_is_open_again() -> None:
    """The last outcome counts, and the error is listed once."""
    bad = ran("make", "Exit code 2\nmake: *** [all] Error 1", is_error=True)

    (error,) = find_errors(find_steps((*bad, *ran("make", "ok"), *bad)))
    assert not error.fixed


@pytest.mark.parametrize("tool", ["Edit", "MultiEdit", "Write", "str_replace"])
def test_an_edit_of_the_same_file_overcomes_a_failed_one(tool: str) -> None:
    """For other tools the file tells whether it is the same errand; each way to edit it will do."""
    chat = [
        *used("Edit", "not read yet", is_error=True, file_path="a"),
        *used("Edit", "not read yet", is_error=True, file_path="b"),
        *used("Read", "text", file_path="b"),
        *used(tool, "done", path="a"),
    ]

    assert [(error.where, error.fixed) for error in find_errors(find_steps(chat))] == [
        ("Edit a", True),
        ("Edit b", False),
    ]


@pytest.mark.parametrize("unit", [" ", "Error: x\n", "error", "a:1", "\n", "no such: "])
def test_a_megabyte_of_output_takes_no_time(unit: str) -> None:
    """G5: linear, whatever the output repeats."""
    begin = time.process_time()
    error_lines(unit * (1_000_000 // len(unit)), failed=True)

    assert time.process_time() - begin < 2
