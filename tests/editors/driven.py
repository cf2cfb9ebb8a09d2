"""A real editor driven by a test: it reports what it sees, and what passed between it and the server."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.servers.processes import within

Event = dict[str, Any]
Message = dict[str, Any]
TAP = Path(__file__).with_name("tap.py")
HEADER = re.compile(rb"([\w-]+): *([^\r\n]*)")
TOKENS = ("workDoneToken", "partialResultToken")
DECLARED = {
    "workspace/configuration": ("workspace", "configuration"),
    "client/registerCapability": ("workspace", "didChangeConfiguration", "dynamicRegistration"),
    "window/workDoneProgress/create": ("window", "workDoneProgress"),
}
DRIVERS = Path(__file__).with_name("drivers")
COMMANDS: dict[str, tuple[str, ...]] = {
    "neovim": ("nvim", "--headless", "-c", f"luafile {DRIVERS / 'neovim.lua'}"),
    "emacs": ("emacs", "--batch", "--load", str(DRIVERS / "emacs.el")),
    "node": ("node", str(DRIVERS / "node.js")),
}
HAS_EGLOT = ("emacs", "--batch", "--eval", "(progn (package-activate-all) (require 'eglot))")


def require(name: str) -> None:
    """Skip the test with a reason if the editor is missing; fail if the environment requires all editors."""
    if (reason := missing(name)) is not None:
        (pytest.fail if os.environ.get("REQUIRE_EDITORS") == "1" else pytest.skip)(reason)


@functools.cache
def missing(name: str) -> str | None:
    """Return what is missing for an editor; None if it can be driven."""
    program = COMMANDS[name][0]
    if shutil.which(program) is None:
        return f"{program} is not installed"
    if name == "emacs" and subprocess.run(HAS_EGLOT, capture_output=True, check=False).returncode != 0:
        return "Emacs has no eglot"
    if name == "node" and not (DRIVERS.parent / "node_modules").is_dir():
        return "`npm ci` was not run in tests/editors"
    return None


def environment(home: Path, port: int) -> dict[str, str]:
    """Return the environment of a user without settings, and with commands in a folder of their own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    path = os.pathsep.join((str(home / "bin"), os.environ["PATH"]))
    return {**kept, "HOME": str(home), "PATH": path, "LC_ALL": "C.UTF-8", "DRIVER_PORT": str(port)}


