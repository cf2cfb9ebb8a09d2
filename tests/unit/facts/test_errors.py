"""The errors of a chat, whether they were overcome, and what a step was for."""

from __future__ import annotations

import pytest

from compact_chat.chat import Message
from compact_chat.facts import find_errors, find_steps, program, task_of
from tests.samples.tools import ran, used

TRACEBACK = "Traceback (most recent call last):\n  File \"a.py\", line 3\n    x()\nKeyError: 'id'\n"
RUST = "   Compiling a v0.1\nerror[E0308]: mismatched types\n --> src/a.rs:41:5\nwarning: unused"
PYTEST = "x.py F\nE       AssertionError: 1 != 2\nFAILED tests/x.py::test_a - AssertionError: 1 != 2\n1 failed in 0.12s"


def errors(*chat: Message) -> list[tuple[str, str, bool]]:
    """Return the errors of a chat: text, source, and whether they were resolved."""
    return [(error.text, error.where, error.fixed) for error in find_errors(find_steps(chat))]


def named(output: str, command: str = "make") -> list[str]:
    """Return the errors of a command that failed, or whose exit code a pipe hides."""
    return [text for text, *_ in errors(*ran(command, output, is_error="|" not in command))]


@pytest.mark.parametrize(
    ("output", "line"),
    [
        (TRACEBACK, "KeyError: 'id'"),
        (RUST, "error[E0308]: mismatched types"),
        (PYTEST, "FAILED tests/x.py::test_a - AssertionError: 1 != 2"),
        ("--- FAIL: TestReset (0.03s)\nFAIL\tcli/cmd\t0.458s", "--- FAIL: TestReset"),
        ("src/x.ts(3,5): error TS2304: Cannot find name 'y'.", "src/x.ts(3,5): error TS2304: Cannot find name 'y'."),
        ("fatal: not a git repository", "fatal: not a git repository"),
        ("make: *** [test] Error 1", "make: *** [test] Error 1"),
        ("\x1b[31mError: boom\x1b[0m", "Error: boom"),
        ("Error: " + "x" * 900, "Error: " + "x" * 293),
        ("panic: runtime error: index out of range", "panic: runtime error: index out of range"),
    ],
)
def test_the_line_that_names_the_error(output: str, line: str) -> None:
    """Compilers, tests and shells are recognized by the beginning of their lines, without colors and durations."""
    assert line in named(output)
    assert line in named(output, "make | tail")


@pytest.mark.parametrize(
    "output",
    [
        "there is no error here",
        "test_error_handling PASSED",
        "docs/error.md: how errors are shown",
        "if err != nil { return fmt.Errorf(x) }",
        "",
    ],
)
def test_prose_about_errors_is_none(output: str) -> None:
    """Field: "there is no error" is no error, "prefix" is no fix."""
    assert named(output, "make | tail") == []


@pytest.mark.parametrize(
    ("output", "found"),
    [
        ("\n".join(f"Error: number {n}" for n in range(50)), [f"Error: number {n}" for n in (0, 1, 2, 47, 48, 49)]),
        ("Exit code 4\nstarting\nhost is unreachable\n--\n", ["host is unreachable"]),
        ("sh: 1: mak: command not found\nbye", ["sh: 1: mak: command not found"]),
        ("a.ts:3:5: unused, see errors\nerror: a.ts:3:5", ["error: a.ts:3:5"]),
        ("Exit code 4", []),
        ("Exit code 1\nThese paths are ignored:\nsrc/a\nhint: use -f", ["These paths are ignored:"]),
        ("Exit code 1\nChunk ID: 7f\nbroken\n", ["broken"]),
    ],
)
def test_a_failure_is_named_by_its_log(output: str, found: list[str]) -> None:
    """Of many lines the first and last count; if no line names an error, the last line with words does."""
    assert named(output) == found


def test_an_error_has_the_exit_code_of_its_command() -> None:
    """The exit code is reported, with the command that caused the error."""
    (error,) = find_errors(find_steps(ran("./deploy", "Exit code 4\nhost is unreachable", is_error=True)))

    assert (error.code, error.where, error.fixed) == (4, "./deploy", False)


@pytest.mark.parametrize(
    "chat",
    [
        ran("grep -r x src", "Exit code 1", is_error=True),
        ran("ls gone", "Exit code 2\nls: gone: No such file or directory", is_error=True),
        ran("cat log.txt", "Error: from yesterday"),
        used("Read", "Error handling is hard"),
        ran("make", "The user doesn't want to proceed with this tool use.", is_error=True),
        ran("pytest", "all passed"),
        ran("pytest", "ValueError: printed by a test\n3 passed"),
    ],
)
def test_a_look_and_a_refusal_are_no_errors(chat: tuple[Message, ...]) -> None:
    """A search without matches, words in a file, and a call that never ran are no errors."""
    assert errors(*chat) == []


