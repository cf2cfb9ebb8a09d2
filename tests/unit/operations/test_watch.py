"""To watch: what is asked, what is reported of a chat that comes and goes, and which chat of a workspace is in use."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from compact_chat.disk import Recent
from compact_chat.disk import chats as recent
from compact_chat.errors import Cancelled, CompactChatError
from compact_chat.operations import ChatRef, ClientState, Job
from compact_chat.operations import watch as in_use
from compact_chat.operations.polling import MOST_WATCHES
from compact_chat.operations.watch import InUse, LiveChat, Params, Watcher, WorkspaceWatcher
from tests.samples.alone import perform_alone
from tests.servers.watched import begun, say
from tests.servers.watched import lines as records

WORKSPACE = "/demo/shop"
SECOND = 1_000_000_000
NOW = 10_000 * SECOND


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look looks at all."""
    monkeypatch.setattr(in_use, "REST", 0.0)
    monkeypatch.setattr(in_use, "SCAN", 0.0)
    monkeypatch.setattr(recent, "OFTEN", 0.0)
    monkeypatch.setattr(recent, "REST", 0.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A chat of two messages."""
    return write(tmp_path / "chat.jsonl", "Count the shelves.", "There are nine.")


def lines(*said: str, first: int = 0) -> str:
    """Write what was said, in turn, as the lines of a session."""
    records = []
    for number, text in enumerate(said, first):
        role = ("user", "assistant")[number % 2]
        message = {"id": f"m{number}", "role": role, "content": text}
        parent = f"u{number - 1}" if number else None
        record = {"type": role, "uuid": f"u{number}", "parentUuid": parent, "sessionId": "s", "cwd": WORKSPACE}
        records.append(json.dumps({**record, "message": message}) + "\n")
    return "".join(records)


def write(path: Path, *said: str, moment: int | None = None) -> Path:
    """Write a session."""
    path.write_text(lines(*said))
    if moment is not None:
        os.utime(path, (moment, moment))
    return path


def say_more(path: Path, *said: str, first: int = 2) -> None:
    """Write to the end of a session."""
    with path.open("a") as file:
        file.write(lines(*said, first=first))


def test_a_watch_reports_as_counting_does(path: Path) -> None:
    """The first report is that of `countTokens`, with the model and the window that are known."""
    client, chat = ClientState(), {"uri": path.as_uri()}
    told, look = begun(client, chat=chat, model="gpt-5", window=5000)
    assert told["uri"] == path.as_uri()
    assert told["report"] == perform_alone("countTokens", {"chat": chat, "model": "gpt-5", "window": 5000}, Job(client))
    assert look() is None


def test_what_grew_is_told_once(path: Path) -> None:
    """A look after the chat has grown tells the new report; the next one tells nothing."""
    told, look = begun(ClientState(), chat={"uri": path.as_uri()})
    say_more(path, "And the trays?")
    news = look()
    assert news is not None
    assert news["report"]["used"] > told["report"]["used"]
    assert news["report"]["messageCount"] == 3
    assert look() is None


def test_what_changes_nothing_is_not_told(path: Path) -> None:
    """A file that was touched, or got a line that is no part of the chat, is no news."""
    _, look = begun(ClientState(), chat={"uri": path.as_uri()})
    os.utime(path, (1, 1))
    assert look() is None
    with path.open("a") as file:
        file.write(json.dumps({"type": "file-history-snapshot", "sessionId": "s"}) + "\n")
    assert look() is None


def test_one_watch_too_many_is_refused_before_its_chat_is_read(path: Path) -> None:
    """It costs nothing to ask for more than a client may have: nothing is read for it."""
    client = ClientState()
    for _ in range(MOST_WATCHES):
        begun(client, chat={"uri": path.as_uri()})
    with pytest.raises(CompactChatError) as refused:
        perform_alone("watch", {"chat": {"uri": "file:///absent/chat.jsonl"}}, Job(client))
    assert refused.value.kind == "tooLarge"


@pytest.mark.parametrize(
    ("params", "kind", "path"),
    [
        ({}, "invalidParams", "$"),
        ({"chat": {"uri": "file:///a"}, "workspace": "file:///a"}, "invalidParams", "$"),
        ({"chat": {}}, "invalidParams", "$.chat.uri"),
        ({"chat": {"text": "hello"}}, "invalidParams", "$.chat.text"),
        ({"chat": {"uri": "file:///a", "messages": []}}, "invalidParams", "$.chat.messages"),
        ({"chat": {"uri": "https://example.org"}}, "invalidParams", "$.chat.uri"),
        ({"workspace": "https://example.org"}, "invalidParams", "$.workspace"),
        ({"chat": {"uri": "file:///a"}, "roots": ["file:///a"]}, "invalidParams", "$"),
        ({"roots": []}, "invalidParams", "$"),
        ({"roots": ["file:///a", "https://example.org"]}, "invalidParams", "$.roots[1]"),
        ({"workspace": "file:///a", "roots": ["file:///a"] * 17}, "invalidParams", "$.roots"),
        ({"chat": {"uri": "file:///absent/chat.jsonl"}}, "chatNotFound", None),
        ({"workspace": "file:///absent"}, "chatNotFound", None),
        ({"workspace": "file:///absent", "roots": ["file:///away"]}, "chatNotFound", None),
        ({"roots": ["file:///absent", "file:///away"]}, "chatNotFound", None),
    ],
    ids=str,
)
def test_what_cannot_be_watched_is_refused(params: Any, kind: str, path: str | None) -> None:
    """A watch needs one file, or one workspace with a chat; nothing is kept of a request that failed."""
    client = ClientState()
    with pytest.raises(CompactChatError) as refused:
        perform_alone("watch", params, Job(client))
    assert refused.value.kind == kind
    assert path is None or refused.value.data["problems"][0]["path"] == path
    named = (params.get("workspace"), params.get("chat", {}).get("uri"), *params.get("roots", ())[:1])
    assert path is not None or refused.value.data["uri"] in named
    assert client.watches.is_idle


def test_a_watch_ends_once(path: Path) -> None:
    """`unwatch` answers with nothing; what has ended, or never was, is refused."""
    client = ClientState()
    told, _ = begun(client, chat={"uri": path.as_uri()})
    assert perform_alone("unwatch", {"watchId": told["watchId"]}, Job(client)) == {}
    for unknown in (told["watchId"], "watch-99"):
        with pytest.raises(CompactChatError) as refused:
            perform_alone("unwatch", {"watchId": unknown}, Job(client))
        assert refused.value.kind == "invalidParams"


class Projects:
    """The chats of a workspace."""

    def __init__(self, home: Path) -> None:
        self.folder = home / ".claude" / "projects" / "-demo-shop"
        self.folder.mkdir(parents=True)

    def write(self, name: str, *said: str, moment: int) -> str:
        """Write a chat at a moment, and give its URI."""
        return write(self.folder / name, *said, moment=moment).as_uri()


@pytest.fixture
def projects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Projects:
    """An empty home folder."""
    for name in [name for name in os.environ if name.startswith(("CLAUDE", "XDG_", "CODEX", "VSCODE_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    return Projects(tmp_path)


def test_the_chat_in_use_is_followed(projects: Projects) -> None:
    """The newest chat is reported on, and when another is begun, that one."""
    projects.write("a.jsonl", "Older.", moment=1000)
    newer = projects.write("b.jsonl", "Newer.", "Yes.", moment=2000)
    told, look = begun(ClientState(), workspace=f"file://{WORKSPACE}")
    assert (told["uri"], told["report"]["messageCount"]) == (newer, 2)
    assert look() is None
    newest = projects.write("c.jsonl", "Newest.", moment=3000)
    news = look()
    assert news is not None
    assert (news["uri"], news["report"]["messageCount"]) == (newest, 1)
    say_more(projects.folder / "c.jsonl", "Indeed.", first=1)
    again = look()
    assert again is not None
    assert (again["uri"], again["report"]["messageCount"]) == (newest, 2)


def test_a_chat_that_cannot_be_read_is_not_turned_to(projects: Projects) -> None:
    """While a new chat holds nothing yet, the one before stays; it is turned to when it can be read."""
    projects.write("a.jsonl", "Older.", moment=1000)
    told, look = begun(ClientState(), workspace=f"file://{WORKSPACE}")
    assert told["report"]["messageCount"] == 1
    new = projects.folder / "b.jsonl"
    new.write_text('{"type":"summary","summary":"x"}\n{"type"')
    assert [look() for _ in range(3)] == [None] * 3
    write(new, "Newest.", "Yes.")
    news = look()
    assert news is not None
    assert (news["uri"], news["report"]["messageCount"]) == (new.as_uri(), 2)
    (projects.folder / "c.jsonl").write_text('{"type"')
    assert look() is None
    later = projects.write("d.jsonl", "Later.", moment=4_000_000_000)
    news = look()
    assert news is not None
    assert news["uri"] == later


def test_a_watch_that_ended_is_no_chat_that_cannot_be_read(projects: Projects) -> None:
    """A cancelled look says so, whether the chat is read anew or another one is turned to."""
    client, cancelled = ClientState(), Job(ClientState())
    uri = projects.write("a.jsonl", "Older.", moment=1000)
    one = Watcher(LiveChat(ChatRef(uri=uri), Params(), client), Job(client))
    workspace = WorkspaceWatcher(Params(workspace=f"file://{WORKSPACE}"), Job(client))
    projects.write("a.jsonl", "Written anew.", moment=2000)
    projects.write("b.jsonl", "Newer.", moment=3000)
    cancelled.cancel()
    for watcher in (one, workspace):
        with pytest.raises(Cancelled):
            watcher.look(cancelled)


@pytest.mark.parametrize("with_workspace", [True, False])
def test_chats_below_a_root_count_as_those_of_the_window(
    projects: Projects, tmp_path: Path, with_workspace: bool
) -> None:
    """A folder of an editor that keeps its chats elsewhere is looked at too; without a workspace it is all there is."""
    away = tmp_path / "away"
    away.mkdir()
    first = write(away / "a.jsonl", "First.", moment=2000).as_uri()
    projects.write("b.jsonl", "Older.", moment=1000)
    workspace = {"workspace": f"file://{WORKSPACE}-of-another"} if with_workspace else {}
    told, look = begun(ClientState(), roots=[(tmp_path / "absent").as_uri(), away.as_uri()], **workspace)
    assert told["uri"] == first
    (tmp_path / "absent" / "chatSessions").mkdir(parents=True)
    assert look() is None
    second = write(tmp_path / "absent" / "chatSessions" / "c.jsonl", "Newest.", "Yes.", moment=3000).as_uri()
    news = look()
    assert news is not None
    assert (news["uri"], news["report"]["messageCount"]) == (second, 2)


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
    path.write_text(records(0, 1))
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


class Workspace:
    """Chats that are written at moments that a test chooses."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = NOW
        self.written: dict[str, int] = {}
        self.in_use = InUse(self.newest)
        monkeypatch.setattr(time, "time_ns", lambda: self.now)
        monkeypatch.setattr(in_use, "SCAN", 0.0)

    def newest(self) -> list[Recent]:
        """Give the chats, the newest first."""
        found = (Recent(changed, name, name, "", "") for name, changed in self.written.items())
        return sorted(found, key=lambda one: -one.changed)

    def write(self, name: str, after: float = 1) -> str:
        """Write a chat so many seconds later, and tell which one is in use then."""
        self.now += round(after * SECOND)
        self.written[name] = self.now
        return self.chat()

    def chat(self) -> str:
        """Tell which one is in use."""
        found = self.in_use.chat()
        return found.uri if found else ""


@pytest.fixture
def workspace(monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace without chats."""
    return Workspace(monkeypatch)


def test_a_new_chat_is_in_use_at_once(workspace: Workspace) -> None:
    """However lately another was written."""
    assert workspace.chat() == ""
    assert [workspace.write(name) for name in ("a", "a", "b", "c", "c")] == ["a", "a", "b", "c", "c"]


def test_chats_that_are_written_in_turn_do_not_take_turns(workspace: Workspace) -> None:
    """One of two stays in use while both are written each second."""
    shown = [workspace.write(name) for name in "ab" * 20]
    assert shown[:2] == ["a", "b"]
    assert set(shown[1:]) == {"b"}


def test_who_returns_to_a_chat_sees_it(workspace: Workspace) -> None:
    """A chat that was left comes back when the other one is quiet, be it written later or not."""
    for name in "ab":
        workspace.write(name)
    assert workspace.write("a") == "b"
    workspace.now += round(in_use.QUIET) * SECOND
    assert workspace.chat() == "a"
    assert workspace.write("b", in_use.QUIET + 1) == "b"


def test_a_chat_that_is_gone_makes_room(workspace: Workspace) -> None:
    """Where the chat in use is removed the next one is; where none is left, it stays as the last one."""
    for name in "ab":
        workspace.write(name)
    del workspace.written["b"]
    assert workspace.chat() == "a"
    workspace.written.clear()
    assert workspace.chat() == "a"


def test_not_every_look_looks_around(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two scans of all chats there is a pause."""
    monkeypatch.setattr(in_use, "SCAN", 60.0)
    looked: list[int] = []

    def newest() -> list[Recent]:
        looked.append(1)
        return [Recent(1, "a", "a", "", "")]

    chats = InUse(newest)
    chats.settle(chats.newest()[0])
    for _ in range(50):
        assert chats.chat() is not None
    assert len(looked) == 1
