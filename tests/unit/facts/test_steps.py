"""Calls with their results, how they ended, and the commands among them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Message
from compact_chat.facts import (
    commands,
    counted,
    find_steps,
    fold,
    sentences,
    shortened,
    shortened_command,
    without_bullet,
)
from compact_chat.facts.steps import plain_name
from tests.samples.chats import a, anything, call, res, u
from tests.samples.tools import ran, used


@pytest.mark.parametrize(
    ("answer", "is_error", "outcome", "code"),
    [
        ("Exit code 2\nboom", True, "failed", 2),
        ("Chunk ID: 1\nProcess exited with code 0\nOutput:\nok", False, "ok", 0),
        ("boom\nCommand exited with code 3", False, "failed", 3),
        ('{"output":"x","metadata":{"exit_code":1,"duration_seconds":0.1}}', False, "failed", 1),
        ("Exit Code: 0", False, "ok", 0),
        ("all good", False, "ok", None),
        ("the program says: exited with code 1 is fine", False, "ok", None),
        ("The user doesn't want to proceed with this tool use. …", True, "unknown", None),
        ("<tool_use_error>Sibling tool call errored</tool_use_error>", True, "unknown", None),
        (None, False, "unknown", None),
    ],
)
def test_a_command_ends_as_its_result_says(answer: str | None, is_error: bool, outcome: str, code: int | None) -> None:
    """Exit codes are read where hosts put them; what a host did not run has no outcome."""
    (step,) = find_steps(ran("make", answer, is_error))

    assert (step.outcome, step.code) == (outcome, code)


@pytest.mark.parametrize(
    ("answer", "outcome"), [("1 def x()", "ok"), ("Error: no such file", "failed"), ("Exit code 1 is in line 1", "ok")]
)
def test_another_tool_fails_by_its_flag_or_its_first_words(answer: str, outcome: str) -> None:
    """A file's contents are no exit code."""
    (step,) = find_steps(used("Read", answer, path="a.py"))

    assert (step.outcome, step.done) == (outcome, True)


def test_results_are_matched_by_id() -> None:
    """Parallel results may come late, in any order and in blocks; an orphaned result is no step."""
    chat = [
        a(call("1"), call("2")),
        u(res("2", "two")),
        u(res("1", "one")),
        a(call("1")),
        u(res("1", "a", "b"), res("3", "x")),
    ]

    assert [step.answer for step in find_steps(chat)] == ["one", "two", "a\nb"]


@given(anything())
def test_there_is_a_step_for_each_call(chat: tuple[Message, ...]) -> None:
    """Whatever the chat holds, each call is one step, in order."""
    assert [step.call for step in find_steps(chat)] == [part for message in chat for part in message.calls]


@pytest.mark.parametrize(
    ("name", "plain"),
    [("read_file", "readfile"), ("mcp__disk__Read-File", "readfile"), ("functions.ReadFile", "readfile")],
)
def test_names_of_tools_compare_without_marks(name: str, plain: str) -> None:
    """T21: names compare without case, `_` and `-`, and without the name of their server."""
    assert plain_name(name) == plain


@pytest.mark.parametrize(
    ("tool", "given", "text"),
    [
        ("Bash", {"command": " make test "}, "make test"),
        ("exec_command", {"cmd": "git fetch"}, "git fetch"),
        ("shell", {"command": ["bash", "-lc", "cat a | wc"]}, "cat a | wc"),
        ("shell", {"command": ["git", 7, "status"]}, "git status"),
        ("container.exec", {"command": ["bash", "-x", "pwd"]}, "bash -x pwd"),
        ("execute_command", {"commands": ["pwd", 7, "ls"]}, "pwd && ls"),
        ("builtin_run_terminal_command", {"command": "pwd"}, "pwd"),
        ("Read", {"command": "ls"}, ""),
        ("Bash", {}, ""),
        ("Bash", {"command": 7}, ""),
        ("Bash", {"command": "  "}, ""),
    ],
)
def test_each_shell_tool_has_its_command(tool: str, given: dict[str, Any], text: str) -> None:
    """The command is found under the name that the tool gives it, as text or as a list of words."""
    (step,) = steps = find_steps(used(tool, "ok", **given))

    assert step.command == text
    assert [one.text for one in commands(steps)] == ([text] if text else [])


