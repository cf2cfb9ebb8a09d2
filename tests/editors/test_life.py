"""A server never outlives its editor, however that leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.editors.driven import Driven
from tests.servers.processes import Watched, children, needs_proc
from tests.servers.wire_client import SERVE

AT_MOST = 20.0  # seconds; `bench_life.py` holds ends to the two that are promised

pytestmark = needs_proc


@pytest.fixture
def editor(run: Callable[..., Driven], name: str, chat: Path) -> Driven:
    """An editor of the test's own, which has started the server itself."""
    editor = run(name)
    editor.start(chat, SERVE)
    return editor


@pytest.fixture
def server(editor: Driven) -> Iterator[Watched]:
    """The server's process; one that a test has failed to end is ended here."""
    [number] = children(editor.process.pid)
    watched = Watched(number)
    yield watched
    watched.kill()


def test_stopping_the_server_ends_it(editor: Driven, server: Watched) -> None:
    """What the editor does to stop a server, `shutdown` and `exit` as it knows them, leaves no process behind."""
    editor.say("stop")
    stopped = editor.until(lambda one: one["event"] == "stopped")

    assert server.seconds_until_gone(AT_MOST) < AT_MOST
    assert stopped.get("code", 0) == 0
    assert children(editor.process.pid) == []


def test_leaving_the_editor_ends_the_server(editor: Driven, server: Watched) -> None:
    """Whoever quits the editor with a server under way leaves no process behind, and does not wait for it."""
    editor.say("quit")
    editor.process.wait(60)

    assert server.seconds_until_gone(AT_MOST) < AT_MOST


def test_the_server_goes_with_a_killed_editor(editor: Driven, server: Watched, large: Path) -> None:
    """An editor that is killed takes its server along, also in the middle of work."""
    editor.ask("compactChat/summarize", {"chat": {"uri": large.as_uri()}, "workDoneToken": "busy"})
    editor.until(lambda one: one["event"] == "progress" and one["value"]["kind"] == "report")
    editor.kill()

    assert server.seconds_until_gone(AT_MOST) < AT_MOST
