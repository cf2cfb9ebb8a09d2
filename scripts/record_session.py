"""Record what a client sends: a go-between of client and server that writes each message down, one JSON line each.

Let an editor start it in place of the server: python scripts/record_session.py session.jsonl. The recording holds all
that the editor sends, chats included, so look through it before it goes anywhere. `processId` is left out, since
it names a process of this machine alone. `tests/samples/recorded/` holds such recordings for the fuzz tests.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import IO, TextIO

SERVE = (sys.executable, "-m", "compact_chat", "serve")


def main(path: str) -> int:
    """Relay the standard streams to a server and record them until one side ends; return its exit code."""
    with (
        open(path, "x", encoding="utf-8") as recording,  # noqa: PTH123 -- a name typed by a person
        subprocess.Popen(SERVE, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server,
    ):
        assert server.stdin is not None
        assert server.stdout is not None
        forward = (sys.stdin.buffer, server.stdin, recording)
        threading.Thread(target=pass_on_and_write_down, args=forward, daemon=True).start()
        pass_on(server.stdout, sys.stdout.buffer)
        return server.wait()


def pass_on_and_write_down(source: IO[bytes], target: IO[bytes], recording: TextIO) -> None:
    """Pass on each frame as it came, and write its message down before the server can act on it."""
    for header, body in frames(source):
        recording.write(written(body))
        recording.flush()
        target.write(header + body)
        target.flush()
    target.close()


def frames(source: IO[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Give the header and the body of each frame of a client that keeps to the protocol."""
    header, length = b"", 0
    while line := source.readline():
        header += line
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
        elif not line.strip():
            yield header, source.read(length)
            header, length = b"", 0


def written(body: bytes) -> str:
    """Give a message as a line, its members in their order, without what tells of this machine."""
    message = json.loads(body)
    params = message.get("params")
    if isinstance(params, dict) and "processId" in params:
        params["processId"] = None
    return json.dumps(message, ensure_ascii=False) + "\n"


def pass_on(source: IO[bytes], target: IO[bytes]) -> None:
    """Pass on what comes, as soon as it comes."""
    while chunk := source.read1(2**16):  # type: ignore[attr-defined]  # BufferedReader has it
        target.write(chunk)
        target.flush()


if __name__ == "__main__":
    os._exit(main(sys.argv[1]))  # a thread may still read from standard input, which nothing can stop
