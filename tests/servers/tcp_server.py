"""A `compact-chat serve --tcp` process, its first line of output, and connections to it; also with fake operations."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from tests.servers.processes import within
from tests.servers.wire_client import SERVE, Message, Wire, framed

PATIENCE = 60.0  # seconds for what should come at once, on a shared machine
SOON = 6.0  # seconds in which a refused connection must be closed; less than the timeout of a silent one
ROOT = str(Path(__file__).parents[2])
_RUN = "import sys; sys.path.insert(0, sys.argv.pop(1)); from tests.servers.tcp_server import run; run()"
FAKE_SERVE = (sys.executable, "-c", _RUN, ROOT, "serve")


def run() -> None:
    """Run the command line with the operations of `wire_server.py` in place of the real ones."""
    from compact_chat.cli import main
    from tests.servers.wire_server import install

    install()
    sys.exit(main())


class TcpClient(Wire):
    """One connection."""

    def __init__(self, link: socket.socket) -> None:
        self.link = link
        super().__init__(link.makefile("wb"), link.makefile("rb"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Disconnect, keeping what was received for inspection."""
        with contextlib.suppress(OSError):
            self.link.shutdown(socket.SHUT_RDWR)
        self.ended()
        for stream in (self.stdin, self.stdout, self.link):
            with contextlib.suppress(OSError):
                stream.close()


class TcpServer:
    """A server process and the connections that a test opened."""

    def __init__(self, *flags: str, where: str = "127.0.0.1:0", command: Sequence[str] = FAKE_SERVE) -> None:
        nothing, pipe = subprocess.DEVNULL, subprocess.PIPE
        self.process = subprocess.Popen([*command, "--tcp", where, *flags], stdin=nothing, stdout=pipe, stderr=pipe)
        self.printed: list[bytes] = []
        self.log: list[str] = []
        self.clients: list[TcpClient] = []
        self._threads = [threading.Thread(target=job, daemon=True) for job in (self._read, self._read_log)]
        for thread in self._threads:
            thread.start()
        within(PATIENCE, lambda: bool(self.printed) or self.process.poll() is not None)
        assert self.printed, self.log
        self.first: dict[str, str] = json.loads(self.printed[0])
        place = urlsplit(self.first["listening"])
        self.host, self.port, self.token = str(place.hostname), int(place.port or 0), self.first["token"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def link(self) -> socket.socket:
        """Connect without sending anything."""
        return socket.create_connection((self.host, self.port), PATIENCE)

    def unauthenticated(self) -> TcpClient:
        """Connect a client that has not sent anything."""
        link = self.link()
        link.settimeout(None)
        self.clients.append(TcpClient(link))
        return self.clients[-1]

    def client(self, greeting: dict[str, Any] | None = None, **params: Any) -> TcpClient:
        """Connect a client with the token, and shake hands."""
        client = self.unauthenticated()
        client.initialize(initializationOptions={"compactChat": {"token": self.token, **(greeting or {})}}, **params)
        return client

    def hello(self, token: Any = ..., number: object = 1) -> bytes:
        """Return the frame of an `initialize` with a token, by default the right one."""
        options = {"compactChat": {"token": self.token if token is ... else token}}
        return request("initialize", {"processId": None, "capabilities": {}, "initializationOptions": options}, number)

    def answers_to(self, data: bytes) -> list[Message]:
        """Send bytes on a new connection, and return the answers before the server closes it, which it must do soon."""
        with self.unauthenticated() as unauthenticated:
            with contextlib.suppress(ConnectionError):  # already closed
                unauthenticated.raw(data)
            assert unauthenticated.ended(SOON), "still open"
        assert unauthenticated.stray == []
        return unauthenticated.inbox

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal, wait for the process to end, and return the exit code."""
        self.process.send_signal(number)
        code = self.process.wait(SOON)
        for thread in self._threads:
            thread.join(PATIENCE)
        return code

    def close(self) -> None:
        """End the process and all connections; only the first line may have been printed, and no part of a chat."""
        self.end(signal.SIGKILL)
        for client in self.clients:
            client.close()
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        assert len(self.printed) == 1, self.printed
        assert "Traceback" not in "".join(self.log)
        assert "secret" not in "".join(self.log)

    def _read(self) -> None:
        self.printed.extend(self.process.stdout or ())

    def _read_log(self) -> None:
        self.log.extend(line.decode("utf-8", "replace") for line in self.process.stderr or ())


def request(method: str, params: Any, number: object = 1) -> bytes:
    """Return the frame of a request."""
    return framed(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode())


def serve(*flags: str, command: Sequence[str] = SERVE) -> subprocess.CompletedProcess[str]:
    """Start a server that must fail, and return its exit code and output."""
    nothing = subprocess.DEVNULL
    return subprocess.run(
        [*command, *flags], stdin=nothing, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def one_sentence(reported: subprocess.CompletedProcess[str]) -> bool:
    """Return whether the output is one sentence for a person, and nothing for programs."""
    lines = reported.stderr.splitlines()
    return reported.stdout == "" and len(lines) == 1 and lines[0].startswith("compact-chat: ")
