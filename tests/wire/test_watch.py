"""Chats that are watched over the wire while other processes write them."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.servers.watched import METER, PATIENCE, counted, lines, meter, watch, written
from tests.servers.wire_client import WireClient


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
