"""A session's order: initialize, work, shutdown, exit; and every way in which it can end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.servers.wire_client import WireClient

Start = Callable[[], WireClient]
WORK = ("compactChat/wait", {"workDoneToken": "w"})


@pytest.fixture
def working(start: Start) -> WireClient:
    """A server with work in a thread that would take a minute."""
    client = start()
    client.initialize()
    client.start(*WORK)
    client.until(lambda one: one.get("method") == "$/progress")
    return client


@pytest.mark.parametrize(
    "way",
    [
        ("compactChat/echo", {}),
        ("workspace/executeCommand", {"command": "compactChat.echo"}),
        ("shutdown", None),
        ("compactChat/nonsense", [1]),
    ],
    ids=str,
)
def test_before_initialize_nothing_else_is_served(start: Start, way: tuple[str, Any]) -> None:
    """Any request before `initialize` is -32002; `initialize` is served afterwards."""
    client = start()
    client.notify("initialized", {})
    error = client.error(*way)
    assert (error["code"], error["data"]) == (-32002, {"kind": "notInitialized"})
    assert client.initialize()["serverInfo"]["name"] == "compact-chat"


def test_a_second_initialize_is_refused(client: WireClient) -> None:
    """The second `initialize` is -32600."""
    error = client.error("initialize", {"capabilities": {}})
    assert (error["code"], error["data"]) == (-32600, {"kind": "invalidRequest"})


def test_wrong_params_of_initialize_are_told_by_path(start: Start) -> None:
    """What the server uses of `initialize` is checked and told without its value; the client may try again."""
    client = start()
    error = client.error("initialize", {"processId": "secret", "capabilities": {}})

    assert (error["code"], error["data"]["kind"]) == (-32602, "invalidParams")
    assert [problem["path"] for problem in error["data"]["problems"]] == ["$.processId"]
    assert "secret" not in str(error)
    client.initialize()


def test_an_editor_that_is_newer_than_we_know_is_welcome(start: Start) -> None:
    """Members of `initialize` that the server does not use may hold anything."""
    newer = {"workspace": {"workspaceEdit": {"failureHandling": "magic"}}, "general": 5}

    told = start().call("initialize", {"capabilities": newer, "clientInfo": {}, "trace": "compact"})

    assert told["serverInfo"]["name"] == "compact-chat"


@pytest.mark.parametrize("params", [{}, None, {"capabilities": None, "initializationOptions": None}], ids=str)
def test_initialize_needs_nothing(start: Start, params: Any) -> None:
    """Params of `initialize` that are missing or null are none."""
    assert start().call("initialize", params)["serverInfo"]["name"] == "compact-chat"


def test_the_greeting_reaches_the_desk(start: Start) -> None:
    """`initializationOptions.compactChat` comes to the desk as it was sent."""
    client = start()
    greeting = {"capabilities": {"jsonrpc": "2.0", "class": [1]}}
    client.initialize(initializationOptions={"compactChat": greeting, "jsonrpc": "2.0"})
    assert client.call("compactChat/desk")["greeting"] == greeting


def test_after_shutdown_requests_are_refused(start: Start) -> None:
    """A request after `shutdown` is -32600; `exit` then gives code 0."""
    client = start()
    client.initialize()
    assert client.call("shutdown") is None
    for way in (
        ("compactChat/echo", {}),
        ("workspace/executeCommand", {"command": "compactChat.echo"}),
        ("shutdown", None),
    ):
        error = client.error(*way)
        assert (error["code"], error["data"]) == (-32600, {"kind": "invalidRequest"})
    client.notify("exit", None)
    assert client.end() == 0


def test_exit_without_shutdown_gives_code_1(working: WireClient) -> None:
    """`exit` alone ends the process with code 1, at once, whatever is under way."""
    working.notify("exit", None)
    assert working.end() == 1


def test_exit_before_initialize_gives_code_1(start: Start) -> None:
    """`exit` is obeyed at any time."""
    client = start()
    client.notify("exit", None)
    assert client.end() == 1


def test_the_end_of_input_ends_the_process(working: WireClient) -> None:
    """Where the input ends the process ends, though a thread is at work."""
    working.stdin.close()
    assert working.end() == 0


def test_input_may_end_within_a_message(start: Start) -> None:
    """A cut message ends like any other input."""
    client = start()
    client.initialize()
    client.raw(b'Content-Length: 100\r\n\r\n{"jsonrpc"')
    client.stdin.close()
    assert client.end() == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_signals_end_the_process_quietly(working: WireClient, number: int, code: int) -> None:
    """SIGTERM ends with 0 and SIGINT with 130, without a word."""
    working.process.send_signal(number)
    assert working.end() == code
    assert working.log == []


@pytest.fixture
def editor() -> Iterator[subprocess.Popen[bytes]]:
    """A process that stands for the editor."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


def test_the_server_ends_with_the_editor(start: Start, editor: subprocess.Popen[bytes]) -> None:
    """Where the process of `processId` ends, the server ends, though its input stays open and a thread is at work."""
    client = start()
    client.initialize(processId=editor.pid)
    client.start(*WORK)
    editor.kill()
    editor.wait()
    assert client.end() == 0


@pytest.mark.parametrize("number", [2**22 + 1, 2**70, -1, 0])
def test_an_unknown_process_is_not_watched(start: Start, number: int) -> None:
    """A `processId` of another machine or container ends nothing."""
    client = start()
    client.initialize(processId=number)
    assert client.call("compactChat/echo", {"a": 1}) == {"a": 1}


def test_an_editor_that_lives_is_left_alone(start: Start) -> None:
    """While the process of `processId` runs, the server runs."""
    client = start()
    client.initialize(processId=os.getpid())
    assert client.call("compactChat/echo", {"a": 1}) == {"a": 1}
