"""Real agents, each with a home of its own, on a model of ours: run headless, or on a screen in tmux."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.agents.model import Model

HERE = Path(__file__).parent
PATIENCE = 60.0  # seconds for an agent's answer on a busy machine


def programs() -> Path:
    """Return the folder with the agents' programs; skip the test where they are not installed."""
    found = subprocess.run([HERE / "install.sh", "--where"], capture_output=True, text=True, check=True).stdout.strip()
    if not (Path(found) / "installed").exists():
        pytest.skip("the agents are not installed: run tests/agents/install.sh, which needs npm and a registry")
    return Path(found) / "node_modules" / ".bin"


class Agent:
    """An agent in a home of its own, with `compact-chat` on its PATH."""

    def __init__(self, root: Path, model: Model) -> None:
        self.model, self.home, self.project = model, root / "home", root / "project"
        self.program = ""
        shim = root / "bin" / "compact-chat"
        for folder in (self.home, self.project, shim.parent):
            folder.mkdir()
        source = os.pathsep.join(path for path in sys.path if path)
        shim.write_text(
            f'#!/bin/sh\nPYTHONPATH={shlex.quote(source)} exec {shlex.quote(sys.executable)} -m compact_chat "$@"\n'
        )
        shim.chmod(0o755)
        usual = {name: os.environ[name] for name in ("LANG",) if name in os.environ}
        path = os.pathsep.join((str(shim.parent), os.environ["PATH"]))
        self.env = {**usual, "PATH": path, "HOME": str(self.home), "NO_PROXY": "127.0.0.1", "TERM": "xterm-256color"}
        subprocess.run(["git", "init", "-q"], cwd=self.project, check=True)

    def ours(self, *arguments: str) -> str:
        """Run Compact Chat as the agent's user."""
        command = ["compact-chat", *arguments]
        done = subprocess.run(command, env=self.env, cwd=self.project, capture_output=True, text=True, check=True)
        return done.stdout

    def run(self, *arguments: str) -> str:
        """Run the agent's program without a screen."""
        command = [self.program, *arguments]
        done = subprocess.run(
            command,
            check=False,
            env=self.env,
            cwd=self.project,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=90,
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return done.stdout

    def files(self, folder: str) -> dict[str, bytes]:
        """The files of one of its folders that matter to installing."""
        top = self.home / folder
        names = ("settings.json", "hooks.json", "hooks/compact-chat.json")
        return {name: (top / name).read_bytes() for name in names if (top / name).exists()}

    @contextmanager
    def screen(self, *arguments: str) -> Iterator[Screen]:
        """Start it on a screen."""
        if not shutil.which("tmux"):
            pytest.skip("there is no tmux here, which shows the agent's screen")
        screen = Screen(self, arguments)
        try:
            yield screen
        finally:
            screen.tmux("kill-server")
            self.end_rest()

    def end_rest(self) -> None:
        """End what the agent left running in its home, as Codex does with its own server."""
        mark = f"HOME={self.home}".encode()
        for place in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):  # it ended by itself, or is another user's
                if mark in place.read_bytes().split(b"\0"):
                    os.kill(int(place.parent.name), signal.SIGKILL)


class Screen:
    """An agent's terminal."""

    def __init__(self, agent: Agent, arguments: tuple[str, ...]) -> None:
        self._agent, self._socket = agent, str(agent.home.parent / "tmux")
        words = ["env", "-i", *(f"{name}={value}" for name, value in agent.env.items()), agent.program, *arguments]
        self.tmux(
            "-f", "/dev/null", "new-session", "-d", "-x", "150", "-y", "45", "-c", str(agent.project), shlex.join(words)
        )

    def tmux(self, *arguments: str) -> str:
        """Run a command of tmux."""
        return subprocess.run(
            ["tmux", "-S", self._socket, *arguments], capture_output=True, text=True, check=False
        ).stdout

    def text(self) -> str:
        """What is on the screen."""
        return self.tmux("capture-pane", "-p")

    def until(self, is_so: Callable[[], bool], what: str) -> None:
        """Wait until something is so."""
        end = time.monotonic() + PATIENCE
        while not is_so():
            assert time.monotonic() < end, f"no {what}:\n{self.text()}"
            time.sleep(0.1)

    def shows(self, text: str) -> None:
        """Wait until a text is on the screen."""
        self.until(lambda: text in self.text(), f"`{text}` on the screen")

    def choose(self, row: str) -> None:
        """Choose a row of a question by its number."""
        self.tmux("send-keys", row)
        time.sleep(0.5)  # what follows faster is taken for a paste
        self.tmux("send-keys", "Enter")

    def say(self, text: str) -> None:
        """Type a line, and wait for the request that it leads to."""
        before = len(self._agent.model.requests)
        self.tmux("send-keys", "-l", text)
        time.sleep(0.5)  # what follows faster is taken for a paste
        self.tmux("send-keys", "Enter")
        self.until(lambda: len(self._agent.model.requests) > before, "request")


def write_json(path: Path, value: object) -> None:
    """Write an agent's settings."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2) + "\n")
