"""The first message of a connection that nobody knows yet."""

from __future__ import annotations

import asyncio
import re
import socket

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
