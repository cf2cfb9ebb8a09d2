"""The server of one client: its life, its streams, its commands, and the process that it works for."""

from __future__ import annotations

import asyncio
import gc
import io
import json
import logging
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO, cast

import pytest
from pygls.exceptions import FeatureRequestError

from compact_chat.errors import CompactChatError, InvalidParams
from compact_chat.operations import Job
from compact_chat.serve import server as module
from compact_chat.serve import tcp
from compact_chat.serve.client import Tokens, tokens_of
from compact_chat.serve.rpc import frame, read_message
from compact_chat.serve.server import ChatServer, process_ended, read_command, windows_life_of
from compact_chat.serve.tcp import TcpServer, listen
from tests.samples.hostile.requests import GREETINGS


class Session:
    """A server, what it sends, and the codes it would leave with."""

    def __init__(self) -> None:
        self.codes: list[int] = []
        self._outgoing = io.BytesIO()
        self._outgoing.close = lambda: None  # type: ignore[method-assign]  # the test reads it after the end
        self.server = ChatServer(cast("BinaryIO", self._outgoing), self.codes.append, lambda _: None)

    async def messages(self) -> list[dict[str, Any]]:
        """End, and give all that was sent."""
        await self.server.close()
        await self.server.writing
        return [json.loads(one[one.index(b"{") :]) for one in self._outgoing.getvalue().split(b"Content-Length")[1:]]

    def take(self, **message: Any) -> None:
        """Give the server a message."""
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.server.receive(read_message(body), body)


