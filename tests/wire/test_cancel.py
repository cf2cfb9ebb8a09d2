"""Cancelling stops the work, and is answered exactly once."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.servers.wire_client import WireClient, framed

REQUEST = ("compactChat/wait", {"workDoneToken": "w"})
COMMAND = ("workspace/executeCommand", {"command": "compactChat.wait", "workDoneToken": "w"})
CANCELLED = {
    "code": -32800,
    "message": "The operation was cancelled; nothing was changed.",
    "data": {"kind": "cancelled"},
}


def begun(client: WireClient, way: tuple[str, Any]) -> int:
    """Ask for work and wait until it is under way."""
    number = client.start(*way)
    client.until(lambda one: one.get("method") == "$/progress")
    return number


@pytest.fixture
def busy(start: Callable[[], WireClient]) -> WireClient:
    """A server of its own, whose `stopped` tells whether the thread of a cancelled `wait` has ended."""
    client = start()
    client.initialize()
    return client


@pytest.mark.parametrize("way", [REQUEST, COMMAND], ids=["request", "command"])
def test_cancelling_stops_the_work(busy: WireClient, way: tuple[str, Any]) -> None:
    """A cancelled request or command is answered with -32800 once, and its thread stops."""
    number = begun(busy, way)
    busy.notify("$/cancelRequest", {"id": number})
    assert busy.answer(number)["error"] == CANCELLED
    assert busy.call("compactChat/stopped") == {"stopped": True}
    assert len(busy.answers(number)) == 1


@pytest.mark.parametrize("way", [REQUEST, COMMAND], ids=["request", "command"])
def test_progress_ends_before_the_answer(busy: WireClient, way: tuple[str, Any]) -> None:
    """The last word on the token is `end`, and nothing comes behind the answer."""
    number = begun(busy, way)
    busy.notify("$/cancelRequest", {"id": number})
    busy.answer(number)
    busy.call("compactChat/echo")
    last = max(at for at, one in enumerate(busy.inbox) if one.get("method") == "$/progress")
    assert busy.progress("w")[-1] == {"kind": "end"}
    assert busy.inbox[last + 1]["id"] == number


@pytest.mark.parametrize("way", [REQUEST, COMMAND], ids=["request", "command"])
def test_the_progress_bar_cancels_too(busy: WireClient, way: tuple[str, Any]) -> None:
    """`window/workDoneProgress/cancel` cancels the request that reports on the token."""
    number = begun(busy, way)
    busy.notify("window/workDoneProgress/cancel", {"token": "another"})
    busy.notify("window/workDoneProgress/cancel", {"token": "w"})
    assert busy.answer(number)["error"] == CANCELLED
    assert busy.call("compactChat/stopped") == {"stopped": True}


def test_a_request_cancelled_before_it_began_never_runs(busy: WireClient) -> None:
    """A request and its cancellation that come in one piece: one answer, and no work."""
    asked = {"jsonrpc": "2.0", "id": "x", "method": "compactChat/wait", "params": {}}
    cancel = {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "x"}}
    busy.raw(b"".join(framed(json.dumps(one).encode()) for one in (asked, cancel)))
    assert busy.answer("x")["error"] == CANCELLED
    busy.call("compactChat/echo")
    assert len(busy.answers("x")) == 1


def test_two_requests_under_one_id_are_both_answered(busy: WireClient) -> None:
    """Where a client uses an id twice, each request has its answer, and the one that is under way can be cancelled."""
    for way in ("compactChat/wait", "compactChat/echo", "compactChat/wait"):
        busy.send({"jsonrpc": "2.0", "id": "twice", "method": way, "params": {}})
    busy.until(lambda one: one.get("result") == {})
    busy.notify("$/cancelRequest", {"id": "twice"})
    busy.until(lambda one: one.get("error") == CANCELLED)
    busy.call("shutdown")
    busy.until(lambda _: len(busy.answers("twice")) == 3)


def test_a_late_or_strange_cancellation_is_harmless(busy: WireClient) -> None:
    """Cancelling what is done, unknown or no id at all changes nothing."""
    done = busy.start("compactChat/echo", {})
    busy.answer(done)
    going = begun(busy, REQUEST)
    names: tuple[Any, ...] = (done, 10**9, [1], {}, None)
    for params in (*({"id": name, "token": name} for name in names), {}, [], "text"):
        busy.notify("$/cancelRequest", params)
        busy.notify("window/workDoneProgress/cancel", params)
    assert busy.call("compactChat/echo", {"a": 1}) == {"a": 1}
    assert len(busy.answers(done)) == 1
    assert busy.answers(going) == []


def test_shutdown_cancels_what_is_under_way(busy: WireClient) -> None:
    """`shutdown` ends all work, and each request still gets its answer."""
    number = busy.start("compactChat/wait", {})
    assert busy.call("shutdown") is None
    assert busy.answer(number)["error"] == CANCELLED
    busy.notify("exit", None)
    assert busy.end() == 0
