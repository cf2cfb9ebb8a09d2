"""Which chat of a workspace is in use, while several are written."""

from __future__ import annotations

import time

import pytest

from compact_chat.disk import Recent
from compact_chat.operations import watch as module
from compact_chat.operations.watch import InUse

SECOND = 1_000_000_000
NOW = 10_000 * SECOND


class Workspace:
    """Chats that are written at moments that a test chooses."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = NOW
        self.written: dict[str, int] = {}
        self.in_use = InUse(self.newest)
        monkeypatch.setattr(time, "time_ns", lambda: self.now)
        monkeypatch.setattr(module, "SCAN", 0.0)

    def newest(self) -> list[Recent]:
        """Give the chats, the newest first."""
        found = (Recent(changed, name, name, "", "") for name, changed in self.written.items())
        return sorted(found, key=lambda one: -one.changed)

    def write(self, name: str, after: float = 1) -> str:
        """Write a chat so many seconds later, and tell which one is in use then."""
        self.now += round(after * SECOND)
        self.written[name] = self.now
        return self.chat()

    def chat(self) -> str:
        """Tell which one is in use."""
        found = self.in_use.chat()
        return found.uri if found else ""


@pytest.fixture
def workspace(monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace without chats."""
    return Workspace(monkeypatch)


def test_a_new_chat_is_in_use_at_once(workspace: Workspace) -> None:
    """However lately another was written."""
    assert workspace.chat() == ""
    assert [workspace.write(name) for name in ("a", "a", "b", "c", "c")] == ["a", "a", "b", "c", "c"]


def test_chats_that_are_written_in_turn_do_not_take_turns(workspace: Workspace) -> None:
    """One of two stays in use while both are written each second."""
    shown = [workspace.write(name) for name in "ab" * 20]
    assert shown[:2] == ["a", "b"]
    assert set(shown[1:]) == {"b"}


def test_who_returns_to_a_chat_sees_it(workspace: Workspace) -> None:
    """A chat that was left comes back when the other one is quiet, be it written later or not."""
    for name in "ab":
        workspace.write(name)
    assert workspace.write("a") == "b"
    workspace.now += round(module.QUIET) * SECOND
    assert workspace.chat() == "a"
    assert workspace.write("b", module.QUIET + 1) == "b"


def test_a_chat_that_is_gone_makes_room(workspace: Workspace) -> None:
    """Where the chat in use is removed the next one is; where none is left, it stays as the last one."""
    for name in "ab":
        workspace.write(name)
    del workspace.written["b"]
    assert workspace.chat() == "a"
    workspace.written.clear()
    assert workspace.chat() == "a"


def test_not_every_look_looks_around() -> None:
    """Between two looks at all chats there is a second."""
    looked: list[int] = []

    def newest() -> list[Recent]:
        looked.append(1)
        return [Recent(1, "a", "a", "", "")]

    in_use = InUse(newest)
    in_use.settle(in_use.newest()[0])
    for _ in range(50):
        assert in_use.chat() is not None
    assert len(looked) == 1
