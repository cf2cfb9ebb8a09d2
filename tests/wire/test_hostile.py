"""Hostile inputs: each is answered once, and nothing of it stays or comes out in an error, a notice or a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from compact_chat.serve.rpc import MAX_BODY
from tests.samples.hostile.drive import faults, table
from tests.samples.hostile.requests import after_shutdown, before_initialize
from tests.samples.hostile.rows import CHAT, CODES, METHOD, SECRET, SMALL, TURNS, Row, body
from tests.servers.processes import children, open_files, seconds_until_quiet, thread_states
from tests.servers.wire_client import SERVE, WireClient, framed

MOST_FAULTS = 40  # more are not worth the wait
GROWTH, PLANS = 20 * 2**20, 100  # bytes; what is remembered
SETTLED = 20.0  # seconds that a server without work may take to give memory back
ELSEWHERE = {
    "notInitialized",
    "tokenRefused",
    "forgotten",
    "internal",
    "noSections",
    "draftOutdated",
    "noPlace",
}  # of other tests
ORDINARY: tuple[tuple[str, dict[str, Any]], ...] = (
    ("countTokens", {"chat": CHAT, "perMessage": True}),
    ("countTokens", {"chat": CHAT, "model": "gpt-4"}),
    (
        "preview",
        {"chat": {"messages": [{**turn, "content": f"{n} {turn['content']}"} for n in range(350) for turn in TURNS]}},
    ),
    ("countTokens", {"chat": {"text": "a" + " " * 2**20 + "b"}}),  # what is loaded for blanks alone stays loaded
    ("preview", {"chat": {"text": "## User\n\n" + "shelf " * 2**17 + "\n\n## Assistant\n\n" + "é👍" * 2**17}}),
    ("format", {"text": "<summary>The shelves are counted.</summary>"}),
)


@pytest.fixture
def begin() -> Iterator[Callable[[], WireClient]]:
    """Start servers that nobody has greeted yet; only answers may come of each."""
    started: list[WireClient] = []

    def begin_one() -> WireClient:
        started.append(WireClient())
        return started[-1]

    yield begin_one
    for client in started:
        client.close()
        assert (client.stray, client.log) == ([], [])


def test_each_hostile_input_is_answered_once_and_leaves_nothing_behind(tmp_path: Path) -> None:
    """Each input is answered once, as it must be; then the server works and holds as before, and no log a word of it.

    Memory is compared between like and like: after ordinary work, which has filled the room for remembered plans.
    """
    log, kinds = tmp_path / "server.log", set[str]()
    server = WireClient((*SERVE, "--log-file", str(log)))
    server.initialize(initializationOptions={"compactChat": {"capabilities": {SECRET: SECRET}}})
    ordinary(server)
    before = ordinary(server)
    used, held = memory(server), left(server)

    found = list(islice(faults(server, noted(table(), kinds)), MOST_FAULTS))
    assert not found, "\n".join(found)

    assert ordinary(server) == before
    assert settled(server, used + GROWTH) <= used + GROWTH
    assert left(server) == held
    server.close()
    assert (server.stray, server.log) == ([], [])
    assert SECRET not in log.read_text("utf-8")
    assert kinds == CODES.keys() - ELSEWHERE | {""}


def noted(rows: Iterator[Row], kinds: set[str]) -> Iterator[Row]:
    """Note the kinds of errors that rows want."""
    for row in rows:
        kinds.update(want.kind for want in row.wants)
        yield row


def ordinary(server: WireClient) -> list[Any]:
    """Do what editors do all day, and give what came of it."""
    for number in range(PLANS):
        server.call("compactChat/preview", {"chat": CHAT, "options": {"budget": number}})
    server.call("compactChat/summarize", {"chat": CHAT, "include": ["messages", "prompt", "raw"]})
    results = [server.call(f"compactChat/{name}", params) for name, params in ORDINARY]
    server.take_answers()
    return results


def settled(server: WireClient, wanted: int) -> int:
    """Give the memory of a server that has nothing to do, once it is what is wanted or time is up."""
    ends = time.monotonic() + SETTLED
    while memory(server) > wanted and time.monotonic() < ends:
        server.call(METHOD, SMALL)
        server.take_answers()
    return memory(server)


def left(server: WireClient) -> tuple[list[str], list[int], set[str]]:
    """Give what a server has open once it is quiet, its children, and the states of its threads, where Linux tells."""
    number = server.process.pid
    if sys.platform != "linux":
        return [], [], set()
    seconds_until_quiet(number)
    return open_files(number), children(number), set(thread_states(number))


def memory(server: WireClient) -> int:
    """Give the memory that a server uses, where the system tells."""
    return server.memory() if sys.platform == "linux" else 0


def test_before_initialize_everything_is_refused(begin: Callable[[], WireClient]) -> None:
    """Before `initialize` each request gets its one error, greetings of no shape too; a good greeting is then taken."""
    client = begin()

    assert list(faults(client, before_initialize())) == []
    client.initialize()
    assert client.call(METHOD, SMALL)["message"]


def test_after_shutdown_everything_is_refused(begin: Callable[[], WireClient]) -> None:
    """`shutdown` ends what is under way; then each request gets its one error, until `exit` ends the server with 0."""
    client = begin()
    client.initialize()
    client.take_answers()

    assert list(faults(client, after_shutdown())) == []
    client.notify("exit", None)
    assert client.end() == 0


@pytest.mark.parametrize(
    ("data", "answered"),
    [
        (b"Content-Length: 500", None),
        (b"Content-Length: 500\r\n\r\n", None),
        (framed(body("cut", METHOD, SMALL))[:-1], None),
        (b"Content-Length: 4000000000\r\n\r\n" + body("lie", METHOD, {"summary": SECRET}), ["lie"]),
        (b"Content-Length: %d\r\n\r\n" % (MAX_BODY + 1) + b'{"jsonrpc": "2.0"' + b" " * 2**21, [None]),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_an_input_that_breaks_off_ends_the_server(
    begin: Callable[[], WireClient], data: bytes, answered: list[Any] | None
) -> None:
    """Where the input ends within a message, the server ends too; of a message beyond the limit it says so first."""
    client = begin()
    client.initialize()
    client.take_answers()
    client.raw(data)
    client.stdin.close()

    assert client.end() == 0
    assert [(one["id"], one["error"]["data"]["kind"]) for one in client.take_answers()] == [
        (under, "tooLarge") for under in answered or []
    ]