class Wire:
    """The messages in both directions, as files in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def tapped(self, server: tuple[str, ...]) -> tuple[str, ...]:
        """Return the command that runs a server behind the tap."""
        return (sys.executable, "-I", "-S", str(TAP), str(self._folder), *server)

    def asked(self) -> list[Message]:
        """All messages from the editor."""
        return list(messages((self._folder / "asked").read_bytes()))

    def reported(self) -> list[Message]:
        """All messages from the server, which may write nothing but frames."""
        return list(messages((self._folder / "told").read_bytes()))

    def log(self) -> str:
        """What the server wrote to standard error."""
        return (self._folder / "log").read_text("utf-8", "replace")

    def answers(self, number: object) -> list[Message]:
        """Return the answers under an id."""
        return [one for one in self.reported() if "method" not in one and one["id"] == number]

    def answered(self) -> Counter[str]:
        """Count the answers under each id."""
        return Counter(str(one["id"]) for one in self.reported() if "method" not in one)

    def tokens(self, method: str) -> set[object]:
        """Return the tokens that the server sent with a method."""
        return {one["params"]["token"] for one in self.reported() if one.get("method") == method}

    def declared(self, *names: str) -> bool:
        """Return whether the editor declared a capability."""
        value = next(one for one in self.asked() if one["method"] == "initialize")["params"]["capabilities"]
        for name in names:
            value = value.get(name) if isinstance(value, dict) else None
        return value is True

    def until(self, find: Callable[[], Any], seconds: float = 60) -> Any:
        """Wait until something is found in the messages, and return it."""
        within(seconds, lambda: bool(find()))
        return find()


def check(wire: Wire) -> None:
    """Check that each request has one answer, only declared things were requested or sent, and nothing was logged."""
    wanted = Counter(str(one["id"]) for one in wire.asked() if "method" in one and "id" in one)
    wire.until(lambda: wanted <= wire.answered())
    assert wire.answered() == wanted
    methods = {one["method"] for one in wire.reported() if "method" in one}
    assert methods <= {"$/progress", "$/cancelRequest", *DECLARED}
    assert [method for method in methods & DECLARED.keys() if not wire.declared(*DECLARED[method])] == []
    given = {token for one in wire.asked() for token in tokens(one.get("params"))}
    assert wire.tokens("$/progress") <= given | wire.tokens("window/workDoneProgress/create")
    assert wire.log() == ""


def tokens(params: Any) -> set[object]:
    """Return the tokens in a request or a command."""
    if not isinstance(params, dict):
        return set()
    places = [params, *params.get("arguments", [])]
    return {place[name] for place in places for name in TOKENS if isinstance(place, dict) and name in place}


def messages(data: bytes) -> Iterator[Message]:
    """Read frames up to the first incomplete one; nothing may lie between them."""
    while data:
        head, blank, data = data.partition(b"\r\n\r\n")
        if not blank:
            return
        fields = [HEADER.fullmatch(line) for line in head.split(b"\r\n")]
        assert None not in fields, f"no header: {head[:200]!r}"
        length = next(int(field[2]) for field in fields if field and field[1].lower() == b"content-length")
        if len(data) < length:
            return
        yield json.loads(data[:length])
        data = data[length:]


class Driven:
    """An editor's process, its reports so far, and the messages between it and a server behind the tap."""

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
            door.settimeout(60)
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
        """Wait until the editor is connected, and return its view of the server's capabilities."""
        return self.until(lambda one: one["event"] == "ready")

    def say(self, what: str, **details: object) -> None:
        """Have the editor do something."""
        self._socket.sendall(json.dumps({"what": what, **details}).encode() + b"\n")

    def ask(self, method: str, params: object) -> int:
        """Have the editor send a request, and return its number within this test."""
        return self._numbered("request", method=method, params=params)

    def call(self, method: str, params: object) -> Any:
        """Have the editor send a request, and return the result as the editor sees it."""
        return self._result(self.ask(method, params))

    def error(self, method: str, params: object) -> Any:
        """Have the editor send a request that must fail, and return the error as the editor sees it."""
        return self._answer(self.ask(method, params))["error"]

    def command(self, command: str, params: object) -> Any:
        """Have the editor run a command in its own way, and return the result as the editor sees it."""
        return self._result(self._numbered("command", command=command, params=params))

    def evaluate(self, code: str) -> Any:
        """Have the editor evaluate an expression in its language."""
        return self._result(self._numbered("evaluate", code=code))

    def seen(self, event: str) -> list[Event]:
        """Return the editor's reports of a kind."""
        return [one for one in list(self._inbox) if one["event"] == event]

    def progress(self, token: object) -> list[Any]:
        """Return the progress that the editor received on a token."""
        return [one["value"] for one in self.seen("progress") if one["token"] == token]

    def until(self, wanted: Callable[[Event], bool], seconds: float = 60) -> Event:
        """Wait for a report of the editor, past or future; a failure of its driver ends the wait."""
        with self._news:
            found = self._news.wait_for(
                lambda: next((one for one in self._inbox if wanted(one) or one["event"] == "failed"), None), seconds
            )
        said = f"told: {str(self._inbox)[-1000:]}; the editor's log: {self.log()[-2000:]}"
        assert found is not None, f"nothing came; {said}"
        assert found["event"] != "failed", f"{found['text']}; {said}"
        return found

    def log(self) -> str:
        """The editor's output, including what its message line would have shown."""
        return (self.folder / "editor.log").read_text("utf-8", "replace")

    def kill(self) -> None:
        """Kill the editor, as a crash would."""
        self.process.kill()
        self.process.wait(60)

    def close(self) -> None:
        """Let the editor quit; kill it if it does not."""
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
