"""Programs that share the machine: whatever they send to the port, they get nothing out of it and slow nobody."""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.servers.processes import needs_proc, open_files, thread_states, within
from tests.servers.tcp_server import SOON, TcpClient, TcpServer, p95, request
from tests.servers.wire_client import framed

PATIENCE, STRANGERS, MAX_FIRST = 10.0, 64, 2**18  # as PROTOCOL.md has them: seconds, connections, bytes
SMOOTH = 0.25  # seconds; generous, since the tests' own threads take turns with the client that is measured
STILL_SMOOTH = 2.0  # seconds that the slowest of thousands may take
STORM = """
import contextlib, json, socket, sys, time
port, ways, links = int(sys.argv[1]), [bytes.fromhex(one) for one in json.load(sys.stdin)], []
for number in range(2000):
    link = socket.socket()
    link.setblocking(False)  # a queue that is full holds up nobody here
    link.connect_ex(("127.0.0.1", port))
    with contextlib.suppress(OSError):
        link.send(ways[number % len(ways)])
    links.append(link)
    if len(links) > 100:
        links.pop(0).close()
    time.sleep(0.0005)
"""
LINES = b"Host: 127.0.0.1\r\nOrigin: http://page.example\r\nContent-Type: text/plain\r\n"


class Waiting(NamedTuple):
    """Connections that show no token in time, and when each was closed by the server."""

    server: TcpServer
    closed: dict[str, float]
    threads: list[threading.Thread]


@pytest.fixture(scope="module", autouse=True)
def waiting() -> Iterator[Waiting]:
    """Connections that are opened before all tests and looked at by the last, so that their time passes beside them."""
    with TcpServer() as server:
        closed: dict[str, float] = {}
        half = server.hello()
        ways = {"silent": b"", "half a header": half[:9], "half a body": half[:99], "drip": half[:1]}
        links = {name: server.link() for name in ways}
        threads = [
            threading.Thread(target=wait_for_end, args=(links[name], name, ways[name], half, closed), daemon=True)
            for name in ways
        ]
        for thread in threads:
            thread.start()
        yield Waiting(server, closed, threads)
        for link in links.values():
            link.close()


def wait_for_end(link: socket.socket, name: str, first: bytes, whole: bytes, closed: dict[str, float]) -> None:
    """Send a beginning, or byte by byte for ever, and note after how many seconds the server has closed."""
    began = time.perf_counter()
    link.sendall(first)
    link.settimeout(0.5 if name == "drip" else 3 * PATIENCE)
    for number in range(1, len(whole)):
        with contextlib.suppress(TimeoutError):
            if ends_without_a_byte(link):
                closed[name] = time.perf_counter() - began
            return
        with contextlib.suppress(OSError):
            link.sendall(whole[number : number + 1])


def ends_without_a_byte(link: socket.socket) -> bool:
    """Wait for the next byte, and say whether the connection has ended instead."""
    try:
        return link.recv(1) == b""
    except TimeoutError:
        raise
    except OSError:  # reset, or closed on this side since no test looks at it
        return True


@pytest.fixture(scope="module")
def server() -> Iterator[TcpServer]:
    """A server with the fake operations."""
    with TcpServer() as server:
        yield server


@pytest.fixture(scope="module")
def friend(server: TcpServer) -> TcpClient:
    """A client of it that knows the token, and is still served after all that strangers did."""
    return server.client()


def post(path: bytes, body: bytes, more: bytes = b"") -> bytes:
    """Give what a web page can have a browser send without asking anybody."""
    return b"POST %b HTTP/1.1\r\n%b%bContent-Length: %d\r\n\r\n%b" % (path, LINES, more, len(body), body)


def strange(server: TcpServer) -> dict[str, bytes]:
    """Give beginnings that are none of ours, the right token in some of them."""
    hello = server.hello()
    body = hello.partition(b"\r\n\r\n")[2]
    upgrade = b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAA\r\n"
    return {
        "get": b"GET / HTTP/1.1\r\n" + LINES + b"\r\n",
        "post of many frames": post(b"/", hello + request("compactChat/echo", {}, 2)),
        "header in the path": post(b"/Content-Length:%d" % len(body), body),
        "header behind the method": b"POST Content-Length: %d\r\n\r\n%b" % (len(body), body),
        "header in the headers": post(b"/", body, b"X-Content-Length: 5\r\nCookie: Content-Length: 9\r\n"),
        "chunks": b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(hello), hello),
        "websocket": b"GET / HTTP/1.1\r\n" + LINES + upgrade + b"\r\n",
        "http/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9),
        "tls": tls_hello(),
        "blank lines": b"\r\n\r\n\r\n" + hello,
        "a byte order mark": b"\xef\xbb\xbf" + hello,
        "json": body + b"\n",
        "zeros": bytes(100_000),
        "no length": b"Content-Type: application/vscode-jsonrpc\r\n\r\n" + body,
        "another header first": b"X-Header: 1\r\n" + hello,
        "another header behind": hello.replace(b"\r\n\r\n", b"\r\nHost: 127.0.0.1\r\n\r\n"),
        "a bad length": hello.replace(b"Content-Length: ", b"Content-Length: -"),
    }


def tls_hello() -> bytes:
    """Give what a client says first that wants TLS."""
    context, outgoing = ssl.create_default_context(), ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        context.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="localhost").do_handshake()
    return outgoing.read()


