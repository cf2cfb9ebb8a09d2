"""Storms on one server: large operations in every shape, and a client that stops reading."""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from pathlib import Path
from typing import Any

from tests.bench.chats import messages, session
from tests.servers.processes import resident, seconds_until_quiet
from tests.servers.wire_client import SERVE, WireClient

Way = tuple[str, Any]
CANCELLED = (-32800, {"kind": "cancelled"})
SECONDS, PATIENCE = 60.0, 300.0  # seconds for any large answer, and for a whole flood


def asked(shape: str, folder: Path, size: int, seed: int) -> dict[str, Any]:
    """Return a chat of so many characters, none of whose messages any server has counted if the seed is new."""
    if shape == "messages":
        return {"chat": {"messages": messages(size, size // 1300, seed)}}
    if shape == "text":
        return {"chat": {"text": session(size, seed)}}
    path = folder / f"{seed}.jsonl"
    path.write_text(session(size, seed), encoding="utf-8")
    return {"chat": {"uri": path.as_uri()}}


def way(name: str, params: dict[str, Any], command: bool = False) -> Way:
    """Return an operation as a request or as a command."""
    if not command:
        return f"compactChat/{name}", params
    return "workspace/executeCommand", {"command": f"compactChat.{name}", "arguments": [params]}


class DeafClient(WireClient):
    """A client that can stop reading: after the next message it reads nothing more."""

    def __init__(self) -> None:
        self.ears = threading.Event()
        self.ears.set()
        super().__init__(SERVE)

    def flood(self, ways: list[Way]) -> threading.Thread:
        """Send requests without reading, from a thread of its own since the server may stop accepting them."""

        def send() -> None:
            with contextlib.suppress(BrokenPipeError):  # the server may be ended meanwhile
                for one in ways:
                    self.start(*one)

        self.ears.clear()
        sending = threading.Thread(target=send, daemon=True)
        sending.start()
        return sending

    def settle(self) -> None:
        """Wait until the server accepts no more of the flood, and is idle."""
        sent = -1
        while seconds_until_quiet(self.process.pid, PATIENCE) > 0 or self._last > sent:
            sent = self._last

    def close(self) -> None:
        """End the process, and read the rest."""
        self.ears.set()
        super().close()

    def _next_length(self) -> int | None:
        self.ears.wait()
        return super()._next_length()


def formats(times: int) -> list[Way]:
    """Return requests with answers twice their length, about 76 kB each; no two of a hundred are alike."""
    texts = [f"<summary>1. Current Work:\n{n} {'x' * 38_000}</summary>" for n in range(100)]
    ways = [("compactChat/format", {"text": text}) for text in texts]
    return [ways[n % 100] for n in range(times)]


def leave_unread(client: DeafClient, ways: list[Way]) -> tuple[float, list[int]]:
    """Return the MiB by which a server grows while nothing is read; then read everything and name wrong answers."""
    known = {number: client.call(*one) for number, one in {id(params): (name, params) for name, params in ways}.items()}
    first = client.start(*ways[0]) + 1
    client.answer(first - 1)
    seconds_until_quiet(client.process.pid)
    memory = resident(client.process.pid)
    sending = client.flood(ways)
    client.settle()
    grown = resident(client.process.pid) - memory
    client.ears.set()
    sending.join(PATIENCE)
    client.answer(client.start(*ways[0]), seconds=PATIENCE)
    client.until(lambda _: len(client.answered) > len(ways) + len(known) + 2, seconds=PATIENCE)
    answers = Counter(one["id"] for one in client.inbox if "method" not in one)
    found = {one["id"]: one.get("result") for one in client.inbox if "method" not in one}
    wrong = [n for n, (_, params) in enumerate(ways) if found.get(first + n) != known[id(params)]]
    return grown, wrong + [number - first for number, times in answers.items() if times > 1]
