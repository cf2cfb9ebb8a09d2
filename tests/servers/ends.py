"""Servers that are ended in every way and at every moment, and the possible faults of such an end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from tests.bench.chats import session as chat_lines
from tests.servers.processes import Watched, marked
from tests.servers.wire_client import SERVE, framed

Env = dict[str, str]
FOLDERS = {
    "HOME": "home",
    "TMPDIR": "tmp",
    "XDG_CACHE_HOME": "cache",
    "XDG_CONFIG_HOME": "config",
    "XDG_DATA_HOME": "data",
    "XDG_STATE_HOME": "state",
    "XDG_RUNTIME_DIR": "run",
}
MARK = "COMPACT_CHAT_TEST_MARK"
SIGNALS = ("SIGKILL", "SIGTERM", "SIGINT")
NAMED = ("named client",)  # detected only by `processId`: the test holds the pipes, and the client stays a zombie
WAYS = (*SIGNALS, "end of input", "client killed", *NAMED)
CODES = {"SIGKILL": -9, "SIGINT": 130}  # the id of an initialized server; 0 for all other ways
# A client that starts a server, forwards its input, reports the first answer's beginning, and holds the pipes.
CLIENT = """
import subprocess, sys, time
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
print(server.pid, flush=True)
server.stdin.write(sys.stdin.buffer.read())
server.stdin.flush()
print(server.stdout.readline().decode(), flush=True)
time.sleep(60)
"""
LAST_MOMENT, PATIENCE = 0.4, 20.0  # seconds


class Trial(NamedTuple):
    """One run: how it ends, how many seconds after its start or its first answer, and how much work it gets."""

    way: str
    after: float
    answered: bool
    depth: int  # 0 sends nothing, 1 `initialize`, 2 also a big `summarize`


class Death(NamedTuple):
    """The outcome: seconds from the kill to the end, the exit code if known, and the output."""

    trial: Trial
    seconds: float
    code: int
    output: bytes
    log: str


def trials(way: str, count: int) -> list[Trial]:
    """Spread moments evenly: every other one counts from the first answer, and each depth has early and late ones."""
    answered = [way in NAMED or n % 2 == 1 for n in range(count)]  # nothing identifies the client before `initialize`
    depths = [max(int(answered[n]), n // 2 % 3) for n in range(count)]
    return [Trial(way, LAST_MOMENT * n / count, answered[n], depths[n]) for n in range(count)]


def private_places(folder: Path) -> Env:
    """Create empty folders for everything that a program may leave behind; return the environment that names them."""
    places = {name: str(folder / place) for name, place in FOLDERS.items()}
    for place in places.values():
        Path(place).mkdir()
    return {**os.environ, **places, MARK: str(folder)}


def left_behind(env: Env) -> list[str]:
    """List the processes, files and folders created since."""
    places = {Path(env[name]) for name in FOLDERS}
    return [*map(str, marked(env[MARK])), *(str(one) for one in Path(env[MARK]).rglob("*") if one not in places)]


def big_chat(path: Path, size: int = 4_000_000) -> Path:
    """Write a chat of so many characters, in its tool's format."""
    path.write_text(chat_lines(size), encoding="utf-8")
    return path


def session(depth: int, chat: Path, process: int | None = None) -> bytes:
    """Return the first bytes of a session, as deep as a trial says."""
    hello = {"id": 1, "method": "initialize", "params": {"processId": process, "capabilities": {}}}
    work = {"id": 2, "method": "compactChat/summarize", "params": {"chat": {"uri": chat.as_uri()}, "workDoneToken": 1}}
    sent: list[Any] = [hello, {"method": "initialized", "params": {}}, work][: (0, 1, 3)[depth]]
    return b"".join(framed(json.dumps({"jsonrpc": "2.0", **one}).encode()) for one in sent)


def die(trial: Trial, env: Env, chat: Path) -> Death:
    """Start a server, let it run for the trial's time, and end it."""
    if trial.way == "client killed":
        return _die_with_client(trial, env, chat)
    pipe = subprocess.PIPE
    named = subprocess.Popen(("sleep", "60"), env=env) if trial.way in NAMED else None
    with subprocess.Popen(SERVE, stdin=pipe, stdout=pipe, stderr=pipe, env=env, cwd=env["HOME"]) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        watched = Watched(server.pid)
        server.stdin.write(session(trial.depth, chat, named.pid if named else None))
        server.stdin.flush()
        head = server.stdout.readline() if trial.answered else b""
        time.sleep(trial.after)
        seconds = _strike(trial.way, server, named, watched)
        output, log = head + server.stdout.read(), server.stderr.read()
    return Death(trial, seconds, server.returncode, output, log.decode())


def _strike(way: str, server: subprocess.Popen[bytes], named: subprocess.Popen[bytes] | None, it: Watched) -> float:
    """End the server in one way, and return the seconds that it took."""
    if named is not None:
        named.kill()
    elif way in SIGNALS:
        server.send_signal(signal.Signals[way])
    elif server.stdin is not None:
        server.stdin.close()
    seconds = it.seconds_until_gone(PATIENCE)
    it.kill()  # if it survives, it must not affect the next trial
    if named is not None:
        named.wait()
    return seconds


def _die_with_client(trial: Trial, env: Env, chat: Path) -> Death:
    """Kill the process that started the server and holds its pipes."""
    pipe, command = subprocess.PIPE, (sys.executable, "-I", "-S", "-c", CLIENT, *SERVE)
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=env) as client:
        assert client.stdin is not None
        assert client.stdout is not None
        client.stdin.write(session(trial.depth, chat))
        client.stdin.close()
        watched = Watched(int(client.stdout.readline()))
        head = client.stdout.readline() if trial.answered else b""
        time.sleep(trial.after)
        client.kill()
        seconds = watched.seconds_until_gone(PATIENCE)
        watched.kill()
    return Death(trial, seconds, 0, head, "")  # its exit code and the rest of its output went with its client


def faults(death: Death, limit: float) -> list[str]:
    """Return what is wrong with an end."""
    began, cut = death.output.startswith(b"Content-Length"), whole_messages(death.output)[1] != b""
    found = {
        "it lived on": death.seconds > limit,
        "it never answered": death.trial.answered and not began,
        "the code is wrong": death.trial.answered and death.code != CODES.get(death.trial.way, 0),
        "it said something": death.log != "",
        "a message is cut": cut and death.trial.way not in ("SIGKILL", "client killed"),
    }
    return [f"{what}: {death}" for what, is_so in found.items() if is_so]


def whole_messages(output: bytes) -> tuple[list[Any], bytes]:
    """Split the output into its whole frames and the rest."""
    found = []
    while b"\r\n\r\n" in output:
        head, _, rest = output.partition(b"\r\n\r\n")
        length = int(head.removeprefix(b"Content-Length: "))
        if len(rest) < length:
            break
        found.append(json.loads(rest[:length]))
        output = rest[length:]
    return found, output
