"""A JSON-RPC client over pipes or sockets, independent of the server's libraries, and able to send nonsense."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any, NoReturn

Message = dict[str, Any]
SERVE = (sys.executable, "-m", "compact_chat", "serve")
FAKE = (sys.executable, str(Path(__file__).with_name("wire_server.py")))
LEFT_OUT = object()


class Wire:
    """Two byte streams to a server, everything received so far, and ways to send."""

    def __init__(self, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self.stdin, self.stdout = stdin, stdout
        self.inbox: list[Message] = []
        self.stray: list[bytes] = []
        self.log: list[str] = []
        self.replies: dict[str, Any] = {}
        self.answered: dict[object, float] = {}
        self._last = 0
        self._over = False
        self._news = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def raw(self, data: bytes) -> None:
        """Write bytes as they are."""
        self.stdin.write(data)
        self.stdin.flush()

    def send(self, message: Any) -> None:
        """Write one JSON value as a frame."""
        self.raw(framed(json.dumps(message).encode()))

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def start(self, method: str, params: Any = LEFT_OUT) -> int:
        """Send a request, omitting params that are not given, and return its id."""
        self._last += 1
        given = {} if params is LEFT_OUT else {"params": params}
        self.send({"jsonrpc": "2.0", "id": self._last, "method": method, **given})
        return self._last

    def until(self, wanted: Callable[[Message], bool], since: int = 0, seconds: float = 60) -> Message:
        """Wait for a message, among those received from an index on or still to come."""
        with self._news:
            self._news.wait_for(lambda: self._over or any(map(wanted, self.inbox[since:])), seconds)
            found = next(filter(wanted, self.inbox[since:]), None)
        assert found is not None, f"nothing came; inbox {str(self.inbox)[-1000:]}, log {self.log[-5:]}"
        return found

    def answer(self, number: object, since: int = 0, seconds: float = 60) -> Message:
        """Wait for the answer with an id, which must be complete."""
        return self.until(lambda one: "method" not in one and one["id"] == number, since, seconds)

    def answers(self, number: object) -> list[Message]:
        """Return all received answers with an id."""
        return [one for one in list(self.inbox) if "method" not in one and one["id"] == number]

    def arrived(self, wanted: int, seconds: float) -> bool:
        """Wait until so many answers were received."""
        with self._news:
            return self._news.wait_for(lambda: sum("method" not in one for one in self.inbox) >= wanted, seconds)

    def take_answers(self) -> list[Message]:
        """Empty the inbox, and return the answers in it."""
        with self._news:
            taken, self.inbox[:] = self.inbox[:], []
        return [one for one in taken if "method" not in one]

    def reply_to(self, body: bytes, under: object = None) -> Message:
        """Send a body of any bytes and return the answer with an id."""
        since = len(self.inbox)
        self.raw(framed(body))
        return self.answer(under, since)

    def call(self, method: str, params: Any = LEFT_OUT) -> Any:
        """Send a request and return its result."""
        answer = self.answer(self.start(method, params))
        assert "error" not in answer, answer
        return answer["result"]

    def error(self, method: str, params: Any = LEFT_OUT) -> Any:
        """Send a request that must fail and return its error."""
        answer = self.answer(self.start(method, params))
        assert "result" not in answer, str(answer)[:1000]
        return answer["error"]

    def initialize(self, **params: Any) -> Any:
        """Shake hands."""
        result = self.call("initialize", {"processId": None, "rootUri": None, "capabilities": {}, **params})
        self.notify("initialized", {})
        return result

    def asked(self, method: str) -> list[Message]:
        """Return the received requests and notifications with this method."""
        return [one for one in list(self.inbox) if one.get("method") == method]

    def progress(self, token: object) -> list[Any]:
        """Return what was received on a progress token."""
        reported = [one["params"] for one in self.asked("$/progress")]
        return [one["value"] for one in reported if one["token"] == token]

    def ended(self, seconds: float = 60) -> bool:
        """Wait for the end of the server's output, and return whether it came."""
        self._reader.join(seconds)
        return not self._reader.is_alive()

    def _read(self) -> None:
        try:
            while (body := self._next_body()) is not None:
                self._take(json.loads(body, parse_constant=_no_json))
        except ConnectionError:
            pass  # a connection may also end in a reset
        finally:
            with self._news:
                self._over = True
                self._news.notify_all()

    def _take(self, message: Message) -> None:
        with self._news:
            if "method" not in message:
                self.answered[message["id"]] = time.perf_counter()
            self.inbox.append(message)
            self._news.notify_all()
        if "id" in message and message.get("method") in self.replies:
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": self.replies[message["method"]]})

    def _next_body(self) -> bytes | None:
        """Read a body; a truncated one is stored as stray."""
        length = self._next_length()
        if length is None:
            return None
        body = self.stdout.read(length)
        if len(body) == length:
            return body
        self.stray.append(body)
        return None

    def _next_length(self) -> int | None:
        """Read up to a body; lines that are no header are stored as stray."""
        length = None
        while line := self.stdout.readline():
            name, _, value = line.partition(b":")
            if name == b"Content-Length":
                length = int(value)
            elif line == b"\r\n" and length is not None:
                return length
            else:
                self.stray.append(line)
        return None


class WireClient(Wire):
    """A server process, with a connection to its standard input and output."""

    def __init__(self, command: Sequence[str] = SERVE) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        super().__init__(self.process.stdin, self.process.stdout)
        self.stderr = self.process.stderr
        self._listener = threading.Thread(target=self._read_log, daemon=True)
        self._listener.start()

    def memory(self) -> int:
        """Return the memory that the server uses now, in bytes; Linux only."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) * 1024

    def end(self) -> int:
        """Wait until the process and its streams have ended, and return the exit code."""
        code = self.process.wait(60)
        for thread in (self._reader, self._listener):
            thread.join(60)
        return code

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self.process.kill()
        self.end()
        for stream in (self.stdin, self.stdout, self.stderr):
            with contextlib.suppress(BrokenPipeError):
                stream.close()

    def _read_log(self) -> None:
        self.log.extend(line.decode("utf-8", "replace") for line in self.stderr)


def framed(body: bytes) -> bytes:
    """Put the header before a body."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def _no_json(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
