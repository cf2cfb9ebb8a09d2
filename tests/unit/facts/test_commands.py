"""The commands of a chat."""

from __future__ import annotations

from typing import Any

import pytest

from compact_chat.facts import commands, find_steps
from tests.samples.tools import ran, used


@pytest.mark.parametrize(
    ("tool", "given", "text"),
    [
        ("Bash", {"command": " make test "}, "make test"),
        ("run_in_terminal", {"command": "ls", "explanation": "look"}, "ls"),
        ("exec_command", {"cmd": "git fetch"}, "git fetch"),
        ("shell", {"command": ["bash", "-lc", "cat a | wc"]}, "cat a | wc"),
        ("shell", {"command": ["git", "status"]}, "git status"),
        ("run_shell_command", {"command": "pwd"}, "pwd"),
        ("container.exec", {"command": ["bash", "-lc", "pwd"]}, "pwd"),
        ("shell_command", {"command": "pwd"}, "pwd"),
        ("builtin_run_terminal_command", {"command": "pwd"}, "pwd"),
        ("copilot_runInTerminal", {"command": "pwd"}, "pwd"),
    ],
)
def test_each_shell_tool_is_known(tool: str, given: dict[str, Any], text: str) -> None:
    """The command is found under the name that the tool gives it, as text or as a list of words."""
    assert [command.text for command in commands(find_steps(used(tool, "ok", **given)))] == [text]


@pytest.mark.parametrize(
    ("tool", "given"),
    [("Read", {"command": "ls"}), ("Bash", {}), ("Bash", {"command": 7}), ("Bash", {"command": "  "})],
)
def test_other_tools_and_empty_calls_are_no_commands(tool: str, given: dict[str, Any]) -> None:
    """A call without a command in a shell counts for nothing."""
    assert commands(find_steps(used(tool, "ok", **given))) == ()


def test_a_repeated_command_keeps_its_last_outcome() -> None:
    """The same command is one entry, at the place of its last run: an outcome that changed is superseded."""
    chat = ran("make", "Exit code 2\nbad", is_error=True) + ran("ls") + ran("make", "fine")
    found = commands(find_steps(chat))

    assert [(command.text, command.step.outcome, command.runs) for command in found] == [
        ("ls", "ok", 1),
        ("make", "ok", 2),
    ]