def test_a_repeated_command_keeps_its_last_outcome() -> None:
    """The same command is one entry, at the place of its last run: an outcome that changed is superseded."""
    chat = ran("make", "Exit code 2\nbad", is_error=True) + ran("ls") + ran("make", "fine")
    found = commands(find_steps(chat))

    assert [(command.text, command.step.outcome, command.runs) for command in found] == [
        ("ls", "ok", 1),
        ("make", "ok", 2),
    ]


# Text for comparing and quoting.


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("a  b\n\tc", "a b c"),
        ("> said\n> more", "said more"),
        ("\\1. Current Work:", "1. Current Work:"),
        ("&lt;/summary> and <b>", "</summary> and <b>"),
        ("a > b \\ c", "a > b \\ c"),
    ],
)
def test_fold_takes_away_white_space_and_the_marks_of_quoting(text: str, folded: str) -> None:
    """A quoted, escaped or wrapped text compares like the text itself."""
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("- a\n- b\n\n3. c", ["a", "b", "c"]),
        ("不要改。先看看", ["不要改。", "先看看"]),
        ("等等！ 好。\n\n对", ["等等！", "好。", "对"]),
        ("v1.2.3 stays", ["v1.2.3 stays"]),
        (" \n ", []),
    ],
)
def test_sentences_are_lines_and_what_ends_with_a_stop(text: str, parts: list[str]) -> None:
    """Bullets and numbers do not belong to the sentence."""
    assert sentences(text) == parts


@pytest.mark.parametrize(
    ("line", "bare"), [("- [x] a", "a"), ("* b", "b"), ("12) c", "c"), ("-d", "-d"), ("1.5 e", "1.5 e")]
)
def test_a_bullet_is_followed_by_a_blank(line: str, bare: str) -> None:
    """A flag or a number at the beginning is no bullet."""
    assert without_bullet(line) == bare


def test_shortened_cuts_behind_a_word() -> None:
    """No word is told in half, unless it is nearly the whole."""
    assert shortened("one two three", 9) == "one two…"
    assert shortened("one two", 7) == "one two"
    assert shortened("x" * 20, 9) == "x" * 8 + "…"


@given(st.text(max_size=200), st.integers(4, 50))
def test_shortened_keeps_to_the_limit(text: str, limit: int) -> None:
    """The result is one line of at most `limit` characters."""
    assert len(shortened(text, limit)) <= limit
    assert "\n" not in shortened(text, limit)


def test_a_count_has_the_form_of_its_noun() -> None:
    """One of them is no plural."""
    assert [counted(number, "message") for number in (0, 1, 2)] == ["0 messages", "1 message", "2 messages"]


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("bake --hot  rye", "bake --hot rye"),
        (f'gh pr comment 7 --body "{"The till rounds each line. " * 9}" --repo me/shop', "--repo me/shop"),
        (f"bake {'--tray 7 ' * 7} /home/me/the/shop/oven/trays/rye.toml --hot", "…/trays/rye.toml --hot"),
        (f"set -a; source /home/me/.env; set +a; bake {'--tray 7 ' * 7} --hot", "--hot"),
        (f"bake {'loaf ' * 99} --hot", "loaf --hot"),
    ],
)
def test_a_long_command_keeps_its_program_and_its_flags(command: str, shown: str) -> None:
    """H11: its arguments, folders and middle are shortened."""
    short = shortened_command(command, 100)

    assert len(short) <= 100
    assert short.endswith(shown)
    assert short[:4] == ("sour" if "source" in command else command[:4])


@pytest.mark.parametrize(
    ("command", "ran"),
    [
        ("bash -lc 'cd x && bake'", "cd x && bake"),
        ('/bin/sh -c "bake --hot"', "bake --hot"),
        ("bash -lc 'bake' && ls", "bash -lc 'bake' && ls"),
        ('bash -lc "bake $tray"', 'bash -lc "bake $tray"'),
    ],
)
def test_what_a_shell_is_given_is_the_command(command: str, ran: str) -> None:
    """T21: unless it would be another one without the quotes."""
    (step, *_) = find_steps(used("exec_command", "ok", cmd=command))

    assert step.command == ran
