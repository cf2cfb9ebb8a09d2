"""Calls with their results, how they ended, and the commands among them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Message, ToolCall
from compact_chat.facts import (
    counted,
    find_steps,
    fold,
    sentences,
    shortened,
    shortened_command,
    without_bullet,
)
from compact_chat.facts.steps import plain_name
from compact_chat.facts.words import one_line
from tests.samples.chats import a, anything, call, res, u


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


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("fatal: no such branch\n<shellId: 51 completed with exit code 128>", 128),
        ("main\n<shellId: 51 completed with exit code 0>", 0),
        ("<command with shellId: 51 is still running after 30 seconds>", None),
    ],
)
def test_copilot_cli_tells_how_a_shell_ended(answer: str, code: int | None) -> None:
    """T21: in its last line."""
    (step,) = find_steps([a(ToolCall("1", "bash", {"command": "git log"})), u(res("1", answer))])

    assert (step.code, step.outcome) == (code, "failed" if code else "ok")


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
        (
            "Use it (e.g. make lint), i.e. always. E.g. now.\nSo e.g.\nmake",
            ["Use it (e.g. make lint), i.e. always.", "E.g. now.", "So e.g.", "make"],
        ),
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
    """Words are not cut, unless one word is nearly the whole text."""
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
        ("cd shop\n\n  bake rye  \nls", "cd shop; bake rye; ls"),
        ("bake \\\n  --hot &&\nls |\nwc;\nps", "bake \\ --hot && ls | wc; ps"),
        ("for x in a b\ndo\n  bake $x\ndone", "for x in a b; do bake $x; done"),
        ('git commit -m "rye\n\nmore"\ngit push', 'git commit -m "rye more"; git push'),
        ("cat > f <<'E'\na\nb\nE", "cat > f <<'E' a b E"),
    ],
)
def test_a_line_feed_between_commands_becomes_a_mark(command: str, shown: str) -> None:
    """H11: else two of them would become one."""
    assert one_line(command) == shown
    assert shortened_command(command, 100) == shown


def test_only_long_arguments_are_shortened() -> None:
    """H11: text between two quoted words is not quoted."""
    between = f"&& bake {'--tray 7 ' * 6}&& echo"

    assert between in shortened_command(f'echo "start" {between} "done" && bake "{"rye " * 30}"', 140)


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
