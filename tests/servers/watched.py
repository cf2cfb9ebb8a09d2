"""Helpers for tests of watched chats: how they grow, and the reports on them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from compact_chat.operations import ClientState, Job
from tests.bench.chats import record
from tests.samples.alone import perform_alone
from tests.servers.wire_client import Message, Wire

METER = "compactChat/meter"
PATIENCE = 60.0
# A process that appends the lines it is given to a file, some at a time and split anywhere.
WRITER = """
import os, sys, time
data, size = sys.stdin.buffer.read(), int(sys.argv[2])
with open(sys.argv[1], "ab", buffering=0) as file:
    for start in range(0, len(data), size):
        file.write(data[start:start + size])
        time.sleep(float(sys.argv[3]))
"""


def lines(first: int, last: int, text: str = "nine trays ") -> str:
    """Return lines of a session by their numbers."""
    return "".join(json.dumps(record(number, f"{text}{number}")) + "\n" for number in range(first, last))


def say(path: Path, data: str) -> None:
    """Append to a file."""
    with path.open("a") as file:
        file.write(data)


def written(path: Path, data: str, size: int, pause: float = 0.0) -> subprocess.Popen[bytes]:
    """Have another process append to a file, so many bytes at a time."""
    command = [sys.executable, "-c", WRITER, str(path), str(size), str(pause)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(data.encode())
    process.stdin.close()
    return process


def watch(client: Wire, **params: Any) -> Any:
    """Watch a chat."""
    return client.call("compactChat/watch", params)


def meter(client: Wire, name: str, wanted: Callable[[Any], bool] = lambda _: True, since: int = 0) -> Any:
    """Wait for a report on a watch that satisfies a predicate."""

    def fits(one: Message) -> bool:
        reported = one.get("params", {})
        return one.get("method") == METER and reported["watchId"] == name and wanted(reported["report"])

    return client.until(fits, since, PATIENCE)["params"]["report"]


def counted(client: Wire, path: Path) -> Any:
    """Count a chat."""
    return client.call("compactChat/countTokens", {"chat": {"uri": path.as_uri()}})


def begun(client: ClientState, **params: Any) -> tuple[Any, Callable[..., Any]]:
    """Watch, and return the report and the function that polls again."""
    reported = perform_alone("watch", params, Job(client))
    assert client.watches.begin(reported["watchId"])
    return reported, client.watches.begun()[reported["watchId"]]
