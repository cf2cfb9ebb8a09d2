"""Standard output carries frames and nothing else, and a client that does not read holds up nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from compact_chat.serve.rpc import read_body
from tests.servers.wire_client import FAKE, WireClient, framed

HELLO = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}


def test_what_is_printed_goes_to_standard_error(start: Callable[[], WireClient]) -> None:
    """A print, a write to descriptor 1 and the output of a child land in the log; standard input reads as empty."""
    client = start()
    client.initialize()
    assert client.call("compactChat/chatter") == {"read": ""}
    client.notify("exit", None)
    client.end()
    assert [line.strip() for line in client.log] == ["printed", "written", "by a child"]
    assert client.stray == []


@pytest.mark.skipif(sys.platform == "win32", reason="there such pipes cannot be made")
def test_pipes_that_never_wait_are_waited_for() -> None:
    """Pipes in non-blocking mode serve like others: nothing is cut where they are empty or full."""
    (reads, requests), (answers, writes) = os.pipe(), os.pipe()
    os.set_blocking(reads, False)
    os.set_blocking(writes, False)
    large = {"jsonrpc": "2.0", "id": 1, "method": "compactChat/large", "params": {"characters": 10**6}}
    with (
        subprocess.Popen(FAKE, stdin=reads, stdout=writes) as process,
        os.fdopen(requests, "wb") as target,
        os.fdopen(answers, "rb") as source,
    ):
        os.close(reads)
        os.close(writes)
        for message in (HELLO, large):
            target.write(framed(json.dumps(message).encode()))
        target.flush()
        _, answer = read_body(source), read_body(source)
        assert isinstance(answer, bytes)
        assert json.loads(answer)["result"] == {"text": "é" * 10**6}
        target.close()
        assert process.wait(20) == 0


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    """A server whose output nobody reads."""
    with subprocess.Popen(FAKE, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield process
        process.kill()


def write(process: subprocess.Popen[bytes], times: int) -> None:
    """Initialize, and ask for large answers with large requests."""
    assert process.stdin is not None
    params = {"characters": 10**6, "pad": "x" * 10**6}
    large = {"jsonrpc": "2.0", "id": 1, "method": "compactChat/large", "params": params}
    for message in (HELLO, *[large] * times):
        process.stdin.write(framed(json.dumps(message).encode()))
    process.stdin.flush()


def test_a_client_that_does_not_read_can_still_write(process: subprocess.Popen[bytes]) -> None:
    """Large requests are all taken though nobody fetches the answers, and the end of input is heard."""
    write(process, times=4)
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(20) == 0


def test_a_client_that_closes_its_ear_ends_the_process(process: subprocess.Popen[bytes]) -> None:
    """Where nobody can read the output any more, the process ends, though its input stays open."""
    assert process.stdout is not None
    process.stdout.close()
    write(process, times=0)
    assert process.wait(20) == 0