def test_what_is_none_of_ours_gets_no_byte(server: TcpServer, friend: TcpClient) -> None:
    """Requests of web pages, TLS, WebSockets and noise are closed without a byte, though they hold the right token."""
    for name, data in strange(server).items():
        assert (name, server.answers_to(data)) == (name, [])
    assert friend.call("compactChat/echo", {"a": 1}) == {"a": 1}


def test_the_first_message_may_come_in_pieces(server: TcpServer) -> None:
    """`initialize` byte by byte, with the next request right behind it, is served."""
    with server.unauthenticated() as client:
        client.link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in server.hello():
            client.raw(bytes([byte]))
        client.raw(request("compactChat/echo", {"a": 1}, 2))
        assert client.answer(2)["result"] == {"a": 1}


def padded(server: TcpServer, length: int) -> bytes:
    """Give the frame of an `initialize` with the right token whose body has a length."""
    reported = json.loads(server.hello().partition(b"\r\n\r\n")[2])
    reported["params"]["capabilities"]["pad"] = ""
    reported["params"]["capabilities"]["pad"] = "x" * (length - len(json.dumps(reported)))
    return framed(json.dumps(reported).encode())


def test_the_first_message_has_a_limit(server: TcpServer) -> None:
    """`initialize` may be large, as editors send it, not beyond 256 KiB; nor is what announces more waited for."""
    with server.unauthenticated() as client:
        client.raw(padded(server, MAX_FIRST - 1000))
        assert "result" in client.answer(1)
    lies = (b"Content-Length: %d\r\n\r\n{" % length for length in (MAX_FIRST + 1, 10**30))
    for data in (padded(server, MAX_FIRST + 1000), padded(server, 2**22), *lies):
        assert all("result" not in one for one in server.answers_to(data))


@pytest.mark.parametrize("endless", [b"x" * 2**16, b"Content-Length: 5\r\n" * 2**12])
def test_endless_headers_are_cut_off(server: TcpServer, friend: TcpClient, endless: bytes) -> None:
    """Headers without an end are closed once they go beyond the limit of the first message, and slow nobody."""
    with server.link() as link:
        sender = threading.Thread(target=send_for_ever, args=(link, endless))
        sender.start()
        assert friend.p95() < SMOOTH
        sender.join(SOON)
        assert not sender.is_alive(), "still open"


def send_for_ever(link: socket.socket, data: bytes) -> None:
    """Send until the server closes."""
    with contextlib.suppress(OSError):
        while True:
            link.sendall(data)


def test_who_closes_first_is_let_go(server: TcpServer) -> None:
    """A connection that ends before anything, or within its first message, is closed without a word."""
    for data in (b"", b"Content", server.hello()[:50]):
        with server.unauthenticated() as client:
            client.raw(data)
            client.link.shutdown(socket.SHUT_WR)
            assert client.ended(SOON)
        assert (client.inbox, client.stray) == ([], [])


def test_the_oldest_stranger_goes_first(server: TcpServer, friend: TcpClient) -> None:
    """Of connections that say nothing 64 may wait; who comes later takes the place of the oldest; clients get in."""
    with contextlib.ExitStack() as stack:
        links = [stack.enter_context(server.link()) for _ in range(STRANGERS + 6)]
        for link in links[:6]:
            link.settimeout(SOON)
            assert link.recv(1) == b""
        for link in links[6:]:
            link.setblocking(False)
            with pytest.raises(BlockingIOError):
                link.recv(1)
        with server.client() as late:
            assert late.call("compactChat/echo", {"a": 1}) == {"a": 1}
        assert friend.call("compactChat/echo", {"a": 1}) == {"a": 1}


@needs_proc
def test_thousands_of_strangers_slow_nobody(server: TcpServer, friend: TcpClient) -> None:
    """Beside a storm of refused connections clients are served at once; few are open at a time, and nothing stays."""
    number, peak = server.process.pid, Peak(server.process.pid)
    within(SOON, lambda: len(open_files(number)) < STRANGERS)
    before = len(open_files(number))
    ways = [*strange(server).values(), server.hello("wrong"), request("shutdown", None), b"", b"", framed(b"{")]
    command = [sys.executable, "-c", STORM, str(server.port)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, text=True) as storm:
        assert storm.stdin is not None
        json.dump([data.hex() for data in ways], storm.stdin)
        storm.stdin.close()
        seconds = friend.seconds_while(lambda: peak.looks() and storm.poll() is None)
    assert storm.returncode == 0
    assert (p95(seconds) < SMOOTH, max(seconds) < STILL_SMOOTH) == (True, True), (p95(seconds), max(seconds))
    assert peak.descriptors - before < 4 * STRANGERS
    within(SOON, lambda: len(open_files(number)) <= before)
    assert len(thread_states(number)) < 2 * STRANGERS  # of the pool, one for each that was there at once


class Peak:
    """The most descriptors that a process was seen with."""

    def __init__(self, number: int) -> None:
        self._number, self.descriptors = number, 0

    def looks(self) -> bool:
        """Look again."""
        self.descriptors = max(self.descriptors, len(open_files(self._number)))
        return True


def test_who_shows_nothing_in_time_is_turned_away(waiting: Waiting) -> None:
    """Silence, half a message and one byte now and then are closed after ten seconds without a word."""
    for thread in waiting.threads:
        thread.join(3 * PATIENCE)
    assert set(waiting.closed) == {"silent", "half a header", "half a body", "drip"}
    assert all(PATIENCE - 1 < seconds < PATIENCE + 5 for seconds in waiting.closed.values()), waiting.closed
