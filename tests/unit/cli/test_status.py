"""A person at a terminal sees what a command is doing; a pipe never does."""

from __future__ import annotations

import io

import pytest

from compact_chat.cli.terminal import status
from compact_chat.operations import ClientState


class Terminal(io.StringIO):
    """Standard error with somebody before it."""

    def isatty(self) -> bool:
        """Say so."""
        return True


def test_the_state_is_one_line_that_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each state takes the place of the one before, the text of a model is counted, and the last state is wiped out."""
    seen = Terminal()
    monkeypatch.setattr("sys.stderr", seen)

    with status(ClientState()) as job:
        job.step("Reading the chat")
        job.step("Asking claude-haiku-5-5", 40)
        job.stream("a" * 1200)

    asking = "Asking claude-haiku-5-5 40% …"
    assert seen.getvalue().split("\r\x1b[K") == ["", "Reading the chat …", asking, f"{asking} 1,200 characters", ""]


def test_a_failure_wipes_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error's sentence begins on a clean line."""
    seen = Terminal()
    monkeypatch.setattr("sys.stderr", seen)

    with pytest.raises(ValueError, match="no"):
        _fail_at_work()

    assert seen.getvalue().endswith("\r\x1b[K")


def _fail_at_work() -> None:
    with status(ClientState()) as job:
        job.step("Planning")
        raise ValueError("no")


def test_a_log_gets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where standard error is no terminal, there is nobody to tell."""
    seen = io.StringIO()
    monkeypatch.setattr("sys.stderr", seen)

    with status(ClientState()) as job:
        job.step("Planning")
        job.stream("text")

    assert seen.getvalue() == ""
