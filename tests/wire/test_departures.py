"""Clients that leave, or stop listening, in the worst moment."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.servers.processes import needs_proc, resident, thread_states, within
from tests.servers.tcp_server import TcpServer
from tests.servers.wire_client import FAKE, WireClient, framed

HELLO = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}


def request(number: int, name: str, params: Any) -> dict[str, Any]:
    """Make a request of an operation."""
    return {"jsonrpc": "2.0", "id": number, "method": f"compactChat/{name}", "params": params}


def frames(*messages: dict[str, Any]) -> bytes:
    """Put messages into frames."""
    return b"".join(framed(json.dumps(message).encode()) for message in messages)


def test_a_log_that_nobody_reads_holds_up_nothing() -> None:
    """Where standard error is full, failures are dropped, requests answered, and the end of the input obeyed."""
    pipe = subprocess.PIPE
    with subprocess.Popen(FAKE, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(frames(HELLO, *(request(number, "fail", {}) for number in range(1, 3000))))
        process.stdin.close()
        answers = process.stdout.read().count(b'"id":')
        assert process.wait(20) == 0
    assert answers > 0


@pytest.mark.skipif(sys.platform == "win32", reason="there the end of a full client's input cannot be seen")
def test_who_reads_nothing_may_still_leave() -> None:
    """With more unread than the server waits for, the end of the input ends it all the same."""
    large = [request(number, "large", {"characters": 10**7}) for number in range(1, 8)]
    with subprocess.Popen(FAKE, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(frames(HELLO, *large, request(9, "echo", {})))
        process.stdin.close()
        assert process.wait(20) == 0


@needs_proc
def test_deaf_clients_leave_nothing_behind() -> None:
    """A client over TCP that left much unread and went away costs no thread and no memory any more."""
    with TcpServer() as server:
        with server.client() as first:
            first.call("compactChat/echo")
        number = server.process.pid
        before = len(thread_states(number)), resident(number)
        for _ in range(4):
            with server.link() as deaf:
                large = (request(at, "large", {"characters": 10**7}) for at in range(8))
                deaf.sendall(server.hello() + frames(*large))
                within(20, lambda: resident(number) > before[1] + 50)
        within(20, lambda: len(thread_states(number)) <= before[0])
        within(20, lambda: resident(number) < before[1] + 40)


@needs_proc
def test_a_large_message_is_not_kept(start: Callable[[], WireClient]) -> None:
    """After a message of megabytes the memory is back, though nothing else has come."""
    client = start()
    client.initialize()
    client.call("compactChat/echo", {})
    before = client.memory()
    client.answer(client.start("compactChat/unknown", {"list": [[]] * 1_000_000}))
    within(5, lambda: client.memory() < before + 30 * 2**20)
