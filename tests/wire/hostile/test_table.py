"""The whole table of hostile inputs through one server: each is answered once, and nothing of them stays."""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from tests.samples.hostile.drive import faults
from tests.samples.hostile.rows import SMALL, TURNS
from tests.samples.hostile.table import table
from tests.servers.wire_client import WireClient

LEAST = 500
MOST_FAULTS = 40  # more are not worth the wait
GROWTH = 20 * 2**20
SETTLED = 5.0  # seconds that a server without work may take to give memory back
CHAT = {"messages": TURNS}
LONG_CHAT = {"messages": [{**turn, "content": f"{n} {turn['content']}"} for n in range(700) for turn in TURNS]}  # 4 MB
ORDINARY: tuple[tuple[str, dict[str, Any]], ...] = (
    ("countTokens", {"chat": CHAT, "perMessage": True}),
    ("countTokens", {"chat": CHAT, "model": "gpt-4"}),
    ("preview", {"chat": CHAT}),
    ("prompt", {"chat": CHAT}),
    ("countTokens", {"chat": LONG_CHAT}),
    ("preview", {"chat": LONG_CHAT}),
    ("countTokens", {"chat": {"text": "a" + " " * 2**20 + "b"}}),  # what is loaded for blanks alone stays loaded
    ("preview", {"chat": {"text": "## User\n\n" + "shelf " * 2**17 + "\n\n## Assistant\n\n" + "é👍" * 2**17}}),
    ("format", {"text": "<summary>The shelves are counted.</summary>"}),
    ("continuation", SMALL),
)
REMEMBERED = 100  # plans


@pytest.fixture
def server() -> Iterator[WireClient]:
    """A server of its own, initialized."""
    client = WireClient()
    client.initialize()
    yield client
    client.close()


def test_the_table_is_wide() -> None:
    """The table has at least 500 inputs that differ in more than their ids, each with a name of its own."""
    names: list[str] = []
    contents = set()
    for row in table():
        names.append(row.name)
        own = json.dumps(row.name.partition(": ")[2])[1:-1].encode()
        contents.add(hashlib.sha256(row.data.replace(own, b"")).digest())

    assert len(set(names)) == len(names)
    assert len(contents) >= LEAST


def test_each_hostile_input_is_answered_once_and_leaves_nothing_behind(server: WireClient) -> None:
    """Each input is answered once, as it must be and within a second; then the server is as it was before.

    Memory is compared between like and like: behind ordinary work, which has filled the room for remembered plans.
    """
    ordinary(server)
    before = ordinary(server)
    used = memory(server)

    found = list(islice(faults(server, table()), MOST_FAULTS))
    assert not found, "\n".join(found)

    assert ordinary(server) == before
    assert not server.take_answers(), "an answer came late, or twice"
    assert not server.stray
    assert not server.log, "".join(server.log)
    assert settled(server, used + GROWTH) <= used + GROWTH, (
        f"from {used / 2**20:.0f} to {memory(server) / 2**20:.0f} MiB"
    )


def ordinary(server: WireClient) -> list[Any]:
    """Do what editors do all day, and give what came of it."""
    for number in range(REMEMBERED):
        server.call("compactChat/preview", {"chat": CHAT, "options": {"budget": number}})
    server.call("compactChat/summarize", {"chat": CHAT, "include": ["messages", "prompt", "raw"]})
    results = [server.call(f"compactChat/{name}", params) for name, params in ORDINARY]
    server.take_answers()
    return results


def settled(server: WireClient, wanted: int) -> int:
    """Give the memory of a server that has nothing to do, once it is what is wanted or time is up."""
    ends = time.monotonic() + SETTLED
    while memory(server) > wanted and time.monotonic() < ends:
        server.call("compactChat/continuation", SMALL)
        server.take_answers()
    return memory(server)


def memory(server: WireClient) -> int:
    """Give the memory that a server uses, where the system tells."""
    return server.memory() if sys.platform == "linux" else 0
