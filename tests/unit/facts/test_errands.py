"""What a step was for."""

from __future__ import annotations

import pytest

from compact_chat.facts import errand_of, find_steps, program
from tests.samples.tools import ran, used


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("go test ./cmd/...", "go test"),
        ("cd /src && FLAG=1 go test ./... 2>&1 | tail -5", "go test"),
        ("git stash && npm run build && git stash pop", "npm run build"),
        ("git -C /src push origin main", "git push"),
        ("python -m pytest -q", "python -m pytest"),
        ("./run.sh --fast", "./run.sh --fast"),
    ],
)
def test_a_command_is_known_by_its_program(command: str, name: str) -> None:
    """Folders, variables, pipes and selectors do not make it another errand."""
    assert errand_of(find_steps(ran(command))[0]).name == name


@pytest.mark.parametrize(
    ("command", "looks"),
    [
        ("ls -la && cat a | grep b", True),
        ("git -C /src log --oneline 2>&1 | head", True),
        ("git status; git diff > /dev/null", True),
        ("echo x > a.txt", False),
        ("cat > a.txt << 'E'", False),
        ("ls && rm a", False),
        ("find . -name x | xargs rm", False),
        ("git log | rg -i 'a|b' || true", True),
        ("tool run --help", True),
        ("sed -i s/a/b/ c", False),
        ("make", False),
    ],
)
def test_commands_that_only_look(command: str, looks: bool) -> None:
    """A command that changes nothing in any of its stages only looks."""
    assert errand_of(find_steps(ran(command))[0]).only_looks is looks


def test_another_tool_is_known_by_its_file() -> None:
    """A tool without a file is known by its name alone."""
    assert errand_of(find_steps(used("Edit", file_path="a"))[0]).name == "edit a"
    assert errand_of(find_steps(used("WebSearch", query="x"))[0]).name == "websearch"


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
