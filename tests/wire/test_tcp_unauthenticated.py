"""Programs that share the machine: whatever they send to the port, they get nothing out of it."""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import threading
from collections.abc import Iterator

import pytest

from tests.servers.tcp_server import SOON, TcpClient, TcpServer, request
from tests.servers.wire_client import framed

STRANGERS, MAX_FIRST = 64, 2**18  # as PROTOCOL.md has them: connections, bytes
LINES = b"Host: 127.0.0.1\r\nOrigin: http://page.example\r\nContent-Type: text/plain\r\n"


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
    """Headers without an end are closed once they go beyond the limit of the first message."""
    with server.link() as link:
        sender = threading.Thread(target=send_for_ever, args=(link, endless))
        sender.start()
        assert friend.call("compactChat/echo", {"a": 1}) == {"a": 1}
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
