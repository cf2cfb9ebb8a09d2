"""The page of the main screen on loopback: its files over HTTP, and one WebSocket to the server of one client.

Only a page that this server gave out can use it: the address in `Host` and `Origin` must be its own, so that no other
site reaches it, whatever its name resolves to; and `initialize` must bring a token, which travels in the fragment of
the page's address. Every user of the machine can read a browser's command line, so the address there has a token that
is good for one connection, which hears the lasting one. The process ends if no page comes, or once its last page is
closed and does not come back, as one that is reloaded does.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import io
import secrets
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from http import HTTPStatus
from importlib import resources
from typing import BinaryIO, NamedTuple, NoReturn, cast
from urllib.parse import urlencode

from compact_chat.operations import ClientState, Job, operation, run_alone
from compact_chat.serve.rpc import MAX_BODY, frame, read_body
from compact_chat.serve.server import ChatServer, Leave, live, prepare
from compact_chat.serve.tcp import MAX_FIRST, TcpServer, is_same, listen

START = 60.0  # seconds in which the first page must have come
RELOAD = 5.0  # seconds in which a page may come back
MAX_HEAD = 2**14  # bytes of a request's line and headers
FILES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
}
SOCKET = "/socket"
TOKEN = "page/token"  # noqa: S105 -- the notification of the lasting token
HEADERS = """Cache-Control: no-store
Cross-Origin-Opener-Policy: same-origin
Cross-Origin-Resource-Policy: same-origin
Referrer-Policy: no-referrer
X-Content-Type-Options: nosniff
X-Frame-Options: DENY
Connection: close
"""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self' ws://{host}; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def serve_page(chat: str, show: Callable[[str, str], None], log_file: str | None = None) -> NoReturn:
    """Serve the page of a chat until it is closed or a signal comes.

    `show` gets its address once it is served, and the one that is good for one connection.
    """
    listener, token, launch = listen("127.0.0.1:0"), secrets.token_urlsafe(32), secrets.token_urlsafe(32)
    prepare(log_file)
    port = listener.getsockname()[1]
    place = f"http://127.0.0.1:{port}/"
    lasting, once = (f"{place}#{urlencode({'token': one, 'chat': chat})}" for one in (token, launch))
    for task in (lambda: show(lasting, once), warm_up):
        threading.Thread(target=task, daemon=True).start()

    live(lambda left, leave: PageServer(token, launch, port, leave).serve(listener, left))


def warm_up() -> None:
    """Load what the page's first request needs, the vocabulary too, while the browser starts."""
    run_alone("countTokens", {"chat": {"text": "Hello."}}, Job(ClientState()))
    operation("draft")


class PageServer(TcpServer):
    """Gives out the page, and admits its WebSockets as clients."""

    def __init__(self, token: str, launch: str, port: int, leave: Leave) -> None:
        super().__init__(token)
        self._launch: str | None = launch
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self._leave = leave
        self._ending = asyncio.get_running_loop().call_later(START, leave, 0)

    def first(self, link: socket.socket) -> tuple[BinaryIO, BinaryIO, bytes] | None:
        """Answer a request for a file; of a WebSocket, return its streams and first message."""
        incoming = link.makefile("rb")
        asked = read_head(incoming)
        status = 400 if asked is None else self._fault(asked)
        if asked is None or status or asked.path != SOCKET:
            link.sendall(answer(status, asked))
            link.shutdown(socket.SHUT_WR)
            return None
        link.sendall(upgrade(asked))
        lock = threading.Lock()
        outgoing = cast("BinaryIO", Outgoing(link, lock))
        messages = io.BufferedReader(Incoming(link, incoming, lock), MAX_HEAD)
        body = read_body(messages)
        return (cast("BinaryIO", messages), outgoing, body) if isinstance(body, bytes) else None

    def _fault(self, asked: Head) -> int:
        """Return the status to refuse a request with; 0 for one that is served."""
        if asked.headers.get("host") not in self._hosts:
            return 421
        if asked.method != "GET":
            return 405
        if asked.path != SOCKET:
            return 0 if asked.path in FILES else 404
        if asked.headers.get("origin") != f"http://{asked.headers['host']}":
            return 403
        return 0 if is_upgrade(asked) else 426

    def admits(self, token: str) -> bool:
        """Return whether a token is the lasting one, or that of the browser's command line for the first time."""
        if super().admits(token):
            return True
        is_launch = self._launch is not None and is_same(token, self._launch)
        if is_launch:
            self._launch = None
        return is_launch

    def admitted(self, client: ChatServer) -> None:
        """Tell a page the lasting token, and stay while there is a page."""
        client.client.notify(TOKEN, {"token": self._token})
        self._ending.cancel()

    def parted(self) -> None:
        """End a moment after the last page is gone."""
        if not self.clients:
            self._ending = asyncio.get_running_loop().call_later(RELOAD, self._leave, 0)


