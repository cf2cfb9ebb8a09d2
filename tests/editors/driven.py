"""A real editor that does what a test says, and tells what it sees."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.editors.launch import COMMANDS, environment
from tests.editors.wire import Wire

Event = dict[str, Any]


class Driven:
    """An editor's process, all that it has told so far, and what passed between it and a server behind the tap."""

    def __init__(self, name: str, folder: Path, command: Sequence[str] = ()) -> None:
        self.folder, self.wire = folder, Wire(folder)
        self._inbox: list[Event] = []
        self._news = threading.Condition()
        self._last = 0
        with socket.create_server(("127.0.0.1", 0)) as door, (folder / "editor.log").open("wb") as log:
            home = environment(folder, door.getsockname()[1])
            self.process = subprocess.Popen(
                command or COMMANDS[name], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder, env=home
            )
            door.settimeout(20)
            self._socket, _ = door.accept()
        threading.Thread(target=self._read, daemon=True).start()

    def start(self, file: Path, server: Sequence[str], settings: object = None, **more: object) -> None:
        """Have the editor open a file and connect to a server."""
        self.say("start", file=str(file), server=server, settings=settings, **more)
        self.ready()

    def adopt(self, file: Path) -> None:
        """Have the editor connect to a server as its user has configured it."""
        self.say("adopt", file=str(file))
        self.ready()

    def ready(self) -> Event:
        """Wait until the editor is connected, and give what it understood of the server's offer."""
        return self.until(lambda one: one["event"] == "ready")

    def say(self, what: str, **details: object) -> None:
        """Have the editor do something."""
        self._socket.sendall(json.dumps({"what": what, **details}).encode() + b"\n")

    def ask(self, method: str, params: object) -> int:
        """Have the editor send a request, and give its number for this test."""
        return self._numbered("request", method=method, params=params)

    def call(self, method: str, params: object) -> Any:
        """Have the editor send a request, and give the result as it sees it."""
        return self._result(self.ask(method, params))

    def error(self, method: str, params: object) -> Any:
        """Have the editor send a request that must fail, and give the error as it sees it."""
        return self._answer(self.ask(method, params))["error"]

    def command(self, command: str, params: object) -> Any:
        """Have the editor run a command in its own way, and give the result as it sees it."""
        return self._result(self._numbered("command", command=command, params=params))

    def evaluate(self, code: str) -> Any:
        """Have the editor evaluate an expression of its language."""
        return self._result(self._numbered("evaluate", code=code))

    def seen(self, event: str) -> list[Event]:
        """What the editor has told of a kind."""
        return [one for one in list(self._inbox) if one["event"] == event]

    def progress(self, token: object) -> list[Any]:
        """What the editor has heard on a token."""
        return [one["value"] for one in self.seen("progress") if one["token"] == token]

    def until(self, wanted: Callable[[Event], bool], seconds: float = 20) -> Event:
        """Wait for something that the editor tells, or has told; a failure of its driver ends the waiting."""
        with self._news:
            found = self._news.wait_for(
                lambda: next((one for one in self._inbox if wanted(one) or one["event"] == "failed"), None), seconds
            )
        said = f"told: {str(self._inbox)[-1000:]}; the editor's log: {self.log()[-2000:]}"
        assert found is not None, f"nothing came; {said}"
        assert found["event"] != "failed", f"{found['text']}; {said}"
        return found

    def log(self) -> str:
        """What the editor wrote, among it what it would have shown in its message line."""
        return (self.folder / "editor.log").read_text("utf-8", "replace")

    def kill(self) -> None:
        """End the editor as a crash does."""
        self.process.kill()
        self.process.wait(20)

    def close(self) -> None:
        """Let the editor leave; one that does not is killed."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.kill()
        self._socket.close()

    def _result(self, number: int) -> Any:
        answer = self._answer(number)
        assert "error" not in answer, answer["error"]
        return answer.get("result")

    def _answer(self, number: int) -> Event:
        return self.until(lambda one: one["event"] == "answer" and one["number"] == number)

    def _numbered(self, what: str, **details: object) -> int:
        self._last += 1
        self.say(what, number=self._last, **details)
        return self._last

    def _read(self) -> None:
        with contextlib.suppress(OSError), self._socket.makefile("rb") as lines:
            for line in lines:
                with self._news:
                    self._inbox.append(json.loads(line))
                    self._news.notify_all()
