"""HTTP as the fake Messages API speaks it: received requests, ways to answer them, and its bodies."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import threading
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from tests.samples.styles import EARLIER_TITLES

if TYPE_CHECKING:
    from tests.servers.messages_api import Api

HANDSHAKE = b"\x16"  # the first byte of TLS


class Gone(Exception):
    """The client has hung up."""


class Seen:
    """A request, and when the client hung up before the answer."""

    def __init__(self, method: str, target: str, headers: dict[str, str], body: bytes) -> None:
        self.method, self.target, self.headers, self.body = method, target, headers, body
        self.gone_at: float | None = None
        self.gone = threading.Event()

    @property
    def path(self) -> str:
        """The path alone, even if a proxy was sent a whole URL."""
        return unquote(urlsplit(self.target).path)

    @property
    def json(self) -> Any:
        """The body."""
        return json.loads(self.body)

    def hang_up(self) -> None:
        """Record that the client hung up."""
        self.gone_at = time.perf_counter()
        self.gone.set()


async def receive(reader: asyncio.StreamReader) -> Seen | None:
    """Read the next request of a connection; a TLS handshake counts as one, and is never answered."""
    first = await reader.read(1)
    if first in (b"", HANDSHAKE):
        await asyncio.sleep(0)
        return await _handshake(reader) if first else None
    method, target, _ = (first + await reader.readline()).decode("latin-1").split(" ", 2)
    headers = await _headers(reader)
    return Seen(method, target, headers, await _body(reader, headers))


async def _handshake(reader: asyncio.StreamReader) -> Seen:
    rest = await reader.readexactly(4)
    await reader.readexactly(int.from_bytes(rest[2:], "big"))
    return Seen("TLS", "", {}, b"")


async def _headers(reader: asyncio.StreamReader) -> dict[str, str]:
    headers = {}
    while (line := (await reader.readline()).decode("latin-1").strip()) != "":
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    return headers


async def _body(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    if headers.get("transfer-encoding") != "chunked":
        return await reader.readexactly(int(headers.get("content-length", 0)))
    body = b""
    while size := int(await reader.readline(), 16):
        body += (await reader.readexactly(size + 2))[:-2]
    await reader.readline()
    return body


class Exchange:
    """One request and the means to answer it."""

    def __init__(self, seen: Seen, writer: asyncio.StreamWriter, api: Api, number: int) -> None:
        self.seen, self.api, self.number = seen, api, number
        self.text = api.text
        self.is_open = True
        self._writer = writer

    async def raw(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._writer.write(data)
        await self._writer.drain()

    async def json(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        """Answer with JSON, or with a text as it is."""
        data = (body if isinstance(body, str) else json.dumps(body)).encode()
        await self._head(
            status, {"content-type": "application/json", "content-length": str(len(data)), **(headers or {})}
        )
        await self.raw(data)

    async def head(self, kind: str = "text/event-stream; charset=utf-8") -> None:
        """Begin a stream of events."""
        await self._head(200, {"content-type": kind, "cache-control": "no-cache", "transfer-encoding": "chunked"})

    async def _head(self, status: int, headers: dict[str, str]) -> None:
        lines = [f"{name}: {value}\r\n" for name, value in {"request-id": f"req_{self.number:06}", **headers}.items()]
        await self.raw(f"HTTP/1.1 {status} X\r\n{''.join(lines)}\r\n".encode())

    async def event(self, name: str, **data: Any) -> None:
        """Send an event whose data repeats its name, like the API's."""
        await self.chunk(f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode())

    async def chunk(self, data: bytes) -> None:
        """Send part of the stream."""
        await self.raw(b"%x\r\n%s\r\n" % (len(data), data))

    async def tell(self, text: str, index: int = 0) -> None:
        """Send a piece of a block's text."""
        await self.event("content_block_delta", index=index, delta={"type": "text_delta", "text": text})

    async def end(self) -> None:
        """End the stream properly."""
        await self.raw(b"0\r\n\r\n")

    async def close(self) -> None:
        """Close the connection, whatever is missing."""
        self.is_open = False
        self._writer.close()

    async def reset(self) -> None:
        """Reset the connection, so that the client gets a socket error."""
        self.is_open = False
        link = self._writer.get_extra_info("socket")
        link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    def waits(self) -> None:
        """Record that the client is left waiting from here on."""
        self.api.waiting.put(self.seen)

    async def hang(self) -> None:
        """Wait until the client hangs up."""
        self.waits()
        await asyncio.Event().wait()


SECTIONS = "\n\n".join(f"{number}. {title}:\n   The stock list." for number, title in enumerate(EARLIER_TITLES, 1))
REPLY = f"<analysis>\nA talk about stock.\n</analysis>\n\n<summary>\n{SECTIONS}\n</summary>"


def error_body(kind: str, message: str, code: str | None = None) -> dict[str, Any]:
    """An error as the API words it."""
    details = {"error_code": code} if code else None
    error = {"type": kind, "message": message, "details": details}
    return {"type": "error", "error": error, "request_id": "req_000000"}


def message_body(seen: Seen, content: list[dict[str, Any]], stop: str | None, output: int = 1) -> dict[str, Any]:
    """A message as the API gives it, whole or at the begin of a stream."""
    return {
        "id": "msg_000001",
        "type": "message",
        "role": "assistant",
        "model": seen.json["model"],
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {
            "input_tokens": tokens_of(seen),
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": output,
        },
    }


def model_body(model: str, window: int, output: int) -> dict[str, Any]:
    """What the API tells of a model."""
    return {
        "type": "model",
        "id": model,
        "display_name": model,
        "created_at": "2026-01-01T00:00:00Z",
        "lifecycle": "active",
        "max_input_tokens": window,
        "max_tokens": output,
    }


def tokens_of(seen: Seen) -> int:
    """Count the tokens of a request, roughly: a quarter of its letters."""
    body = json.loads(seen.body)
    return len(json.dumps([body.get(part) for part in ("system", "tools", "messages")])) // 4
