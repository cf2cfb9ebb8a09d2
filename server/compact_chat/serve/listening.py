"""Where a server listens: an address of this machine alone, and the line that tells it."""

from __future__ import annotations

import ipaddress
import json
import re
import secrets
import socket
from typing import NamedTuple

from compact_chat.errors import CompactChatError, InvalidParams

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
