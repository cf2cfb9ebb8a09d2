"""Chats that are watched over the wire while other processes write them."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.servers.processes import needs_proc, thread_states, within
from tests.servers.tcp_server import TcpServer
from tests.servers.watched import METER, PATIENCE, counted, lines, meter, say, watch, written
from tests.servers.wire_client import SERVE, Wire, WireClient


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A session of forty lines, which grows."""
    path = tmp_path / "chat.jsonl"
    path.write_text(lines(0, 40))
    return path


def test_a_chat_is_followed_while_it_is_written(own: WireClient, path: Path) -> None:
    """However a writer's bytes come, reports are few, none is of half a line, and the last is of the whole file.

    A file that takes the place of another one is the chat then.
    """
    reported = watch(own, chat={"uri": path.as_uri()})
    assert reported["report"] == counted(own, path)
    data, began = lines(40, 440), time.monotonic()
    writer = written(path, data, len(data) // 100, 0.01)
    last = meter(own, reported["watchId"], lambda report: report["messageCount"] == 440)
    assert writer.wait(PATIENCE) == 0
    assert last == counted(own, path)
    reports = [one["params"]["report"] for one in own.asked(METER)]
    sizes = [report["messageCount"] for report in reports]
    assert sizes == sorted(sizes)
    assert {str(report["warnings"]) for report in reports} == {"[]"}
    assert 1 < len(reports) <= 2 + 5 * (time.monotonic() - began)
    other = path.with_name("other")
    other.write_text(lines(0, 60, "other trays "))
    other.replace(path)
    report = meter(own, reported["watchId"], lambda report: report["messageCount"] == 60)
    assert report == counted(own, path)


def test_shutdown_ends_all_watches(own: WireClient, path: Path) -> None:
    """After `shutdown` nothing is reported any more, though another client hears of each change."""
    name = watch(own, chat={"uri": path.as_uri()})["watchId"]
    say(path, lines(40, 41))
    meter(own, name)
    own.call("shutdown")
    reported = len(own.inbox)
    other = WireClient(SERVE)  # when two changes were reported to it, another poll of both was due here
    other.initialize()
    name = watch(other, chat={"uri": path.as_uri()})["watchId"]
    for number in (41, 42):
        say(path, lines(number, number + 1))
        meter(other, name, lambda report: report["messageCount"] == number + 1)  # noqa: B023 -- called within the iteration
    other.close()
    own.notify("exit", None)
    assert own.end() == 0
    assert len(own.inbox) == reported


def watched(client: Wire, path: Path, times: int) -> list[str]:
    """Watch a chat several times."""
    return [watch(client, chat={"uri": path.as_uri()})["watchId"] for _ in range(times)]


def unwatch(client: Wire, names: list[str]) -> None:
    """End watches."""
    for name in names:
        client.call("compactChat/unwatch", {"watchId": name})


@needs_proc
def test_each_client_has_its_own_watches(path: Path) -> None:
    """Over TCP a client hears of its own watches alone, knows no other's ids, and takes watches and threads with it."""
    with TcpServer(command=SERVE) as server:
        one, other = server.client(), server.client()
        watch(one, chat={"uri": path.as_uri()}, window=1000)
        names = watched(other, path, 2)
        assert one.error("compactChat/unwatch", {"watchId": names[1]})["code"] == -32602
        say(path, lines(40, 41))
        for client, window in ((one, 1000), (other, None)):
            reported = meter(client, "watch-1")
            assert (reported["window"] == 1000) is (window is not None)
        assert len(one.asked(METER)) == 1
        busy = len(thread_states(server.process.pid))
        one.close()
        within(PATIENCE, lambda: len(thread_states(server.process.pid)) <= busy - 3)
        say(path, lines(41, 42))
        meter(other, names[1], lambda report: report["messageCount"] == 42)
