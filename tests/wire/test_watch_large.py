"""Large chats that are watched: they hold up no other, and end with their watch."""

from __future__ import annotations

import os
from pathlib import Path

from tests.bench.chats import session
from tests.servers.watched import METER, PATIENCE, lines, meter, say, watch, written
from tests.servers.wire_client import WireClient


def test_a_large_chat_holds_up_no_other(own: WireClient, path: Path) -> None:
    """While a large chat is read anew, again and again, what a small one grew by is told as fast as ever."""
    large = path.with_name("large.jsonl")
    large.write_text(session(12_000_000))
    names = [watch(own, chat={"uri": one.as_uri()})["watchId"] for one in (large, path)]
    os.truncate(large, 6_000_000)
    since = len(own.inbox)
    say(path, lines(40, 41))
    meter(own, names[1], lambda report: report["messageCount"] == 41, since)
    meter(own, names[0], since=since)
    told = [one["params"]["watchId"] for one in own.asked(METER)]
    assert told == names[::-1]


def test_a_client_may_end_a_watch_of_a_large_chat(own: WireClient, path: Path) -> None:
    """What is done aside for a watch ends with it, and nothing of it is told."""
    path.write_text(session(6_000_000))
    name = watch(own, chat={"uri": path.as_uri()})["watchId"]
    os.truncate(path, 5_000_000)
    own.call("compactChat/unwatch", {"watchId": name})
    name = watch(own, chat={"uri": path.as_uri()})["watchId"]
    say(path, "\n" + lines(0, 1))
    meter(own, name)
    assert {one["params"]["watchId"] for one in own.asked(METER)} == {name}


def test_a_file_that_grows_while_it_is_read_first(own: WireClient, tmp_path: Path) -> None:
    """What comes during the first reading is not lost."""
    path = tmp_path / "large.jsonl"
    path.write_text(session(3_000_000))
    number = path.read_text().count("\n")
    request = own.start("compactChat/watch", {"chat": {"uri": path.as_uri()}})
    writer = written(path, lines(number, number + 300), 4000)
    told = own.answer(request)["result"]
    if told["report"]["messageCount"] < number + 300:
        meter(own, told["watchId"], lambda report: report["messageCount"] == number + 300)
    assert writer.wait(PATIENCE) == 0
