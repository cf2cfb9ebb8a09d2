"""However it ends, at whatever moment, the server is gone and leaves nothing behind, nor half an answer."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.ends import (
    MARK,
    PATIENCE,
    WAYS,
    big_chat,
    die,
    faults,
    left_behind,
    private_places,
    session,
    trials,
    whole_messages,
)
from tests.servers.processes import Watched, children, marked, needs_proc, shared_memory, within
from tests.servers.wire_client import SERVE, WireClient, framed

pytestmark = needs_proc

TRIALS = 6  # each depth with and without an answer; `bench_life.py` has more, and holds ends to two seconds
LONG = 16_000_000  # characters that take several seconds to summarize
LARGE = 2_000_000  # of a character that takes two bytes
# A client that starts a server on its own input and output, and then does nothing for it.
STARTER = """
import subprocess, sys, time
subprocess.Popen(sys.argv[1:])
time.sleep(60)
"""


@pytest.mark.parametrize("way", WAYS)
def test_a_server_is_gone_and_leaves_nothing_behind(tmp_path: Path, way: str) -> None:
    """Killed at any moment from its start to the midst of work: gone, no process, no file, no half message."""
    chat, places = big_chat(tmp_path / "chat.jsonl"), tmp_path / "places"
    places.mkdir()
    env = private_places(places)

    deaths = [die(trial, env, chat) for trial in trials(way, TRIALS)]

    assert [fault for death in deaths for fault in faults(death, PATIENCE)] == []
    within(PATIENCE, lambda: not marked(env[MARK]))
    assert left_behind(env) == []


def test_a_client_that_died_before_its_number_was_read_is_missed() -> None:
    """Where `processId` names a parent that has just died, the server is gone, though its input stays open."""
    pipe = subprocess.PIPE
    with subprocess.Popen((sys.executable, "-I", "-S", "-c", STARTER, *SERVE), stdin=pipe, stdout=pipe) as starter:
        assert starter.stdin is not None
        assert starter.stdout is not None
        starter.stdin.write(framed(b"{}"))
        starter.stdin.flush()
        starter.stdout.readline()  # the server is there
        (server,) = children(starter.pid)
        starter.kill()
        starter.wait()
        watched = Watched(server)
        starter.stdin.write(session(1, Path("/"), starter.pid))
        starter.stdin.flush()
        assert watched.seconds_until_gone(PATIENCE) < PATIENCE
        starter.stdin.close()
        watched.kill()


def test_work_shares_no_memory_and_starts_no_process(tmp_path: Path) -> None:
    """What a killed process could not give back is never taken: no child, no shared memory, no named semaphore."""
    client = WireClient(SERVE)
    client.raw(session(2, big_chat(tmp_path / "chat.jsonl", LONG)))
    client.until(lambda one: one.get("method") == "$/progress")
    assert children(client.process.pid) == []
    assert shared_memory(client.process.pid) == []
    client.close()


def test_a_signal_amid_a_large_answer_lets_it_be_read() -> None:
    """The end waits for a client that reads: what it gets are whole messages, and nothing after them."""
    with large_answer() as server, _patience(server):
        output = _read(server, 2**20)
        server.send_signal(signal.SIGTERM)
        messages, rest = whole_messages(output + _read(server))

        assert server.wait() == 0
    assert rest == b""
    assert [one["id"] for one in messages] == [1, 2]
    assert messages[1]["result"]["message"].count("é") == LARGE


def test_a_signal_amid_an_answer_that_nobody_reads_ends_the_process() -> None:
    """Where the client has stopped reading the end waits for a moment only; the answer is cut, and nothing follows."""
    with large_answer() as server, _patience(server):
        output = _read(server, 2**20)
        server.send_signal(signal.SIGINT)

        assert server.wait(PATIENCE) == 130
        messages, rest = whole_messages(output + _read(server))
    assert [one["id"] for one in messages] == [1]
    assert rest.count(b"Content-Length") == 1


def large_answer() -> subprocess.Popen[bytes]:
    """Start a server whose second answer has 4 MB."""
    server = subprocess.Popen(SERVE, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin is not None
    asked = {"id": 2, "method": "compactChat/continuation", "params": {"summary": "é" * LARGE}}
    server.stdin.write(
        session(1, Path("/")) + framed(json.dumps({"jsonrpc": "2.0", **asked}, ensure_ascii=False).encode())
    )
    server.stdin.flush()
    return server


@contextlib.contextmanager
def _patience(server: subprocess.Popen[bytes]) -> Iterator[None]:
    """Kill a server that lives on, so that its output ends."""
    timer = threading.Timer(120, server.kill)
    timer.start()
    yield
    timer.cancel()


def _read(server: subprocess.Popen[bytes], size: int = -1) -> bytes:
    assert server.stdout is not None
    return server.stdout.read(size)
