"""What tests need of chats that are watched: how they grow, and what is told of them."""

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
# A process that writes the lines it is given to the end of a file, some at a time and cut anywhere.
WRITER = """
import os, sys, time
data, size = sys.stdin.buffer.read(), int(sys.argv[2])
with open(sys.argv[1], "ab", buffering=0) as file:
    for start in range(0, len(data), size):
        file.write(data[start:start + size])
        time.sleep(float(sys.argv[3]))
"""


def lines(first: int, last: int, text: str = "nine trays ") -> str:
    """Give lines of a session by their numbers."""
    return "".join(json.dumps(record(number, f"{text}{number}")) + "\n" for number in range(first, last))


def say(path: Path, data: str) -> None:
    """Write to the end of a file."""
    with path.open("a") as file:
        file.write(data)


def written(path: Path, data: str, size: int, pause: float = 0.0) -> subprocess.Popen[bytes]:
    """Have another process write to the end of a file, so many bytes at a time."""
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
    """Wait for a report on a watch that is as it is wanted."""

    def fits(one: Message) -> bool:
        told = one.get("params", {})
        return one.get("method") == METER and told["watchId"] == name and wanted(told["report"])

    return client.until(fits, since, PATIENCE)["params"]["report"]


def counted(client: Wire, path: Path) -> Any:
    """Count a chat."""
    return client.call("compactChat/countTokens", {"chat": {"uri": path.as_uri()}})


def begun(client: ClientState, **params: Any) -> tuple[Any, Callable[[], Any]]:
    """Watch, and give what was told and what looks again."""
    told = perform_alone("watch", params, Job(client))
    assert client.watches.begin(told["watchId"])
    return told, dict(client.watches.begun())[told["watchId"]]
