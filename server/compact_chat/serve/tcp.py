"""Several clients over TCP on this machine: each shows the token first, then has a server of its own."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import os
import re
import secrets
import socket
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from typing import BinaryIO, NoReturn, cast

from compact_chat.errors import (
    CompactChatError,
    InvalidParams,
    InvalidRequest,
    NotInitialized,
    TokenRefused,
    TooLarge,
)
from compact_chat.serve.client import SECTION, wire_error
from compact_chat.serve.rpc import Message, Request, Unfit, encode, frame, member, read_message
from compact_chat.serve.server import GRACE, ChatServer, live, prepare, take_stdio

MAX_CLIENTS = 16
MAX_WAITING = 64  # unauthenticated connections; the oldest is closed first
MAX_FIRST = 2**18  # bytes of the first message
MAX_LINE = 256  # bytes of a header of the first message
PATIENCE = 10.0  # seconds until the first message must have arrived


def serve_tcp(address: str, log_file: str | None = None) -> NoReturn:
    """Listen at HOST:PORT, print where, and serve clients there until a signal; the process ends here."""
    listener, token = listen(address), secrets.token_urlsafe(32)
    prepare(log_file)
    host, port = listener.getsockname()[:2]
    where = f"[{host}]" if ":" in host else host
    try:
        os.write(1, json.dumps({"listening": f"tcp://{where}:{port}", "token": token}).encode() + b"\n")
    except OSError as problem:
        raise CompactChatError(
            "Standard output cannot be written, so no client would learn where to connect."
        ) from problem
    take_stdio()
    live(lambda left, _: TcpServer(token).serve(listener, left))


_ADDRESS = re.compile(r"(?:\[([0-9A-Fa-f:]+)\]|([\w.-]+)):(\d{1,5})", re.ASCII)


def listen(address: str) -> socket.socket:
    """Listen at HOST:PORT, which must be on this machine; port 0 picks one."""
    found = _ADDRESS.fullmatch(address)
    host, port = (found[1] or found[2], int(found[3])) if found else ("", 0)
    host = "127.0.0.1" if host == "localhost" else host
    try:
        is_ours = ipaddress.ip_address(host).is_loopback and port < 2**16
    except ValueError:
        is_ours = False
    if not is_ours:
        raise InvalidParams.at("$.tcp", "expected HOST:PORT with an address of this machine, such as 127.0.0.1:0")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as problem:
        raise CompactChatError(f"Nothing can listen at {host}, port {port}: {problem.strerror}.") from problem


class TcpServer:
    """Accepts clients with the token, and bounds the cost of all other connections.

    pygls 2.1.1 serves one connection, and takes a second one for it (pygls#219).
    """

    def __init__(self, token: str) -> None:
        self._token = token
        self._loop = asyncio.get_running_loop()
        self._numbers = count(1)
        self._readers = ThreadPoolExecutor(MAX_WAITING, "first message")
        self._waiting: dict[socket.socket, asyncio.Task[None]] = {}
        self.clients: dict[socket.socket, ChatServer] = {}
        self._closing: set[asyncio.Task[None]] = set()  # a task without a reference may be collected

    async def serve(self, listener: socket.socket, left: asyncio.Future[int]) -> int:
        """Serve clients until an exit code is there, and return it."""
        accepting = self._loop.create_task(self.accept(listener))
        code = await left
        accepting.cancel()
        await self.close()
        return code

    async def accept(self, listener: socket.socket) -> None:
        """Accept connections while the server lives; of too many unauthenticated ones the oldest is closed."""
        listener.setblocking(False)
        while True:
            try:
                link, _ = await self._loop.sock_accept(listener)
            except OSError:  # already closed, or too many open files
                await asyncio.sleep(0.1)
                continue
            if len(self._waiting) >= MAX_WAITING:
                self._waiting.pop(next(iter(self._waiting))).cancel()
            task = self._waiting[link] = self._loop.create_task(self._welcome(link))
            task.add_done_callback(partial(self._welcomed, link))
            await asyncio.sleep(0)  # serve clients before the next connection

    async def close(self) -> None:
        """Write the remaining output of each client, as far as it reads in time."""
        writing = {client.writing for client in self.clients.values()}
        for client in list(self.clients.values()):
            await client.close()
        if writing:
            await asyncio.wait(writing, timeout=GRACE)

    async def _welcome(self, link: socket.socket) -> None:
        """Admit a connection that presents the token, or reject it, with an answer if it sent a request."""
        link.setblocking(True)
        try:
            async with asyncio.timeout(PATIENCE):
                found = await self._loop.run_in_executor(self._readers, self.first, link)
        except (OSError, TimeoutError):
            return
        if found is None:
            return
        incoming, outgoing, body = found
        message = read_message(body)
        problem = self._problem(message)
        if problem is None:
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            leave, gone = (partial(self._part, link, at_once) for at_once in (False, True))
            client = ChatServer(outgoing, leave, gone, next(self._numbers))
            self.clients[link] = client
            self.admitted(client)
            client.receive(message, body)
            client.read(incoming)
        elif isinstance(message, Request | Unfit):
            refusal = {"jsonrpc": "2.0", "id": message.id, "error": wire_error(problem)}
            with contextlib.suppress(OSError):
                outgoing.write(frame(encode(refusal)))  # so little never waits for a reader
                link.shutdown(socket.SHUT_WR)
                await asyncio.sleep(GRACE)  # closing at once might lose the answer

    def first(self, link: socket.socket) -> tuple[BinaryIO, BinaryIO, bytes] | None:
        """Return both streams of a connection and its first message; None if it is not to be admitted."""
        incoming = link.makefile("rb")
        body = read_first(incoming)
        outgoing = cast("BinaryIO", link.makefile("wb", buffering=0))  # whose buffer has all that the writer uses
        return None if body is None else (incoming, outgoing, body)

    def admits(self, token: str) -> bool:
        """Return whether a token admits the client that shows it."""
        return is_same(token, self._token)

    def admitted(self, client: ChatServer) -> None:
        """Hear that a client was admitted, before it is served."""

    def parted(self) -> None:
        """Hear that a client is gone."""

    def _welcomed(self, link: socket.socket, _: object) -> None:
        """Close a connection that was not admitted."""
        self._waiting.pop(link, None)
        if link not in self.clients:
            _close(link)

    def _problem(self, message: Message) -> CompactChatError | None:
        if isinstance(message, Unfit):
            return message.error
        if not isinstance(message, Request):
            return InvalidRequest("The first message must be a request.")
        if message.method != "initialize":
            return NotInitialized("The first request must be `initialize`.")
        token = member(message.params, "initializationOptions", SECTION, "token")
        if not isinstance(token, str) or not self.admits(token):
            return TokenRefused("The token is not the one that the server printed when it started.")
        is_full = len(self.clients) >= MAX_CLIENTS
        return TooLarge(f"The server has {MAX_CLIENTS} clients, which is all it takes.") if is_full else None

    def _part(self, link: socket.socket, at_once: bool, _: int) -> None:
        """Release a client: at once if it has read everything or reads no more, else after a grace period."""
        if client := self.clients.pop(link, None):
            closing = self._loop.create_task(client.close())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)
            self._loop.call_later(GRACE, _close, link)
            self.parted()
        if at_once:
            _close(link)


def is_same(token: str, other: str) -> bool:
    """Compare two tokens in a time that tells nothing about them."""
    return secrets.compare_digest(token.encode("utf-8", "surrogatepass"), other.encode())


_LENGTH = re.compile(rb"content-length\s*:\s*(\d{1,6})\s*", re.IGNORECASE)
_TYPE = re.compile(rb"content-type\s*:.*\n", re.IGNORECASE)


def read_first(stream: BinaryIO) -> bytes | None:
    """Read the first body; None if something else or something longer comes, such as a web page's request."""
    length = None
    for _ in range(3):  # the length, perhaps the type before or after it, and the blank line
        line = stream.readline(MAX_LINE)
        if found := _LENGTH.fullmatch(line):
            length = int(found[1])
        elif not _TYPE.fullmatch(line):
            break
    if length is None or length > MAX_FIRST or line.strip():
        return None
    body = stream.read(length)
    return body if len(body) == length else None


def _close(link: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it is already gone
        link.shutdown(socket.SHUT_RDWR)
    link.close()