class Head(NamedTuple):
    """A request's line and headers; their names in lower case."""

    method: str
    path: str
    headers: dict[str, str]


def read_head(stream: BinaryIO) -> Head | None:
    """Read a request's line and headers; None for what is no request of HTTP/1.1, is too long, or repeats a header."""
    lines, left = [], MAX_HEAD
    while (line := stream.readline(left)).strip():
        left -= len(line)
        lines.append(line.decode("latin-1").rstrip("\r\n"))
    if not line:  # it ended, or is too long
        return None
    words = lines[0].split(" ") if lines else []
    if len(words) != 3 or words[2] != "HTTP/1.1":
        return None
    headers: dict[str, str] = {}
    for text in lines[1:]:
        name, colon, value = text.partition(":")
        if not colon or name != name.strip() or name.lower() in headers:
            return None
        headers[name.lower()] = value.strip()
    return Head(words[0], words[1], headers)


def answer(status: int, asked: Head | None) -> bytes:
    """Write the answer with a file of the page, or with nothing but its status."""
    body, kind, policy = b"", "text/plain", "default-src 'none'"
    if not status and asked is not None:
        name, kind = FILES[asked.path]
        body = resources.files("compact_chat").joinpath("page", name).read_bytes()
        policy = POLICY.format(host=asked.headers["host"])
    head = f"HTTP/1.1 {status or 200} {HTTPStatus(status or 200).phrase}\n{HEADERS}Content-Security-Policy: {policy}\n"
    head += f"Content-Type: {kind}\nContent-Length: {len(body)}\n\n"
    return head.replace("\n", "\r\n").encode() + body


# WebSockets, RFC 6455: one text message is one message of JSON-RPC. No extension is offered, so none is used.

MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
TOO_BIG, WRONG = 1009, 1002


def is_upgrade(asked: Head) -> bool:
    """Return whether a request opens a WebSocket."""
    headers = asked.headers
    try:
        key = base64.b64decode(headers.get("sec-websocket-key", ""), validate=True)
    except (binascii.Error, ValueError):
        return False
    is_asked = headers.get("upgrade", "").lower() == "websocket" and "upgrade" in headers.get("connection", "").lower()
    return is_asked and len(key) == 16 and headers.get("sec-websocket-version") == "13"


def upgrade(asked: Head) -> bytes:
    """Write the answer that opens a WebSocket."""
    key = asked.headers["sec-websocket-key"].encode()
    proof = base64.b64encode(hashlib.sha1(key + MAGIC, usedforsecurity=False).digest()).decode()
    head = "HTTP/1.1 101 Switching Protocols\nUpgrade: websocket\nConnection: Upgrade\n"
    return f"{head}Sec-WebSocket-Accept: {proof}\n\n".replace("\n", "\r\n").encode()


def packed(kind: int, body: bytes | memoryview) -> bytes:
    """Write one frame, unmasked, as servers do."""
    size = len(body)
    if size < 126:
        head = struct.pack("!BB", 0x80 | kind, size)
    elif size < 2**16:
        head = struct.pack("!BBH", 0x80 | kind, 126, size)
    else:
        head = struct.pack("!BBQ", 0x80 | kind, 127, size)
    return head + body


