"""A watched chat that is gone, broken or half written: its last report stays, and what lasts is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compact_chat.operations import ClientState
from compact_chat.operations import watch as watcher
from tests.servers.watched import begun, lines, say


@pytest.fixture(autouse=True)
def no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chat that was read anew may be read anew at once."""
    monkeypatch.setattr(watcher, "REST", 0.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A chat of two messages."""
    path = tmp_path / "chat.jsonl"
    path.write_text(lines(0, 2))
    return path


def test_a_chat_that_is_gone_keeps_its_report(path: Path) -> None:
    """It is told once, with a warning; when it is back it is read anew, and the warning goes."""
    told, look = begun(ClientState(), chat={"uri": path.as_uri()})
    data = path.read_bytes()
    path.unlink()
    assert look() is None, "it may be on its way"
    news = look()
    assert news is not None
    [warning] = news["report"]["warnings"]
    assert warning["code"] == "chatGone"
    assert {**news["report"], "warnings": ()} == told["report"]
    assert [look() for _ in range(3)] == [None] * 3
    path.write_bytes(data)
    back = look()
    assert back is not None
    assert back["report"] == told["report"]


def test_a_chat_that_is_written_anew_is_no_error(path: Path) -> None:
    """A file that is empty or half written for a moment is not told of; one that stays so is, as a warning."""
    told, look = begun(ClientState(), chat={"uri": path.as_uri()})
    data = path.read_bytes()
    path.write_bytes(b"")
    assert look() is None
    path.write_bytes(data)
    assert look() is None, "it is as it was"
    path.write_bytes(b"\0\1\2")
    assert look() is None
    news = look()
    assert news is not None
    assert [one["code"] for one in news["report"]["warnings"]] == ["chatUnreadable"]
    assert news["report"]["used"] == told["report"]["used"]


def test_what_may_not_be_read_is_told_as_it_is(path: Path) -> None:
    """A folder in the file's place is no chat that is gone without a trace: the warning says what is there."""
    _, look = begun(ClientState(), chat={"uri": path.as_uri()})
    path.unlink()
    path.mkdir()
    assert look() is None
    news = look()
    assert news is not None
    [warning] = news["report"]["warnings"]
    assert (warning["code"], warning["message"]) == ("chatGone", "That is no regular file.")


def test_a_chat_that_stays_unreadable_is_told_of_while_it_grows(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is written all the time and is no chat is a warning after a second, and once."""
    now = [1000.0]
    monkeypatch.setattr("compact_chat.operations.watch.time.monotonic", lambda: now[0])
    _, look = begun(ClientState(), chat={"uri": path.as_uri()})
    path.write_bytes(b"")
    told = []
    for _ in range(12):
        say(path, "a line of a log\n")
        told.append(look())
        now[0] += 0.25
    assert [one is not None for one in told] == [number == 4 for number in range(12)]
    path.write_text(lines(0, 1))
    news = look()
    assert news is not None
    assert news["report"]["warnings"] == ()


def test_half_a_document_is_told_where_it_stays(tmp_path: Path) -> None:
    """A document that breaks off is on its way; where it is not, what stands before the break is told."""
    path = tmp_path / "chat.json"
    said = [{"role": ("user", "assistant")[number % 2], "content": "Nine trays."} for number in range(6)]
    path.write_text(json.dumps(said[:4]))
    _, look = begun(ClientState(), chat={"uri": path.as_uri()})
    path.write_text(json.dumps(said)[:-60])
    assert look() is None
    path.write_text(json.dumps(said))
    news = look()
    assert news is not None
    assert (news["report"]["messageCount"], news["report"]["warnings"]) == (6, ())
    path.write_text(json.dumps(said)[:-60])
    assert look() is None
    news = look()
    assert news is not None
    assert "cutDocument" in [one["code"] for one in news["report"]["warnings"]]
    assert 4 <= news["report"]["messageCount"] < 6
    assert look() is None
