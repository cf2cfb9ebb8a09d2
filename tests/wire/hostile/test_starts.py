"""Hostile inputs that need a server of their own: at its beginning, at its end, and where its input breaks off."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.samples.hostile.drive import faults
from tests.samples.hostile.limits import LONGEST
from tests.samples.hostile.rows import SECRET, SMALL, body
from tests.samples.hostile.starts import after_shutdown, before_greeting
from tests.servers.wire_client import WireClient, framed

METHOD = "compactChat/continuation"


@pytest.fixture
def begin() -> Iterator[Callable[[], WireClient]]:
    """Start servers that nobody has greeted yet; of each, only answers may come."""
    started: list[WireClient] = []

    def begin_one() -> WireClient:
        started.append(WireClient())
        return started[-1]

    yield begin_one
    for client in started:
        client.close()
        assert client.stray == []
        assert not client.log, "".join(client.log)


def test_before_initialize_everything_is_refused_and_nothing_breaks(begin: Callable[[], WireClient]) -> None:
    """Before `initialize` each request gets its one error, greetings of no shape too; a good greeting is then taken."""
    client = begin()

    assert list(faults(client, before_greeting())) == []
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


@pytest.mark.parametrize(("method", "code"), [("exit", 1), ("exit\0", None)])
def test_exit_without_shutdown(begin: Callable[[], WireClient], method: str, code: int | None) -> None:
    """`exit` ends the server with 1 where nothing was shut down; what only looks like it does nothing."""
    client = begin()
    client.initialize()
    client.notify(method, {"jsonrpc": "2.0"})

    if code is None:
        assert client.call(METHOD, SMALL)["message"]
    else:
        assert client.end() == code


def test_a_message_byte_by_byte(begin: Callable[[], WireClient]) -> None:
    """A message that comes in pieces of one byte is answered like any other."""
    client = begin()
    client.initialize()
    for byte in framed(body("slow", METHOD, SMALL)):
        client.raw(bytes([byte]))

    assert client.answer("slow")["result"]["message"]
    assert len(client.answers("slow")) == 1


@pytest.mark.parametrize(
    ("data", "answered"),
    [
        (b"", None),
        (b"Content-Len", None),
        (b"Content-Length: 500", None),
        (b"Content-Length: 500\r\n\r\n", None),
        (framed(body("cut", METHOD, SMALL))[:-1], None),
        (b"Content-Length: 4000000000\r\n\r\n" + body("lie", METHOD, {"summary": SECRET}), "lie"),
        (b"Content-Length: %d\r\n\r\n" % (LONGEST + 1) + body("lie", METHOD, {"summary": SECRET}), "lie"),
        (b"Content-Length: %d\r\n\r\n" % (LONGEST + 1) + b'{"jsonrpc": "2.0"' + b" " * 2**21, None),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_an_input_that_breaks_off_ends_the_server(
    begin: Callable[[], WireClient], data: bytes, answered: str | None
) -> None:
    """Where the input ends within a message, the server ends too; of a message beyond the limit it says so first."""
    client = begin()
    client.initialize()
    client.raw(data)
    client.stdin.close()

    assert client.end() == 0
    told = [(one["id"], one["error"]["data"]["kind"]) for one in client.take_answers() if "error" in one]
    beyond = b"Content-Length: 4" in data or b"%d" % (LONGEST + 1) in data
    assert told == ([(answered, "tooLarge")] if beyond else [])
