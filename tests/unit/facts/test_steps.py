"""Calls beside their results, and how they ended."""

from __future__ import annotations

import pytest
from hypothesis import given

from compact_chat.chat import Message, Text, ToolCall, ToolResult
from compact_chat.facts import find_steps
from compact_chat.facts.steps import plain_name
from tests.samples.chats import a, anything, call, res, u
from tests.samples.tools import ran, used


@pytest.mark.parametrize(
    ("answer", "is_error", "outcome", "code"),
    [
        ("Exit code 2\nboom", True, "failed", 2),
        ("Chunk ID: 1\nProcess exited with code 0\nOutput:\nok", False, "ok", 0),
        ("Process exited with code 1\nOutput:\n", False, "failed", 1),
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
    ("answer", "outcome"),
    [("1 def x()", "ok"), ("Error: no such file", "failed"), ("Exit code 1 is in line 1", "ok")],
)
def test_another_tool_fails_by_its_flag_or_its_first_words(answer: str, outcome: str) -> None:
    """What a file holds is no exit code."""
    (step,) = find_steps(used("Read", answer, path="a.py"))

    assert step.outcome == outcome


def test_results_are_matched_by_id() -> None:
    """Parallel results may come late and in any order; calls that share an id are answered in their order."""
    chat = [
        a(call("1"), call("2")),
        u(res("2", "two")),
        u("hm"),
        u(res("1", "one")),
        a(call("1")),
        u(res("1", "again")),
    ]

    assert [step.answer for step in find_steps(chat)] == ["one", "two", "again"]


def test_an_orphaned_result_is_no_step() -> None:
    """A result whose call is gone tells nothing."""
    assert find_steps([u(res("gone", "x"))]) == ()


@given(anything())
def test_there_is_a_step_for_each_call(chat: tuple[Message, ...]) -> None:
    """Whatever the chat holds, each call is one step, in order."""
    assert [step.call for step in find_steps(chat)] == [part for message in chat for part in message.calls]


def test_the_text_of_a_result_is_that_of_all_its_blocks() -> None:
    """T3: a result in blocks is read whole."""
    result = ToolResult("1", (Text("a"), Text("b")))

    assert (
        find_steps([Message("m", "assistant", (ToolCall("1", "x", {}),)), Message("n", "user", (result,))])[0].answer
        == "a\nb"
    )


@pytest.mark.parametrize(
    ("name", "plain"),
    [("read_file", "readfile"), ("mcp__disk__Read-File", "readfile"), ("functions.ReadFile", "readfile")],
)
def test_names_of_tools_compare_without_marks(name: str, plain: str) -> None:
    """T21: names compare without case, `_` and `-`, and without the name of their server."""
    assert plain_name(name) == plain
