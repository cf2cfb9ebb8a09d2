"""Requests and commands: what they hold comes through as it is, progress, failures, and cancelling."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.servers.wire_client import WireClient, framed

EXECUTE = "workspace/executeCommand"
REQUEST = ("compactChat/wait", {"workDoneToken": "w"})
COMMAND = (EXECUTE, {"command": "compactChat.wait", "workDoneToken": "w"})
CANCELLED = {
    "code": -32800,
    "message": "The operation was cancelled; nothing was changed.",
    "data": {"kind": "cancelled"},
}


@pytest.mark.parametrize("way", ["request", "command", "argument"])
def test_progress_runs_from_begin_to_end(client: WireClient, way: str) -> None:
    """`begin` with a percentage, reports that rise to the last one, `end`; then the answer and nothing else."""
    tokens = {"workDoneToken": f"done {way}", "partialResultToken": way}
    command = {"command": "compactChat.tell", "arguments": [{"times": 3}]}
    ways: dict[str, tuple[str, Any]] = {
        "request": ("compactChat/tell", {"times": 3, **tokens}),
        "command": (EXECUTE, {**command, **tokens}),
        "argument": (EXECUTE, {**command, "arguments": [{"times": 3, **tokens}]}),
    }
    number = client.start(*ways[way])
    client.answer(number)
    client.call("compactChat/echo")
    begin, *reports, end = client.progress(f"done {way}")
    assert begin == {"kind": "begin", "title": "Compact Chat: tell", "cancellable": True, "percentage": 0}
    assert reports[-1] == {"kind": "report", "message": "step 2", "percentage": 2}
    assert end == {"kind": "end"}
    assert "".join(one["text"] for one in client.progress(way)) == "0 1 2 "
    behind = client.inbox[client.inbox.index(client.answer(number)) + 1 :]
    assert [one["id"] for one in behind] == [number + 1]


def test_progress_ends_where_the_operation_fails(client: WireClient) -> None:
    """An operation that fails ends its progress too."""
    assert client.error("compactChat/fail", {"workDoneToken": "failing"})["code"] == -32603
    assert [one["kind"] for one in client.progress("failing")] == ["begin", "end"]


@pytest.fixture
def busy(start: Callable[[], WireClient]) -> WireClient:
    """A server of its own, whose `stopped` says whether the thread of a cancelled `wait` has ended."""
    client = start()
    client.initialize()
    return client


def begun(client: WireClient, way: tuple[str, Any]) -> int:
    """Ask for work and wait until it is under way."""
    number = client.start(*way)
    client.until(lambda one: one.get("method") == "$/progress")
    return number


@pytest.mark.parametrize("by_progress", [False, True])
@pytest.mark.parametrize("way", [REQUEST, COMMAND], ids=["request", "command"])
def test_cancelling_stops_the_work(busy: WireClient, way: tuple[str, Any], by_progress: bool) -> None:
    """By its id or its progress a request or command is answered once with -32800, after `end`; its thread stops."""
    number = begun(busy, way)
    if by_progress:
        busy.notify("window/workDoneProgress/cancel", {"token": "another"})
        busy.notify("window/workDoneProgress/cancel", {"token": "w"})
    else:
        busy.notify("$/cancelRequest", {"id": number})
    assert busy.answer(number)["error"] == CANCELLED
    assert busy.call("compactChat/stopped") == {"stopped": True}
    assert len(busy.answers(number)) == 1
    last = max(at for at, one in enumerate(busy.inbox) if one.get("method") == "$/progress")
    assert busy.progress("w")[-1] == {"kind": "end"}
    assert busy.inbox[last + 1]["id"] == number


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
