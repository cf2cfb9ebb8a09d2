"""A server never outlives its editor, however the editor ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.editors.driven import Driven
from tests.servers.processes import Watched, children, needs_proc
from tests.servers.wire_client import SERVE

AT_MOST = 20.0  # seconds; `bench_life.py` enforces the promised two

pytestmark = needs_proc


@pytest.fixture
def editor(run: Callable[..., Driven], name: str, chat: Path) -> Driven:
    """A fresh editor that started the server itself."""
    editor = run(name)
    editor.start(chat, SERVE)
    return editor


@pytest.fixture
def server(editor: Driven) -> Iterator[Watched]:
    """The server's process; killed at the end if a test did not."""
    [number] = children(editor.process.pid)
    watched = Watched(number)
    yield watched
    watched.kill()


def test_stopping_the_server_ends_it(editor: Driven, server: Watched) -> None:
    """Stopping a server from the editor, with its own `shutdown` and `exit`, leaves no process."""
    editor.say("stop")
    stopped = editor.until(lambda one: one["event"] == "stopped")

    assert server.seconds_until_gone(AT_MOST) < AT_MOST
    assert stopped.get("code", 0) == 0
    assert children(editor.process.pid) == []


def test_leaving_the_editor_ends_the_server(editor: Driven, server: Watched) -> None:
    """Quitting the editor while a server is running leaves no process, and does not wait for it."""
    editor.say("quit")
    editor.process.wait(60)

    assert server.seconds_until_gone(AT_MOST) < AT_MOST


def test_the_server_goes_with_a_killed_editor(editor: Driven, server: Watched, large: Path) -> None:
    """Killing an editor ends its server, even in the middle of work."""
    editor.ask("compactChat/summarize", {"chat": {"uri": large.as_uri()}, "workDoneToken": "busy"})
    editor.until(lambda one: one["event"] == "progress" and one["value"]["kind"] == "report")
    editor.kill()

    assert server.seconds_until_gone(AT_MOST) < AT_MOST
