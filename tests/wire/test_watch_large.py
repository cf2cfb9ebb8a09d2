"""Large chats that are watched: they hold up no other, and end with their watch."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bench.chats import session
from tests.fakes.watched import METER, PATIENCE, lines, meter, say, watch, written
from tests.fakes.wire_client import SERVE, WireClient


@pytest.fixture
def server() -> Iterator[WireClient]:
    """A server of this test's own."""
    client = WireClient(SERVE)
    client.initialize()
    yield client
    client.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A session of forty lines."""
    path = tmp_path / "chat.jsonl"
    path.write_text(lines(0, 40))
    return path


def test_a_large_chat_holds_up_no_other(server: WireClient, path: Path) -> None:
    """While a large chat is read anew, again and again, what a small one grew by is told as fast as ever."""
    large = path.with_name("large.jsonl")
    large.write_text(session(12_000_000))
    names = [watch(server, chat={"uri": one.as_uri()})["watchId"] for one in (large, path)]
    os.truncate(large, 6_000_000)
    since = len(server.inbox)
    say(path, lines(40, 41))
    meter(server, names[1], lambda report: report["messageCount"] == 41, since)
    meter(server, names[0], since=since)
    told = [one["params"]["watchId"] for one in server.asked(METER)]
    assert told == names[::-1]


def test_a_client_may_end_a_watch_of_a_large_chat(server: WireClient, path: Path) -> None:
    """What is done aside for a watch ends with it, and nothing of it is told."""
    path.write_text(session(6_000_000))
    name = watch(server, chat={"uri": path.as_uri()})["watchId"]
    os.truncate(path, 5_000_000)
    server.call("compactChat/unwatch", {"watchId": name})
    name = watch(server, chat={"uri": path.as_uri()})["watchId"]
    say(path, "\n" + lines(0, 1))
    meter(server, name)
    assert {one["params"]["watchId"] for one in server.asked(METER)} == {name}


def test_a_file_that_grows_while_it_is_read_first(server: WireClient, tmp_path: Path) -> None:
    """What comes during the first reading is not lost."""
    path = tmp_path / "large.jsonl"
    path.write_text(session(3_000_000))
    number = path.read_text().count("\n")
    request = server.start("compactChat/watch", {"chat": {"uri": path.as_uri()}})
    writer = written(path, lines(number, number + 300), 4000)
    told = server.answer(request)["result"]
    if told["report"]["messageCount"] < number + 300:
        meter(server, told["watchId"], lambda report: report["messageCount"] == number + 300)
    assert writer.wait(PATIENCE) == 0