def unmasked(body: bytes, mask: bytes) -> bytes:
    """Undo the mask of a client's frame."""
    size = len(body)
    long = (mask * (size // 4 + 1))[:size]
    return (int.from_bytes(body, "little") ^ int.from_bytes(long, "little")).to_bytes(size, "little")


class Outgoing(io.RawIOBase):
    """A stream of messages in LSP frames, which go out as WebSocket messages."""

    def __init__(self, link: socket.socket, lock: threading.Lock) -> None:
        self._link, self._lock = link, lock

    def writable(self) -> bool:
        """Return true."""
        return True

    def write(self, data: object) -> int:
        """Send all messages of some whole frames."""
        whole = memoryview(cast("bytes", data))
        rest = io.BytesIO(whole)
        while isinstance(body := read_body(cast("BinaryIO", rest)), bytes):
            with self._lock:
                self._link.sendall(packed(TEXT, body))
        return len(whole)

    def close(self) -> None:
        """Say goodbye, and hang up."""
        if not self.closed:
            with suppress(OSError), self._lock:
                self._link.sendall(packed(CLOSE, b""))
                self._link.shutdown(socket.SHUT_WR)
        super().close()


class Incoming(io.RawIOBase):
    """WebSocket messages as a stream of LSP frames; it ends where the other side closes or breaks the rules."""

    def __init__(self, link: socket.socket, stream: BinaryIO, lock: threading.Lock) -> None:
        self._link, self._stream, self._lock = link, stream, lock
        self._messages = self._read()
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """Return true."""
        return True

    def fileno(self) -> int:
        """Return the descriptor of the socket."""
        return self._link.fileno()

    def readinto(self, buffer: object) -> int:
        """Fill a buffer with what comes next; with nothing at the end."""
        room = memoryview(cast("bytearray", buffer))
        if not self._rest:
            self._rest = memoryview(next(self._messages, b""))
        size = min(len(room), len(self._rest))
        room[:size], self._rest = self._rest[:size], self._rest[size:]
        return size

    def close(self) -> None:
        """Close the socket's stream too."""
        if not self.closed:
            with suppress(OSError):
                self._stream.close()
        super().close()

    def _read(self) -> Iterator[bytes]:
        message, most = bytearray(), MAX_FIRST  # only the reader of an admitted client asks for a second message
        while (found := self._frame(most - len(message))) is not None:
            is_last, kind, body = found
            if kind == PING:
                self._send(PONG, body)
            elif kind == CLOSE or (kind == 0) != bool(message) or kind not in (0, TEXT, PONG) or not (body or is_last):
                self._send(CLOSE, body[:2] if kind == CLOSE else struct.pack("!H", WRONG))
                return
            elif kind != PONG:
                message += body
                if is_last:
                    yield frame(bytes(message))
                    message, most = bytearray(), MAX_BODY

    def _frame(self, room: int) -> tuple[bool, int, bytes] | None:
        """Read one frame: whether it ends its message, its kind, what it holds; None at the end."""
        head = self._stream.read(2)
        if len(head) < 2:
            return None
        first, size = head[0], head[1] & 0x7F
        kind, is_last = first & 0x0F, bool(first & 0x80)
        if size > 125:
            more = self._stream.read(2 if size == 126 else 8)
            size = int.from_bytes(more, "big")
        if first & 0x70 or not head[1] & 0x80 or (kind >= CLOSE and (size > 125 or not is_last)):
            self._send(CLOSE, struct.pack("!H", WRONG))
            return None
        if size > room:
            self._send(CLOSE, struct.pack("!H", TOO_BIG))
            return None
        mask = self._stream.read(4)
        body = self._stream.read(size)
        return (is_last, kind, unmasked(body, mask)) if len(mask) == 4 and len(body) == size else None

    def _send(self, kind: int, body: bytes) -> None:
        with suppress(OSError), self._lock:
            self._link.sendall(packed(kind, body))