def test_a_tool_other_than_a_shell_is_named_by_its_first_line() -> None:
    """A failed edit is an error of that file."""
    failed = used("Edit", "<tool_use_error>String not found</tool_use_error>\nTry again", is_error=True, file_path="a")

    assert errors(*failed) == [("String not found", "Edit a", False)]


def test_an_exit_code_hidden_by_a_pipe_does_not_hide_the_error() -> None:
    """A test run through `tail` exits with 0 but failed; a pipe of git hides nothing."""
    assert errors(*ran("go test ./... | tail -5", "--- FAIL: TestA (0.1s)"))[0][0] == "--- FAIL: TestA"
    assert errors(*ran("git push | tail", "Error: TestA")) == []


@pytest.mark.parametrize(
    ("later", "fixed"),
    [
        (ran("pytest tests/x.py", "1 passed"), True),
        (ran("cd src && pytest -q tests/x.py 2>&1 | tail", "1 passed"), True),
        (ran("pytest", "9 passed"), True),
        (ran("pytest tests/other.py", "1 passed"), False),
        (ran("pytest tests/x.py", PYTEST, is_error=True), False),
        (ran("pytest tests/x.py", None), False),
    ],
)
def test_an_error_is_overcome_when_the_same_goes_well(later: tuple[Message, ...], fixed: bool) -> None:
    """The same task, or a wider one, must succeed later; another task proves nothing."""
    chat = (*ran("pytest tests/x.py", f"Exit code 1\n{PYTEST}", is_error=True), *later)

    assert {error[-1] for error in errors(*chat)} == {fixed}


def test_an_error_that_comes_back_is_open_again() -> None:
    """The last outcome counts, and the error is listed once."""
    bad = ran("make", "Exit code 2\nmake: *** [all] Error 1", is_error=True)

    assert errors(*bad, *ran("make", "ok"), *bad) == [("make: *** [all] Error 1", "make", False)]


@pytest.mark.parametrize("tool", ["Edit", "Write"])
def test_an_edit_of_the_same_file_overcomes_a_failed_one(tool: str) -> None:
    """For other tools the file identifies the task; any way of editing it counts."""
    chat = [
        *used("Edit", "not read yet", is_error=True, file_path="a"),
        *used("Edit", "not read yet", is_error=True, file_path="b"),
        *used("Read", "text", file_path="b"),
        *used(tool, "done", path="a"),
    ]

    assert errors(*chat) == [("not read yet", "Edit a", True), ("not read yet", "Edit b", False)]


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("go test ./cmd/...", "go test"),
        ("git stash && npm run build && git stash pop", "npm run build"),
        ("git -C /src push origin main", "git push"),
        ("python -m pytest -q", "python -m pytest"),
        ("./run.sh --fast", "./run.sh --fast"),
        (f"./run.sh {'x' * 3000}", f"./run.sh {'x' * 3000}"),
    ],
)
def test_a_command_is_known_by_its_program(command: str, name: str) -> None:
    """Folders, variables, pipes and selectors do not change the task."""
    assert task_of(find_steps(ran(command))[0]).name == name


@pytest.mark.parametrize(
    ("command", "reads"),
    [
        ("ls -la && cat a | grep b", True),
        ("git -C /src log --oneline 2>&1 | head", True),
        ("echo x > a.txt", False),
        ("cat > a.txt << 'E'", False),
        ("ls && rm a", False),
        ("find . -name x | xargs rm", False),
        ("tool run --help", True),
        ("sed -i s/a/b/ c", False),
        ("make", False),
    ],
)
def test_commands_that_only_look(command: str, reads: bool) -> None:
    """A command that changes nothing in any of its stages only reads."""
    assert task_of(find_steps(ran(command))[0]).only_reads is reads


def test_another_tool_is_known_by_its_file() -> None:
    """A tool without a file is identified by its name alone."""
    assert task_of(find_steps(used("Edit", file_path="a"))[0]).name == "edit a"
    assert task_of(find_steps(used("WebSearch", query="x"))[0]).name == "websearch"


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("set -e; make test", "make"),
        ("cd /src && export A=1 && . .venv/bin/activate && source x && B=2 ./run.sh", "run.sh"),
        ("cd src", ""),
        ("/usr/bin/python3 -m x", "python3"),
    ],
)
def test_what_only_changes_the_shell_is_no_program(command: str, name: str) -> None:
    """The program of a command is the first one that does something outside the shell."""
    assert program(command) == name


def test_a_request_is_settled_by_the_same_one_with_another_number() -> None:
    """An answer to a comment that is gone, and then to the one that is there."""
    reply = "gh api repos/me/shop/pulls/7/comments/{}/replies -f body='Baked.'"
    steps = find_steps(
        (
            *ran(reply.format(1234567), "gh: Parent comment not found (HTTP 404)\nExit code 1", is_error=True),
            *ran(reply.format(7654321), "ok"),
        )
    )

    assert [error.fixed for error in find_errors(steps)] == [True]
