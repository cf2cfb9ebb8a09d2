"""Where a server listens over TCP, the one line that it prints, and how it ends."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.servers.processes import needs_proc
from tests.servers.tcp_server import FAKE_SERVE, TcpClient, TcpServer, one_sentence, request, serve
from tests.servers.wire_client import SERVE

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")

ANSWERING = [f"answering {time}" for time in range(3)]  # a signal that comes just then is easily lost


@pytest.fixture
def server() -> Iterator[TcpServer]:
    """A server with the fake operations that a test may end."""
    with TcpServer() as server:
        yield server


def numeric(host: str) -> str:
    """Give an address of this machine as numbers, or skip where the machine has none."""
    address = host.strip("[]").replace("localhost", "127.0.0.1")
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family) as probe:
            probe.bind((address, 0))
    except OSError:
        pytest.skip(f"this machine has no {address}")
    return address


@pytest.mark.parametrize("host", ["localhost", "127.0.0.2", "[0:0:0:0:0:0:0:1]"])
def test_it_listens_at_addresses_of_this_machine(host: str) -> None:
    """The line names the address as numbers and the port that was picked, and clients are served there."""
    address = numeric(host).replace("0:0:0:0:0:0:0:1", "::1")
    with TcpServer(where=f"{host}:0") as server:
        assert (server.host, server.port > 0) == (address, True)
        assert server.client().call("compactChat/echo", {"a": 1}) == {"a": 1}


@pytest.mark.parametrize("where", ["0.0.0.0:0", "127.0.0.1"])
def test_anything_else_is_wrong_usage(where: str) -> None:
    """An address that is not surely this machine's, and anything that is none, gives code 2 and one sentence."""
    reported = serve("--tcp", where)
    assert reported.returncode == 2
    assert one_sentence(reported), reported


def test_a_given_port_is_taken_again_at_once(server: TcpServer) -> None:
    """A server listens at the port that it is given, also right after one that was ended with clients connected."""
    server.client()
    server.end()
    with TcpServer(where=f"localhost:{server.port}") as second:
        assert second.port == server.port
        second.client()


def test_the_first_line_is_all_that_is_printed(server: TcpServer) -> None:
    """One line of JSON with two members; what libraries and children print afterwards goes to standard error."""
    assert server.client().call("compactChat/chatter") == {"read": ""}
    server.end()
    assert server.printed[0].endswith(b"}\n")
    assert set(json.loads(server.printed[0])) == {"listening", "token"}
    assert len(server.printed) == 1
    assert [line.strip() for line in server.log] == ["printed", "written", "by a child"]


def test_nobody_needs_to_listen_to_what_it_prints() -> None:
    """The starter may close its ends of the pipes after the first line; the server serves on, and fails in silence."""
    pipe = subprocess.PIPE
    with subprocess.Popen([*FAKE_SERVE, "--tcp", "127.0.0.1:0"], stdout=pipe, stderr=pipe) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        reported = json.loads(process.stdout.readline())
        process.stdout.close()
        process.stderr.close()
        with TcpClient(socket.create_connection(("127.0.0.1", urlsplit(reported["listening"]).port))) as client:
            client.initialize(initializationOptions={"compactChat": {"token": reported["token"]}})
            assert client.error("compactChat/fail", {})["data"] == {"kind": "internal"}
            assert client.call("compactChat/echo", {"a": 1}) == {"a": 1}
        process.terminate()
        assert process.wait(60) == 0


@needs_proc
def test_the_token_is_told_nowhere_else(tmp_path: Path) -> None:
    """Each start has a token of its own that cannot be guessed, and no other user can see it in the process table."""
    log = tmp_path / "log"
    with TcpServer("--log-file", str(log), command=SERVE) as one, TcpServer() as other:
        assert one.token != other.token
        assert re.fullmatch(r"[\w-]{32,}", one.token)
        one.answers_to(b"GET / HTTP/1.1\r\n\r\n")
        client = one.client()
        seen = [Path(f"/proc/{one.process.pid}/{name}").read_text() for name in ("cmdline", "environ")]
        one.end()
        assert one.token not in "".join([*seen, *one.log, log.read_text(), str(client.inbox)])


@POSIX
@pytest.mark.parametrize(
    ("number", "code", "way"),
    [*((signal.SIGTERM, 0, way) for way in ("idle", "working", "deaf", *ANSWERING)), (signal.SIGINT, 130, "working")],
)
def test_signals_end_it_and_all_connections(server: TcpServer, number: int, code: int, way: str) -> None:
    """SIGTERM ends with 0 and SIGINT with 130, at any moment and whoever does not read, without a word."""
    clients = [server.client(), server.client(), server.unauthenticated()]
    with server.link() as deaf:
        busy(clients[0], server, deaf, way)
        assert server.end(number) == code
    assert all(client.ended() for client in clients)
    assert all(client.stray == [] for client in clients)
    assert server.log == []


def busy(client: TcpClient, server: TcpServer, deaf: socket.socket, way: str) -> None:
    """Bring a server to the moment in which a signal is to come."""
    if way.startswith("answering"):
        client.call("compactChat/echo", {})
    if way == "working":
        client.start("compactChat/wait", {"workDoneToken": "w"})
        client.until(lambda one: one.get("method") == "$/progress")
    if way == "deaf":
        deaf.sendall(server.hello() + request("compactChat/large", {"characters": 5 * 10**6}))
        assert deaf.recv(100)
