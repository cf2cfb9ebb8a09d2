"""Half an hour of an editor's traffic, as fast as the server answers, leaves it as it was after ten minutes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.editor import Editor
from tests.servers.processes import children, needs_proc, open_files, resident, seconds_until_quiet, thread_states
from tests.servers.wire_client import WireClient

pytestmark = needs_proc

TURNS, SIZE = 180, 60_000  # of the chat after two hours; the benchmark lives so long, with a megabyte
FIRST, LAST = 600, 1800  # seconds after which all that is ever loaded has been, and at the end
GROWTH = 5.0  # MiB, with all that is remembered of a chat so small; half of what is promised, so that less can hide


@pytest.fixture
def client() -> Iterator[WireClient]:
    """The real server, in a process of its own."""
    client = WireClient()
    yield client
    client.close()


def test_half_an_hour_leaves_the_server_as_it_was(client: WireClient, tmp_path: Path) -> None:
    """Memory does not grow, no file, process or work is left, only frames were sent, and it leaves when asked."""
    number, editor = client.process.pid, Editor(client, tmp_path / "chat.jsonl", TURNS, SIZE)
    states = []
    for second in editor.live(LAST):
        if second in (FIRST, LAST):
            seconds_until_quiet(number)
            states.append((resident(number), open_files(number)))

    (memory, files), (memory_now, files_now) = states
    assert memory_now - memory < GROWTH
    assert files_now == files
    assert children(number) == []
    assert set(thread_states(number)) == {"S"}
    assert client.stray == []
    assert client.log == []
    assert client.call("shutdown") is None
    client.notify("exit", None)
    assert client.end() == 0
