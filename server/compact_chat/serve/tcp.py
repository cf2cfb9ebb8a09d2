"""Several clients over TCP on this machine: each shows the token first, then has a server of its own."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import re
import secrets
import socket
import time
from functools import partial
from itertools import count
from typing import BinaryIO, NamedTuple, cast

from compact_chat.errors import CompactChatError, InvalidParams, TooLarge
from compact_chat.serve.client import encode
from compact_chat.serve.rpc import (
    InvalidRequest,
    Message,
    NotInitialized,
    Offer,
    Request,
    TokenRefused,
    Unfit,
    frame,
    read_message,
    wire_error,
)
from compact_chat.serve.server import GRACE, Session, leaving
from compact_chat.serve.settings import SECTION, member

# Where a server listens: an address of this machine alone, and the line that tells it.


_ADDRESS = re.compile(r"(?:\[([0-9A-Fa-f:]+)\]|([\w.-]+)):(\d{1,5})", re.ASCII)


class Listening(NamedTuple):
    """A listening socket, and the token that its clients must show."""

    socket: socket.socket
    token: str

    @property
    def line(self) -> str:
        """The line that tells clients where to connect."""
        host, port = self.socket.getsockname()[:2]
        where = f"[{host}]" if ":" in host else host
        return json.dumps({"listening": f"tcp://{where}:{port}", "token": self.token})


def listen(address: str) -> Listening:
    """Listen at HOST:PORT, which must be on this machine; port 0 picks one."""
    host, port = _host_and_port(address)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return Listening(socket.create_server((host, port), family=family), secrets.token_urlsafe(32))
    except OSError as problem:
        raise CompactChatError(f"Nothing can listen at {host}, port {port}: {problem.strerror}.") from problem


def _host_and_port(address: str) -> tuple[str, int]:
    found = _ADDRESS.fullmatch(address)
    host, port = (found[1] or found[2], int(found[3])) if found else ("", 0)
    host = "127.0.0.1" if host == "localhost" else host
    if not _is_loopback(host) or port > 65_535:
        raise InvalidParams.at("$.tcp", "expected HOST:PORT with an address of this machine, such as 127.0.0.1:0")
    return host, port


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


# The first message of a connection that nobody knows yet.


MAX_FIRST = 2**18  # bytes
MAX_HEADERS = 256
PATIENCE = 10.0  # seconds
_HEADERS = re.compile(
    rb"(?:content-type\s*:[^\n]*\n)?content-length\s*:\s*(\d{1,6})\s*?\r?\n(?:content-type\s*:[^\n]*\n)?\r?\n",
    re.IGNORECASE,
)
_START = b"content-"


async def first_body(link: socket.socket) -> bytes | None:
    """Give the first body, or None where something else comes, such as a request of a web page, or nothing in time."""
    try:
        async with asyncio.timeout(PATIENCE):
            length = await _length(link)
            return None if length is None else await _exactly(link, length)
    except (OSError, TimeoutError):
        return None


async def _length(link: socket.socket) -> int | None:
    """Read the headers byte by byte, so that nothing behind them is taken, and give the length of the body."""
    headers = b""
    while not headers.endswith((b"\n\n", b"\n\r\n")):
        headers += await asyncio.get_running_loop().sock_recv(link, 1) or b"\0"
        if len(headers) > MAX_HEADERS or headers[: len(_START)].lower() != _START[: len(headers)] or b"\0" in headers:
            return None
    found = _HEADERS.fullmatch(headers)
    return int(found[1]) if found and int(found[1]) <= MAX_FIRST else None


async def _exactly(link: socket.socket, length: int) -> bytes | None:
    body = b""
    while len(body) < length:
        piece = await asyncio.get_running_loop().sock_recv(link, length - len(body))
        if not piece:
            return None
        body += piece
    return body


# Several clients over TCP on this machine: each shows the token first, then has a server of its own.


MAX_CLIENTS = 16
MAX_STRANGERS = 64  # connections that have not shown the token yet; the oldest goes first


async def tcp_sessions(offer: Offer, listener: socket.socket, token: str) -> int:
    """Serve clients until a signal ends the process, and give the exit code."""
    left = leaving()
    door = Door(offer, token)
    welcoming = asyncio.get_running_loop().create_task(door.welcome(listener))
    code = await left
    welcoming.cancel()
    await door.close()
    return code


class Door:
    """Lets clients in that know the token, and keeps strangers from costing anything.

    pygls 2.1.1 serves one connection, and takes a second one for it (pygls#219).
    """

    def __init__(self, offer: Offer, token: str) -> None:
        self._offer, self._token = offer, token
        self._loop = asyncio.get_running_loop()
        self._numbers = count(1)
        self._strangers: dict[socket.socket, asyncio.Task[None]] = {}
        self._clients: dict[socket.socket, Session] = {}
        self._leaving: set[asyncio.Task[None]] = set()  # a task that nobody holds may vanish

    async def welcome(self, listener: socket.socket) -> None:
        """Take connections for as long as the server lives."""
        listener.setblocking(False)
        while True:
            try:
                link, _ = await self._loop.sock_accept(listener)
            except OSError:  # gone before it was here, or too many open files
                await asyncio.sleep(0.1)
            else:
                self._meet(link)
                await asyncio.sleep(0)  # a queue of strangers waits for the clients, not they for it

    async def close(self) -> None:
        """Write what is left for each client, as far as they take it in time."""
        clients = list(self._clients.values())
        for session in clients:
            await session.close()
        until = time.monotonic() + GRACE
        for session in clients:
            session.writer.join(max(0.0, until - time.monotonic()))

    def _meet(self, link: socket.socket) -> None:
        """Listen to a new connection; where there are too many, the oldest has had its time."""
        if len(self._strangers) >= MAX_STRANGERS:
            self._strangers.pop(next(iter(self._strangers))).cancel()
        self._strangers[link] = self._loop.create_task(self._listen(link))
        self._strangers[link].add_done_callback(lambda _: self._heard(link))

    async def _listen(self, link: socket.socket) -> None:
        """Let a stranger in, or turn it away with a word where it spoke our language."""
        body = await first_body(link)
        message = None if body is None else read_message(body)
        problem = self._problem(message)
        if problem is None and isinstance(message, Request) and body is not None:
            self._let_in(link, message, body)
        elif isinstance(message, Request | Unfit):
            await self._refuse(link, message, problem)

    def _heard(self, link: socket.socket) -> None:
        """Cut off a stranger that did not become a client."""
        self._strangers.pop(link, None)
        if link not in self._clients:
            _cut(link)

    def _problem(self, message: Message | None) -> CompactChatError | None:
        if isinstance(message, Unfit):
            return message.error
        if not isinstance(message, Request):
            return InvalidRequest("The first message must be a request.")
        if message.method != "initialize":
            return NotInitialized("The first request must be `initialize`.")
        token = member(message.params, "initializationOptions", SECTION, "token")
        if not isinstance(token, str) or not secrets.compare_digest(_bytes(token), _bytes(self._token)):
            return TokenRefused("The token is not the one that the server printed when it started.")
        full = len(self._clients) >= MAX_CLIENTS
        return TooLarge(f"The server has {MAX_CLIENTS} clients, which is all it takes.") if full else None

    async def _refuse(self, link: socket.socket, message: Request | Unfit, problem: CompactChatError | None) -> None:
        """Answer, and close our side; the connection is cut a little later, since else the answer might be lost."""
        assert problem is not None, "who has no problem is let in"
        refusal = {"jsonrpc": "2.0", "id": message.id, "error": wire_error(problem)}
        with contextlib.suppress(OSError):
            await self._loop.sock_sendall(link, frame(encode(refusal)))  # so little never waits for a reader
            link.shutdown(socket.SHUT_WR)
            await asyncio.sleep(GRACE)

    def _let_in(self, link: socket.socket, message: Request, body: bytes) -> None:
        link.setblocking(True)
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        outgoing = cast("BinaryIO", link.makefile("wb", buffering=0))  # which has all that the writer uses
        session = Session(
            self._offer, outgoing, partial(self._part, link), partial(self._gone, link), next(self._numbers)
        )
        self._clients[link] = session
        session.take(message, body)
        session.read(link.makefile("rb"))

    def _part(self, link: socket.socket, _: int) -> None:
        """Let a client go: it may take what is left for it."""
        if session := self._clients.pop(link, None):
            leaving = self._loop.create_task(session.close())
            self._leaving.add(leaving)
            leaving.add_done_callback(self._leaving.discard)
            self._loop.call_later(GRACE, _cut, link)

    def _gone(self, link: socket.socket, _: int) -> None:
        """Cut off a client that took what was left for it, or takes no more."""
        self._part(link, _)
        _cut(link)


def _cut(link: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it is gone already
        link.shutdown(socket.SHUT_RDWR)
    link.close()


def _bytes(token: str) -> bytes:
    return token.encode("utf-8", "surrogatepass")
