"""A JSON-RPC client over pipes that knows nothing of the server's libraries, and can talk nonsense."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

Message = dict[str, Any]
SERVE = (sys.executable, "-m", "compact_chat", "serve")
FAKE = (sys.executable, str(Path(__file__).with_name("wire_server.py")))
LEFT_OUT = object()


class WireClient:
    """A server process, all that it has sent so far, and ways to speak to it."""

    def __init__(self, command: Sequence[str] = SERVE) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.stdin, self.stdout, self.stderr = self.process.stdin, self.process.stdout, self.process.stderr
        self.inbox: list[Message] = []
        self.stray: list[bytes] = []
        self.log: list[str] = []
        self.replies: dict[str, Any] = {}
        self.answered: dict[object, float] = {}
        self._last = 0
        self._news = threading.Condition()
        self._threads = [threading.Thread(target=job, daemon=True) for job in (self._read, self._read_log)]
        for thread in self._threads:
            thread.start()

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
        """Send a request, without the member where params are left out, and give its id."""
        self._last += 1
        given = {} if params is LEFT_OUT else {"params": params}
        self.send({"jsonrpc": "2.0", "id": self._last, "method": method, **given})
        return self._last

    def until(self, wanted: Callable[[Message], bool], since: int = 0, seconds: float = 20) -> Message:
        """Wait for a message, among those here from a place in the inbox on or still to come."""
        with self._news:
            found = self._news.wait_for(lambda: next(filter(wanted, self.inbox[since:]), None), seconds)
        assert found is not None, f"nothing came; inbox {str(self.inbox)[-1000:]}, log {self.log[-5:]}"
        return found

    def answer(self, number: object, since: int = 0, seconds: float = 20) -> Message:
        """Wait for the answer under an id, which must be written out."""
        return self.until(lambda one: "method" not in one and one["id"] == number, since, seconds)

    def answers(self, number: object) -> list[Message]:
        """All answers that have come under an id."""
        return [one for one in list(self.inbox) if "method" not in one and one["id"] == number]

    def reply_to(self, body: bytes, under: object = None) -> Message:
        """Send a body of any bytes and give what is answered under an id."""
        since = len(self.inbox)
        self.raw(framed(body))
        return self.answer(under, since)

    def call(self, method: str, params: Any = LEFT_OUT) -> Any:
        """Send a request and give its result."""
        answer = self.answer(self.start(method, params))
        assert "error" not in answer, answer
        return answer["result"]

    def error(self, method: str, params: Any = LEFT_OUT) -> Any:
        """Send a request that must fail and give its error."""
        answer = self.answer(self.start(method, params))
        assert "result" not in answer, str(answer)[:1000]
        return answer["error"]

    def initialize(self, **params: Any) -> Any:
        """Shake hands."""
        result = self.call("initialize", {"processId": None, "rootUri": None, "capabilities": {}, **params})
        self.notify("initialized", {})
        return result

    def asked(self, method: str) -> list[Message]:
        """The requests and notifications of this method that have come."""
        return [one for one in list(self.inbox) if one.get("method") == method]

    def progress(self, token: object) -> list[Any]:
        """What has come on a progress token."""
        told = [one["params"] for one in self.asked("$/progress")]
        return [one["value"] for one in told if one["token"] == token]

    def end(self) -> int:
        """Wait until the process and its streams have ended, and give the exit code."""
        code = self.process.wait(20)
        for thread in self._threads:
            thread.join(20)
        return code

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self.process.kill()
        self.end()
        for stream in (self.stdin, self.stdout, self.stderr):
            with contextlib.suppress(BrokenPipeError):
                stream.close()

    def _read(self) -> None:
        while (length := self._next_length()) is not None:
            message = json.loads(self.stdout.read(length), parse_constant=_no_json)
            with self._news:
                if "method" not in message:
                    self.answered[message["id"]] = time.perf_counter()
                self.inbox.append(message)
                self._news.notify_all()
            if "id" in message and message.get("method") in self.replies:
                self.send({"jsonrpc": "2.0", "id": message["id"], "result": self.replies[message["method"]]})

    def _next_length(self) -> int | None:
        """Read up to a body; lines that are no header are kept as stray."""
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

    def _read_log(self) -> None:
        self.log.extend(line.decode("utf-8", "replace") for line in self.stderr)


def framed(body: bytes) -> bytes:
    """Put the header before a body."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def _no_json(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
