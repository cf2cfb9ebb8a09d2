"""A session's order: initialize, work, shutdown, exit; every way in which it can end; and clients that do not read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from compact_chat.serve.rpc import read_body
from tests.servers.processes import needs_proc, within
from tests.servers.wire_client import FAKE, WireClient, framed

Start = Callable[[], WireClient]
WORK = ("compactChat/wait", {"workDoneToken": "w"})
HELLO = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals and pipes")


@pytest.fixture
def working(start: Start) -> WireClient:
    """A server with work in a thread that would take a minute."""
    client = start()
    client.initialize()
    client.start(*WORK)
    client.until(lambda one: one.get("method") == "$/progress")
    return client


def test_only_what_is_built_is_advertised(real: WireClient, start: Start) -> None:
    """`initialize` names the server, its commands and its card; documents are not asked for; it comes only once."""
    client = start()
    result = client.initialize()
    operations = result["capabilities"]["experimental"]["compactChat"]["operations"]
    assert set(result["capabilities"]) == {"textDocumentSync", "executeCommandProvider", "experimental"}
    assert result["capabilities"]["textDocumentSync"] == {"openClose": False, "change": 0}
    assert result["capabilities"]["executeCommandProvider"] == {
        "commands": [f"compactChat.{name}" for name in operations]
    }
    assert result["serverInfo"]["name"] == "compact-chat"
    assert real.error("compactChat/sleep")["code"] == -32601
    assert client.error("initialize", {"capabilities": {}})["data"] == {"kind": "invalidRequest"}


def test_exit_without_shutdown_gives_code_1(working: WireClient, start: Start) -> None:
    """`exit` alone ends the process with code 1, at any time and at once, whatever is under way."""
    new = start()
    for client in (working, new):
        client.notify("exit", None)
        assert client.end() == 1


def test_what_is_printed_goes_to_standard_error(start: Start) -> None:
    """A print, a write to descriptor 1 and the output of a child land in the log; standard input reads as empty."""
    client = start()
    client.initialize()
    assert client.call("compactChat/chatter") == {"read": ""}
    client.notify("exit", None)
    client.end()
    assert [line.strip() for line in client.log] == ["printed", "written", "by a child"]
    assert client.stray == []


def frames(*messages: dict[str, Any]) -> bytes:
    """Put messages into frames."""
    return b"".join(framed(json.dumps(message).encode()) for message in messages)


def request(number: int, name: str, **params: Any) -> dict[str, Any]:
    """Make a request of an operation."""
    return {"jsonrpc": "2.0", "id": number, "method": f"compactChat/{name}", "params": params}


@POSIX
def test_pipes_that_never_wait_are_waited_for() -> None:
    """Pipes in non-blocking mode serve like others: nothing is cut where they are empty or full."""
    (reads, requests), (answers, writes) = os.pipe(), os.pipe()
    os.set_blocking(reads, False)
    os.set_blocking(writes, False)
    with (
        subprocess.Popen(FAKE, stdin=reads, stdout=writes) as process,
        os.fdopen(requests, "wb") as target,
        os.fdopen(answers, "rb") as source,
    ):
        os.close(reads)
        os.close(writes)
        target.write(frames(HELLO, request(1, "large", characters=10**6)))
        target.flush()
        _, answer = read_body(source), read_body(source)
        assert isinstance(answer, bytes)
        assert json.loads(answer)["result"] == {"text": "é" * 10**6}
        target.close()
        assert process.wait(60) == 0


@pytest.fixture
def piped() -> Iterator[subprocess.Popen[bytes]]:
    """A server whose output nobody reads yet."""
    pipe = subprocess.PIPE
    with subprocess.Popen(FAKE, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        yield process
        process.kill()


def write(process: subprocess.Popen[bytes], data: bytes) -> None:
    """Send bytes."""
    assert process.stdin is not None
    process.stdin.write(data)
    process.stdin.flush()


@POSIX
@pytest.mark.parametrize(("characters", "pad"), [(10**6, "x" * 10**6), (10**7, "")], ids=["within", "beyond"])
def test_who_reads_nothing_may_still_write_and_leave(piped: subprocess.Popen[bytes], characters: int, pad: str) -> None:
    """Within the limit of unread answers large requests are taken; beyond it the end of the input is seen too."""
    write(piped, frames(HELLO, *[request(1, "large", characters=characters, pad=pad)] * 7, request(9, "echo")))
    assert piped.stdin is not None
    piped.stdin.close()
    assert piped.wait(60) == 0


def test_a_client_that_closes_its_end_of_the_output_ends_the_process(piped: subprocess.Popen[bytes]) -> None:
    """Where nobody can read the output any more, the process ends, though its input stays open."""
    assert piped.stdout is not None
    piped.stdout.close()
    write(piped, frames(HELLO))
    assert piped.wait(60) == 0


def test_a_log_that_nobody_reads_holds_up_nothing(piped: subprocess.Popen[bytes]) -> None:
    """Where standard error is full, failures are dropped, requests answered, and the end of the input obeyed."""
    assert piped.stdout is not None
    assert piped.stdin is not None
    write(piped, frames(HELLO, *(request(number, "fail") for number in range(1, 3000))))
    piped.stdin.close()
    assert piped.stdout.read().count(b'"id":') > 0
    assert piped.wait(60) == 0


@needs_proc
def test_a_large_message_is_not_kept(start: Start) -> None:
    """After a message of megabytes the memory is back, though nothing else has come."""
    client = start()
    client.initialize()
    client.call("compactChat/echo", {})
    before = client.memory()
    client.answer(client.start("compactChat/unknown", {"list": [[]] * 1_000_000}))
    within(60, lambda: client.memory() < before + 30 * 2**20)