async def test_an_operation_is_answered_once_however_it_ends(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Results, failures, cancellations by id or token, and refusals are each one answer, logged without their text."""

    async def perform(_: str, params: dict[str, Any], job: Job) -> dict[str, Any]:
        if "wait" in params:
            await asyncio.sleep(60)
        if "fail" in params:
            raise ValueError("secret")
        job.check()
        return {"result": "secret"}

    monkeypatch.setattr(module, "perform", perform)
    monkeypatch.setattr(module, "MAX_CALLS", 5)
    caplog.set_level(logging.INFO, "compact_chat")
    session, method = Session(), "compactChat/preview"
    declared = {"compactChat": {"languageModels": True}}
    session.take(id=0, method="initialize", params={"processId": os.getpid(), "initializationOptions": declared})
    session.take(id=1, method=method, params={"workDoneToken": "w"})
    session.take(id=2, method=method, params={"fail": 1})
    session.take(id="x", method=method, params={"wait": 1})
    session.take(id=4, method=method, params={"wait": 1, "workDoneToken": "t"})
    session.take(id=5, method="workspace/executeCommand", params={"command": "compactChat.preview"})
    session.take(id=6, method=method, params={})
    session.take(id=7, method="secret", params={})
    session.take(method="$/cancelRequest", params={"id": "x"})
    session.take(method="window/workDoneProgress/cancel", params={"token": "t"})
    await asyncio.sleep(0.05)
    session.take(id=8, method=method, params={})
    await asyncio.sleep(0.05)
    monkeypatch.setattr(module, "MAX_BYTES", 10)
    session.take(id=9, method=method, params={})
    session.take(method="workspace/didChangeConfiguration", params={"settings": {"compactChat": {"style": 5}}})

    answers = {one["id"]: one for one in await session.messages() if "id" in one}
    codes = {number: one["error"]["code"] for number, one in answers.items() if "error" in one}
    assert codes == {2: -32603, "x": -32800, 4: -32800, 6: -32047, 7: -32601, 9: -32047}
    assert [answers[number]["result"] for number in (1, 5, 8)] == [{"result": "secret"}] * 3
    assert len([line for line in caplog.messages if "-> answer" in line]) == len(answers) == 10
    for line in (f"<- request {method} id=1 ", f"answer {method} id=1 result ", f"answer {method} id=2 internal "):
        assert line in caplog.text
    assert "client=1 -> $/progress bytes=" in caplog.text
    assert (session.server.client.language_models, session.codes) == (True, [])
    assert "secret" not in caplog.text


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # sockets are closed with the last reference to their files
async def test_only_a_client_with_the_token_gets_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who shows the token first is served; other requests are answered with an error, and the rest gets no byte."""
    monkeypatch.setattr(tcp, "GRACE", 0.05)
    listener = listen("127.0.0.1:0")
    accepting = asyncio.create_task(TcpServer("right").accept(listener))

    def message(token: str = "right", method: str = "initialize", **more: Any) -> bytes:
        params = {"initializationOptions": {"compactChat": {"token": token}}}
        return frame(json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode())

    async def call(data: bytes) -> list[Any]:
        def ask() -> bytes:
            with socket.create_connection(listener.getsockname()) as link:
                link.sendall(data)
                link.settimeout(10)
                return b"".join(iter(lambda: link.recv(2**16), b""))

        received = await asyncio.to_thread(ask)
        answers = [json.loads(one[one.index(b"{") :]) for one in received.split(b"Content-Length")[1:]]
        return [(one["id"], one.get("error", {}).get("code")) for one in answers]

    later = message(method="shutdown", id=2) + message(method="exit")
    assert await call(message(id=1) + later) == [(1, None), (2, None)]
    assert await call(b"Content-Type: x\r\n" + message(id=1) + later) == [(1, None), (2, None)]
    assert await call(message("wrong", id=1) + later) == [(1, -32600)]
    assert await call(message(method="shutdown", id=1)) == [(1, -32002)]
    assert await call(frame(b"{")) == [(None, -32700)]
    for data in (message(), b"GET / HTTP/1.1\r\n\r\n", b"Content-Length: 999999\r\n\r\n", b"Content-Length: x\r\n"):
        assert await call(data) == []
    with monkeypatch.context() as patch:  # silence, half a header and half a body are not waited for any longer
        patch.setattr(tcp, "PATIENCE", 0.05)
        for data in (b"", message(id=1)[:9], message(id=1)[:99]):
            assert await call(data) == []
    monkeypatch.setattr(tcp, "MAX_CLIENTS", 0)
    assert await call(message(id=1)) == [(1, -32047)]
    await asyncio.sleep(0.1)  # as long as a refused client may read its answer
    accepting.cancel()
    listener.close()
    gc.collect()


async def test_what_fails_within_pygls_is_logged_by_its_place(caplog: pytest.LogCaptureFixture) -> None:
    """An error that pygls reports is neither shown in the editor nor quoted in the log."""
    session = Session()
    session.server.report_server_error(ValueError("secret"), FeatureRequestError)
    assert caplog.messages == ["FeatureRequestError failed: ValueError at no place"]
    assert await session.messages() == []


async def test_a_failure_of_initialize_is_internal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where pygls fails over its part, the answer says nothing of it, and the server is not initialized."""
    session = Session()
    with monkeypatch.context() as patch:
        patch.setattr("pygls.protocol.language_server.Workspace", lambda *_: int("secret"))
        session.take(id=1, method="initialize", params={})
    session.take(id=2, method="shutdown")
    session.take(id=3, method="initialize")
    messages = await session.messages()
    assert [one.get("error", {}).get("code") for one in messages] == [-32603, -32002, None]
    assert "secret" not in str(messages)


async def test_each_phase_has_its_order() -> None:
    """`exit` leaves with 1 before `shutdown` and with 0 behind it; notifications out of their time are ignored."""
    session = Session()
    session.take(method="initialized")
    session.take(id=1, method="initialize", params={})
    session.take(method="exit")
    session.take(id=2, method="shutdown")
    session.take(method="workspace/didChangeConfiguration", params={"settings": {"compactChat": {}}})
    session.take(method="exit")
    messages = await session.messages()
    assert session.codes == [1, 0]
    assert [one["id"] for one in messages] == [1, 2]
    assert messages[1] == {"jsonrpc": "2.0", "id": 2, "result": None}


@pytest.mark.parametrize("place", range(len(GREETINGS)))
async def test_an_odd_greeting_is_taken(place: int) -> None:
    """No client is refused for what its `initialize` holds beside the few members that are needed."""
    session = Session()
    session.take(id=1, method="initialize", params=GREETINGS[place])
    session.take(method="initialized", params={})
    session.take(id=2, method="compactChat/nonsense")
    answers = [one for one in await session.messages() if "method" not in one]
    assert answers[0]["result"]["serverInfo"]["name"] == "compact-chat"
    assert answers[1]["error"]["code"] == -32601


class Breaking(io.RawIOBase):
    """A stream that is reset while it is read."""

    def readinto(self, _: Any) -> int:
        """Fail."""
        raise ConnectionResetError

    def readable(self) -> bool:
        """Say that it can be tried."""
        return True


@pytest.mark.parametrize("data", [b"", frame(b'{"jsonrpc":"2.0","id":1,"method":"m"}') * 3, frame(b"[]")[:-1], None])
def test_each_message_is_served_and_then_the_end(data: bytes | None) -> None:
    """Messages are answered in their order, then the session ends, also where the stream breaks."""
    outgoing = io.BytesIO()
    outgoing.close = lambda: None  # type: ignore[method-assign]  # the test reads it after the end
    incoming = io.BufferedReader(Breaking()) if data is None else io.BytesIO(data)

    async def story() -> int:
        left: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        server = ChatServer(cast("BinaryIO", outgoing), left.set_result, lambda _: None)
        server.read(cast("BinaryIO", incoming))
        code = await left
        await server.close()
        await server.writing
        return code

    assert asyncio.run(story()) == 0
    outgoing.seek(0)
    answers = [json.loads(one.partition(b"\r\n\r\n")[2]) for one in outgoing.read().split(b"Content-Length")[1:]]
    assert [one["error"]["code"] for one in answers] == [-32002] * (data or b"").count(b"}")


KNOWN = ("count",)


@pytest.mark.parametrize("arguments", [None, [], [None], [{"a": 1, "workDoneToken": "w"}]])
def test_the_one_argument_is_the_params(arguments: list[Any] | None) -> None:
    """A command has the name and the params of its request; missing, null and empty arguments mean none."""
    params = (arguments or [None])[0] or {}
    assert read_command({"command": "compactChat.count", "arguments": arguments}, KNOWN) == ("count", params)
    assert read_command({"command": "compactChat.count"}, KNOWN) == ("count", {})


def test_a_token_of_the_command_comes_first() -> None:
    """A token of the command itself is taken before one inside its argument."""
    assert tokens_of({"workDoneToken": "out"}, {"workDoneToken": "in", "partialResultToken": 0}) == Tokens("out", 0)


@pytest.mark.parametrize(
    ("name", "arguments", "path"),
    [
        *(("compactChat.count", one, f"$.arguments{at}") for one, at in (([5], "[0]"), ([{}, {}], ""), ({}, ""))),
        *(
            (name, None, "$.command")
            for name in ("count", "compactChat/count", "compactChat.", "compactChat.x", None, 5)
        ),
    ],
)
def test_other_commands_are_refused(name: Any, arguments: Any, path: str) -> None:
    """A command has one object at most, and any name but those of operations is wrong params."""
    with pytest.raises(InvalidParams) as caught:
        read_command({"command": name, "arguments": arguments}, KNOWN)
    assert [problem["path"] for problem in caught.value.data["problems"]] == [path]


UNKNOWN = [0, -1, 2**22 + 1, 2**70]
WAYS = ["the system's", "looks", "looks for want of more"] if sys.platform == "linux" else ["looks"]


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Watch as the system offers it, or by looking again and again, as where it offers nothing."""
    monkeypatch.setattr(module, "EVERY", 0.01)
    if request.param == "looks":

        def refuse(_: int) -> int:
            raise PermissionError

        monkeypatch.setattr(os, "pidfd_open", refuse, raising=False)
    if request.param == "looks for want of more":  # some builds of Python lack the function
        monkeypatch.delattr(os, "pidfd_open")


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    """A process that lives until its input ends."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


@pytest.mark.usefixtures("way")
async def test_the_end_of_a_process_is_noticed(process: subprocess.Popen[bytes]) -> None:
    """The wait ends once the process has ended, and not before."""
    ended = asyncio.create_task(process_ended(process.pid))
    await asyncio.sleep(0.05)
    assert not ended.done()
    process.kill()
    await asyncio.to_thread(process.wait)
    async with asyncio.timeout(10):
        await ended


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system does not tell")
async def test_a_process_that_nobody_buries_is_gone(process: subprocess.Popen[bytes]) -> None:
    """The end counts, though the exit code was not fetched."""
    ended = asyncio.create_task(process_ended(process.pid))
    await asyncio.sleep(0)
    process.kill()
    async with asyncio.timeout(10):
        await ended
    assert process.returncode is None


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("number", UNKNOWN)
async def test_an_unknown_process_is_never_gone(number: int) -> None:
    """Numbers of no process, and those that would mean whole groups, are waited for in vain."""
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(process_ended(number), 0.05)


class Kernel:
    """Windows' own functions on processes, of which one runs."""

    def __init__(self, running: int) -> None:
        self.running: set[int] = {running}

    def OpenProcess(self, access: int, inherits: bool, number: int) -> int:  # noqa: N802 -- Windows' name
        """Give a handle, or 0."""
        assert (access, inherits) == (0x0010_0000, False)
        return number * 4 if number in self.running else 0

    def WaitForSingleObject(self, handle: int, milliseconds: int) -> int:  # noqa: N802 -- Windows' name
        """Say whether it still runs, without waiting."""
        assert milliseconds == 0
        return 0x102 if handle // 4 in self.running else 0


def test_windows_is_asked_by_a_handle() -> None:
    """A process lives until Windows says it has ended; one that cannot be opened does not."""
    kernel = Kernel(running=44)
    lives = windows_life_of(44, kernel)
    assert lives()
    assert not windows_life_of(45, kernel)()
    assert not windows_life_of(2**70, kernel)()
    kernel.running.clear()
    assert not lives()


@pytest.mark.parametrize("address", ["127.0.0.1:0", "localhost:0", "127.9.8.7:0"])
def test_addresses_of_this_machine_are_taken(address: str) -> None:
    """A port is picked at an address of this machine."""
    with listen(address) as taken:
        assert taken.getsockname()[0].startswith("127.")
        assert taken.getsockname()[1] > 0


@pytest.mark.parametrize(
    "address",
    [
        *("0.0.0.0:0", "[::]:0", ":0", "*:0", "0:0", "192.168.0.1:0", "[fe80::1]:0", "[::ffff:192.0.2.2]:0"),
        *("example.org:0", "127.example.org:0", "256.0.0.1:0", "user@127.0.0.1:0", "tcp://127.0.0.1:0", "[x]:0"),
        *("", "127.0.0.1", "127.0.0.1:", "::1:0", "[::1:0", "1:2:3", "127.0.0.1:65536", "127.0.0.1:-1"),
        *("127.0.0.1:http", "127.0.0.1:1_0", "127.0.0.1:٣", "127.0.0.1:0\n", "127.0.0.1: 0"),
    ],
)
def test_other_addresses_are_refused(address: str) -> None:
    """Nothing that another machine could reach, and nothing that is no address."""
    with pytest.raises(InvalidParams, match="expected HOST:PORT"):
        listen(address)


def test_a_port_in_use_is_told_in_a_sentence() -> None:
    """Where the port is taken, the sentence says so and names it."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(CompactChatError, match=rf"Nothing can listen at 127\.0\.0\.1, port {port}: "):
            listen(f"127.0.0.1:{port}")
