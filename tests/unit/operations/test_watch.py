"""Watching: what is reported of a chat that comes and goes, which chat of a workspace is active, how watches end."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from compact_chat.chat import JsonObject
from compact_chat.disk import Recent
from compact_chat.disk import chats as recent
from compact_chat.errors import Cancelled, CompactChatError, TooLarge
from compact_chat.operations import ChatRef, ClientState, Job
from compact_chat.operations import watch as in_use
from compact_chat.operations.job import MOST_WATCHES, Watches
from compact_chat.operations.watch import InUse, LiveChat, Params, Watcher, WorkspaceWatcher
from tests.samples.alone import perform_alone
from tests.servers.watched import begun, say
from tests.servers.watched import lines as records
from tests.unit.operations.conftest import SECRET, claude_session, message

WORKSPACE = "/demo/shop"
SECOND = 1_000_000_000
NOW = 10_000 * SECOND


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do all work on each poll."""
    monkeypatch.setattr(in_use, "REST", 0.0)
    monkeypatch.setattr(in_use, "SCAN", 0.0)
    monkeypatch.setattr(recent, "OFTEN", 0.0)
    monkeypatch.setattr(recent, "REST", 0.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A chat of two messages."""
    return write(tmp_path / "chat.jsonl", "Count the shelves.", "There are nine.")


def lines(*said: str) -> str:
    """Write what was said, alternating, as the lines of a session."""
    roles = ("user", "assistant") * len(said)
    return claude_session(*(message(role, text, cwd=WORKSPACE) for role, text in zip(roles, said, strict=False)))


def write(path: Path, *said: str, moment: int | None = None) -> Path:
    """Write a session."""
    path.write_text(lines(*said))
    if moment is not None:
        os.utime(path, (moment, moment))
    return path


def test_what_grew_is_reported_once(path: Path) -> None:
    """The first report equals `countTokens`; a later one follows once the chat, not only its file, changed."""
    client, chat = ClientState(), {"uri": path.as_uri()}
    first, look = begun(client, chat=chat, model="gpt-5", window=5000)
    assert first["uri"] == path.as_uri()
    assert first["report"] == perform_alone(
        "countTokens", {"chat": chat, "model": "gpt-5", "window": 5000}, Job(client)
    )
    assert look() is None
    say(path, lines("Count the shelves.", "There are nine.", "And the trays?").splitlines()[-1] + "\n")
    later = look()
    assert later["report"]["used"] > first["report"]["used"]
    assert later["report"]["messageCount"] == 3
    os.utime(path, (1, 1))
    assert look() is None
    say(path, json.dumps({"type": "file-history-snapshot", "sessionId": "s"}) + "\n")
    assert look() is None


def test_one_watch_too_many_is_refused_before_its_chat_is_read(path: Path) -> None:
    """A request beyond the limit of watches costs nothing: no chat is read for it."""
    client = ClientState()
    for _ in range(MOST_WATCHES):
        begun(client, chat={"uri": path.as_uri()})
    with pytest.raises(CompactChatError) as refused:
        perform_alone("watch", {"chat": {"uri": "file:///absent/chat.jsonl"}}, Job(client))
    assert refused.value.kind == "tooLarge"


def test_a_watch_ends_once(path: Path) -> None:
    """`unwatch` returns nothing; a watch that has ended, or never existed, is refused."""
    client = ClientState()
    name = begun(client, chat={"uri": path.as_uri()})[0]["watchId"]
    assert perform_alone("unwatch", {"watchId": name}, Job(client)) == {}
    for unknown in (name, "watch-99"):
        with pytest.raises(CompactChatError) as refused:
            perform_alone("unwatch", {"watchId": unknown}, Job(client))
        assert refused.value.data["problems"][0]["path"] == "$.watchId"


def test_the_chat_in_use_is_followed(projects: Path) -> None:
    """The newest chat is reported on, and once another begins and is readable, that one."""
    write(projects / "a.jsonl", "Older.", moment=1000)
    newer = write(projects / "b.jsonl", "Newer.", "Yes.", moment=2000).as_uri()
    first, look = begun(ClientState(), workspace=f"file://{WORKSPACE}")
    assert (first["uri"], first["report"]["messageCount"]) == (newer, 2)
    assert look() is None
    new = projects / "c.jsonl"
    new.write_text('{"type":"summary","summary":"x"}\n{"type"')
    assert [look() for _ in range(3)] == [None] * 3
    write(new, "Newest.")
    assert summed(look()) == (new.as_uri(), 1)
    write(new, "Newest.", "Indeed.")
    assert summed(look()) == (new.as_uri(), 2)
    (projects / "d.jsonl").write_text('{"type"')
    assert look() is None
    later = write(projects / "e.jsonl", "Later.", moment=4_000_000_000).as_uri()
    assert summed(look()) == (later, 1)


def summed(news: Any) -> tuple[str, int]:
    """Return the chat of a report, and its number of messages."""
    return news["uri"], news["report"]["messageCount"]


def test_a_watch_that_ended_is_no_chat_that_cannot_be_read(projects: Path) -> None:
    """A cancelled poll says so, whether the chat is reread or another one is opened."""
    client, cancelled = ClientState(), Job(ClientState())
    uri = write(projects / "a.jsonl", "Older.", moment=1000).as_uri()
    one = Watcher(LiveChat(ChatRef(uri=uri), Params(), client), Job(client))
    workspace = WorkspaceWatcher(Params(workspace=f"file://{WORKSPACE}"), Job(client))
    write(projects / "a.jsonl", "Written anew.", moment=2000)
    write(projects / "b.jsonl", "Newer.", moment=3000)
    cancelled.cancel()
    for watcher in (one, workspace):
        with pytest.raises(Cancelled):
            watcher.look(cancelled)


@pytest.mark.parametrize("with_workspace", [True, False])
def test_chats_below_a_root_count_as_those_of_the_window(projects: Path, tmp_path: Path, with_workspace: bool) -> None:
    """An editor's folder elsewhere is scanned too; without a workspace it is the only one."""
    away, new = tmp_path / "away", tmp_path / "absent" / "chatSessions"
    away.mkdir()
    first = write(away / "a.jsonl", "First.", moment=2000).as_uri()
    write(projects / "b.jsonl", "Older.", moment=1000)
    workspace = {"workspace": f"file://{WORKSPACE}-of-another"} if with_workspace else {}
    found, look = begun(ClientState(), roots=[new.parent.as_uri(), away.as_uri()], **workspace)
    assert found["uri"] == first
    new.mkdir(parents=True)
    assert look() is None
    second = write(new / "c.jsonl", "Newest.", "Yes.", moment=3000).as_uri()
    assert summed(look()) == (second, 2)


def test_of_several_folders_the_chat_that_was_written_last_is_in_use(projects: Path) -> None:
    """A window with several folders has one watch, which follows whichever of their chats is active."""
    other = projects.with_name("-demo-web")
    other.mkdir()
    write(projects / "a.jsonl", "Older.", moment=1000)
    session = write(other / "b.jsonl", "Newer.")
    session.write_text(session.read_text().replace(WORKSPACE, "/demo/web"))
    os.utime(session, (2000, 2000))
    newer = session.as_uri()
    first, look = begun(ClientState(), workspace=f"file://{WORKSPACE}", workspaces=["file:///demo/web"])
    assert first["uri"] == newer
    third = write(projects / "c.jsonl", "Newest.", moment=4_000_000_000).as_uri()
    assert summed(look()) == (third, 1)


def test_a_chat_that_is_gone_keeps_its_report(path: Path) -> None:
    """It is reported once, with a warning; once back, it is reread, and the warning is gone.

    A file that is empty or half written for a moment is not reported; one that stays so is, as a warning.
    """
    first, look = begun(ClientState(), chat={"uri": path.as_uri()})
    data = path.read_bytes()
    path.unlink()
    assert look() is None, "it may be on its way"
    gone = look()
    assert [one["code"] for one in gone["report"]["warnings"]] == ["chatGone"]
    assert {**gone["report"], "warnings": ()} == first["report"]
    assert [look() for _ in range(3)] == [None] * 3
    path.write_bytes(data)
    back = look()
    assert back["report"] == first["report"]
    path.write_bytes(b"")
    assert look() is None
    path.write_bytes(data)
    assert look() is None, "it is as it was"
    path.write_bytes(b"\0\1\2")
    assert look() is None
    unreadable = look()
    assert [one["code"] for one in unreadable["report"]["warnings"]] == ["chatUnreadable"]
    assert unreadable["report"]["used"] == first["report"]["used"]


def test_a_chat_that_may_no_longer_be_read_is_told_of(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Taking and giving back the permission changes neither size nor time of a file, and is noticed both times."""
    first, look = begun(ClientState(), chat={"uri": path.as_uri()})

    def refuse(*_: object) -> int:
        raise PermissionError

    with monkeypatch.context() as locked:
        locked.setattr(os, "open", refuse)
        path.chmod(0o400)
        news = [look() for _ in range(3)]
    assert [[one["code"] for one in new["report"]["warnings"]] for new in news if new] == [["chatGone"]]
    path.chmod(0o600)
    assert look()["report"] == first["report"]


def test_a_chat_that_stays_unreadable_is_told_of_while_it_grows(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that keeps changing and is no chat is reported as a warning after a second, and once."""
    now = [1000.0]
    monkeypatch.setattr("compact_chat.operations.watch.time.monotonic", lambda: now[0])
    _, look = begun(ClientState(), chat={"uri": path.as_uri()})
    path.write_bytes(b"")
    reported = []
    for _ in range(12):
        say(path, "a line of a log\n")
        reported.append(look())
        now[0] += 0.25
    assert [one is not None for one in reported] == [number == 4 for number in range(12)]
    path.write_text(records(0, 1))
    news = look()
    assert news["report"]["warnings"] == ()


def test_half_a_document_is_told_where_it_stays(tmp_path: Path) -> None:
    """A truncated document may still be being written; if not, the part before the break is reported."""
    path = tmp_path / "chat.json"
    said = [{"role": ("user", "assistant")[number % 2], "content": "Nine trays."} for number in range(6)]
    path.write_text(json.dumps(said[:4]))
    _, look = begun(ClientState(), chat={"uri": path.as_uri()})
    path.write_text(json.dumps(said)[:-60])
    assert look() is None
    path.write_text(json.dumps(said))
    news = look()
    assert (news["report"]["messageCount"], news["report"]["warnings"]) == (6, ())
    path.write_text(json.dumps(said)[:-60])
    assert look() is None
    news = look()
    assert "cutDocument" in [one["code"] for one in news["report"]["warnings"]]
    assert 4 <= news["report"]["messageCount"] < 6
    assert look() is None


class Workspace:
    """Chats that are written at times chosen by a test."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.looks = NOW, 0
        self.written: dict[str, int] = {}
        self.in_use = InUse(self.newest)
        monkeypatch.setattr(time, "time_ns", lambda: self.now)

    def newest(self) -> list[Recent]:
        """Return the chats, newest first."""
        self.looks += 1
        found = (Recent(changed, name, name, "", "") for name, changed in self.written.items())
        return sorted(found, key=lambda one: -one.changed)

    def write(self, name: str, after: float = 1) -> str:
        """Write a chat so many seconds later, and return the active one."""
        self.now += round(after * SECOND)
        self.written[name] = self.now
        return self.chat()

    def chat(self) -> str:
        """Return the active chat."""
        found = self.in_use.chat()
        return found.uri if found else ""


@pytest.fixture
def workspace(monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace without chats."""
    return Workspace(monkeypatch)


def test_which_chat_is_in_use(workspace: Workspace) -> None:
    """A new chat is active at once; of two written in turn one stays; an earlier one returns after silence.

    Where the chat in use is removed the next one is; where none is left, it stays as the last one.
    """
    assert workspace.chat() == ""
    assert [workspace.write(name) for name in ("c", "c", "a", *"baba")] == ["c", "c", "a", *"bbbb"]
    assert workspace.write("a") == "b"
    workspace.now += round(in_use.QUIET) * SECOND
    assert workspace.chat() == "a"
    assert workspace.write("b", in_use.QUIET + 1) == "b"
    del workspace.written["b"]
    assert workspace.chat() == "a"
    workspace.written.clear()
    assert workspace.chat() == "a"


def test_not_every_look_scans(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is a pause between two scans of all chats."""
    monkeypatch.setattr(in_use, "SCAN", 60.0)
    workspace.written["a"] = 1
    workspace.in_use.settle(workspace.newest()[0])
    assert {workspace.chat() for _ in range(50)} == {"a"}
    assert workspace.looks == 1


class Quiet:
    """A watch that records whether its work continues."""

    def look(self, job: Job) -> JsonObject | None:
        """Stop where it was cancelled."""
        job.check()
        return {}


def test_there_are_not_too_many() -> None:
    """A client has a maximum of watches, begun or not; one that ends, or whose request was cancelled, makes room."""
    watches = Watches()
    names = [watches.add(Quiet(), Job(ClientState())) for _ in range(MOST_WATCHES)]
    watches.begin(names[0])
    with pytest.raises(TooLarge):
        watches.add(Quiet(), Job(ClientState()))
    watches.remove(names[0])
    for _ in range(2):
        job = Job(ClientState())
        assert watches.add(Quiet(), job)
        job.cancel()


def test_a_watch_begins_when_its_client_knows_it() -> None:
    """It is not polled before, and begins once; its work stops when it ends, alone or with all."""
    watches = Watches()
    names = [watches.add(Quiet(), Job(ClientState())) for _ in range(2)]
    assert watches.begun() == {}
    assert [watches.begin(name) for name in (*names, names[0], "another")] == [True, True, False, False]
    looks = [*watches.begun().values()]
    watches.remove(names[0])
    with pytest.raises(Cancelled):
        looks[0]()
    assert looks[1]() == {}
    watches.clear()
    with pytest.raises(Cancelled):
        looks[1]()
    assert watches.begun() == {}


def test_a_watch_does_not_show_a_model_that_holds_a_secret(path: Path) -> None:
    """Neither when it first reads a chat nor when it reads on."""
    asked, answer = message("user", "Count the shelves."), message("assistant", "Nine.")
    answer["message"]["model"] = SECRET
    path.write_text(claude_session(asked, answer))
    first, look = begun(ClientState(), chat={"uri": path.as_uri()})
    say(path, claude_session(asked, answer, asked, answer).split("\n", 2)[2])
    later = look()

    assert later["report"]["messageCount"] == 4
    assert SECRET not in json.dumps([first, later])
