"""Chats of all tools are found, newest first; only requested chats are opened, and only their ends read."""

from __future__ import annotations

import json
import os
import sys
import time
from itertools import islice
from pathlib import Path

import pytest
from msgspec.structs import replace

from compact_chat.disk import Heads, RecentChats, Scan, Wanted, list_chats
from compact_chat.disk import chats as module
from compact_chat.disk.chats import FIRST, LAST, MORE, Found
from compact_chat.disk.files import ends_of
from compact_chat.errors import Cancelled, checkpoints
from compact_chat.read import Heading
from tests.samples.session_files import (
    SAID,
    WRITERS,
    age,
    claude_records,
    cline,
    cline_sdk,
    codex_records,
    lines,
    of_one_user,
    put,
    vscode_state,
)

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the samples lie where tools keep chats on Linux")
Reads = list[tuple[str, int]]
SHOP, INSIDE, OTHER = "/demo/shop", "/demo/shop/till", "/demo/shop-2"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder in which each tool has a chat in each of three folders, newest first in this order."""
    for name in list(os.environ):
        monkeypatch.delenv(name)
    for name, value in of_one_user(tmp_path).items():
        monkeypatch.setenv(name, value)
    for number, (folder, tool) in enumerate((folder, tool) for folder in (SHOP, INSIDE, OTHER) for tool in WRITERS):
        age(WRITERS[tool](tmp_path, number, f"{tool} in {folder}", folder), number * 60)
    return tmp_path


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Reads:
    """Record the opened files, and how many bytes are read of each."""
    found: Reads = []

    def noted(path: str, first: int, last: int) -> tuple[bytes, bytes]:
        both = ends_of(path, first, last)
        found.append((path, sum(map(len, both))))
        return both

    monkeypatch.setattr(module, "ends_of", noted)
    return found


def listed(wanted: Wanted, seen: Heads | None = None) -> list[Heading]:
    """List all chats."""
    return [reported for _, reported in list_chats(wanted, seen or Heads(), Scan())]


def titles(**wanted: object) -> list[str | None]:
    """List the titles of all wanted chats."""
    return [one.title for one in listed(Wanted(**wanted))]  # type: ignore[arg-type]  # fields of any type


def test_all_tools_chats_are_found_newest_first(home: Path) -> None:
    """Each tool's chats are listed, by modification time."""
    assert titles() == [f"{tool} in {folder}" for folder in (SHOP, INSIDE, OTHER) for tool in WRITERS]
    assert [one.tool for one in listed(Wanted())] == list(WRITERS) * 3
    assert home.is_dir()


@pytest.mark.usefixtures("home")
def test_a_workspace_has_its_chats_and_those_below() -> None:
    """Every tool records a chat's folder in its own way; a folder whose name is a prefix is a different one."""
    assert titles(workspaces=[f"file://{SHOP}"]) == [f"{tool} in {at}" for at in (SHOP, INSIDE) for tool in _told(at)]
    assert titles(workspaces=[f"file://{INSIDE}"]) == [f"{tool} in {INSIDE}" for tool in WRITERS]
    assert titles(workspaces=[f"vscode-remote://ssh-remote+box{OTHER}/"]) == [f"{tool} in {OTHER}" for tool in WRITERS]
    assert titles(workspaces=["file:///demo/absent"]) == []


def _told(folder: str) -> list[str]:
    """A hash tells of one folder only: Gemini CLI's chats are not known to lie below another."""
    return [tool for tool in WRITERS if folder == SHOP or tool != "gemini"]


@pytest.mark.usefixtures("home")
def test_a_tool_has_its_own(reads: Reads) -> None:
    """If tools are named, no file of other tools is opened."""
    for tool in WRITERS:
        reads.clear()
        assert titles(tools=[tool]) == [f"{tool} in {folder}" for folder in (SHOP, INSIDE, OTHER)]
        assert len({path for path, _ in reads}) == 3
    assert titles(tools=["no such tool"]) == []


def test_a_session_of_clines_sdk_is_found_without_its_helpers(home: Path) -> None:
    """The system prompt names its folder; a sub-agent's chat, its manifest and its compaction are no chats."""
    path = cline_sdk(home, 5, "Count trays", SHOP, more=200)
    put(path.with_name("agent_1.messages.json"), path.read_text().replace('"lead"', '"subagent"'))
    put(path.with_name(path.name.replace(".messages.", ".compaction.")), '{"version": 1, "messages": []}')

    assert "Count trays" in titles(tools=["cline"], workspaces=[f"file://{SHOP}"])
    assert titles(tools=["cline"]).count("Count trays") == 1
    assert titles(roots=[str(path.parent)]) == ["Count trays"]


def test_roots_are_looked_at_instead(home: Path) -> None:
    """With roots, the chats below them are recognized by content, wherever they are, and no others are listed."""
    kept = home.parent / "kept"
    (home / ".codex").rename(kept)

    assert titles(roots=[str(kept)]) == [f"codex in {folder}" for folder in (SHOP, INSIDE, OTHER)]
    assert len(titles(roots=[str(kept), str(home)])) == 3 * len(WRITERS)
    assert titles(roots=[str(kept)], tools=["claude-code"]) == []
    assert titles(roots=[str(home)], workspaces=[f"file://{INSIDE}"]) == [
        f"{tool} in {INSIDE}" for tool in WRITERS if tool != "codex"
    ]


@pytest.mark.usefixtures("home")
def test_no_more_is_opened_than_is_asked_for(reads: Reads) -> None:
    """Listing three chats opens three files, and none the second time."""
    heads = Heads()

    for _ in range(2):
        assert len(list(islice(list_chats(Wanted(), heads, Scan()), 3))) == 3
        assert len(reads) == 3


@pytest.mark.usefixtures("home")
def test_what_its_place_rules_out_is_not_opened(reads: Reads) -> None:
    """If a folder's name or a note next to it suffices, a chat of another folder is not opened."""
    titles(workspaces=["file:///elsewhere"], tools=["vscode", "claude-code"])

    assert reads == []


def test_one_listing_looks_into_so_many_chats_at_most(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of examined chats is bounded, and files that are no chats do not hide others."""
    for number in range(5):
        age(put(home / f".claude/projects/-demo-shop/noise-{number}.jsonl", '{"a": 1}'), -100)
    for most, complete in ((2, False), (3 * len(WRITERS) - 1, False), (3 * len(WRITERS), True)):
        monkeypatch.setattr(module, "MOST_CHATS", most)
        look = Scan()

        assert len(list(list_chats(Wanted(), Heads(), look))) == most
        assert look.is_complete is complete


def test_a_chat_without_a_request_is_none(home: Path) -> None:
    """VS Code writes a file for each new window; only used ones are chats."""
    chats = next(home.glob(".config/Code/User/workspaceStorage/*/chatSessions"))
    for ending, requests in ((".jsonl", {"kind": 0, "v": {**vscode_state(""), "requests": []}}), (".json", None)):
        put(chats / f"empty{ending}", lines(requests or {**vscode_state(""), "requests": []}))
    put(chats / "long.jsonl", lines({"kind": 0, "v": {**vscode_state(""), "requests": [], "more": "x" * 20_000}}))

    assert len(titles(tools=["vscode"])) == 3


def test_a_copy_of_a_chat_is_listed_once(home: Path) -> None:
    """When a folder is saved as a workspace, VS Code copies its chats: per folder, the newest copy counts."""
    original = next(home.glob(".config/Code/User/workspaceStorage/*/chatSessions/*.jsonl"))
    elsewhere = home / ".config/Code/User/workspaceStorage/abc"
    put(elsewhere / "workspace.json", json.dumps({"folder": "file:///other"}))
    age(put(elsewhere / "chatSessions" / original.name, original.read_text()), -100)
    folder = json.loads((original.parent.parent / "workspace.json").read_text())["folder"]

    (newest, *others) = [one.path for one, _ in list_chats(Wanted(tools=["vscode"]), Heads(), Scan())]
    assert Path(newest).parent.parent == elsewhere
    assert str(original) not in others
    assert len(others) == 2
    held = [one.path for one, _ in list_chats(Wanted((folder,), tools=["vscode"]), Heads(), Scan())]
    assert str(original) in held


def test_a_place_tells_more_than_the_file_alone(home: Path) -> None:
    """A task that could belong to any tool is Cline's where Cline stores its tasks."""
    task = home / ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/7/api_conversation_history.json"
    put(
        task,
        json.dumps([{"role": role, "content": [{"type": "text", "text": "plain"}]} for role in ("user", "assistant")]),
    )
    seen = Heads()

    assert {one.tool for one in listed(Wanted(roots=[str(task.parent)]), seen)} == {"unknown"}
    assert "plain" in [one.title for one in listed(Wanted(tools=["cline"]), seen)]


def test_between_two_files_it_can_be_stopped(home: Path) -> None:
    """A cancelled listing stops at once."""
    asked: list[int] = []

    def stop_soon() -> None:
        asked.append(1)
        if len(asked) > 60:
            raise Cancelled

    assert home.is_dir()
    with pytest.raises(Cancelled), checkpoints(stop_soon):
        listed(Wanted())


def test_a_chat_in_a_remote_editor_is_told_by_its_name(home: Path) -> None:
    """If only the folder's name is noted, and the chat itself names none, it belongs to a folder of that name."""
    storage = home / ".local/share/code-server/User/workspaceStorage/abc"
    put(storage / "meta.json", json.dumps({"id": "abc", "name": "counter"}))
    put(storage / "chatSessions/x.jsonl", lines({"kind": 0, "v": vscode_state("In a browser")}))

    assert titles(workspaces=["file:///any/counter"]) == ["In a browser"]
    assert titles(workspaces=["file:///any/other"]) == []


def test_what_is_broken_is_left_out(home: Path) -> None:
    """Noise, other files and unreadable chats are skipped silently."""
    project = home / ".claude/projects/-demo-shop"
    (project / "noise.jsonl").write_bytes(bytes(range(256)) * 300)
    (project / "other.jsonl").write_text('{"a": 1}\n')
    (project / "cut.jsonl").write_text('{"type": "us')
    (home / ".continue/sessions/sessions.json").write_text('[{"sessionId": "1", "title": "a"}]')
    os.mkfifo(project / "pipe.jsonl")

    assert len(titles()) == 3 * len(WRITERS)


# Headings: what the ends of each chat say.


TITLE = "Count the trays"


def found(path: Path, expected: str | None = None) -> Found:
    """Stat a file."""
    return replace(next(one for one in Scan().below(str(path.parent)) if one.path == str(path)), expected=expected)


def heading(path: Path, heads: Heads | None = None) -> Heading:
    """Read a chat's heading."""
    read = (heads or Heads()).heading(found(path))
    assert read is not None
    return read


def chat(tmp_path: Path, title: str = TITLE, more: int = 0) -> Path:
    """Write a session."""
    return put(tmp_path / "chat.jsonl", lines(*claude_records(title, "/demo/shop", more=more)))


def test_a_file_is_opened_once_while_it_stays_as_it_is(tmp_path: Path, reads: Reads) -> None:
    """A changed file is read again; an unchanged one is cached, even if it is no chat."""
    path, noise, heads = chat(tmp_path), put(tmp_path / "noise.json", '{"a": 1}'), Heads()

    for _ in range(3):
        assert heading(path, heads).title == TITLE
        assert heads.heading(found(noise)) is None
    assert len(reads) == 2

    assert heading(chat(tmp_path, "Another title"), heads).title == "Another title"


def test_of_a_large_chat_only_the_ends_are_read(tmp_path: Path, reads: Reads) -> None:
    """The bytes read of a chat are bounded, however long it is; a title in the first bytes saves the rest."""
    assert heading(chat(tmp_path, more=3000)).title == TITLE
    assert [size for _, size in reads] == [FIRST + LAST]


def test_without_a_title_a_little_more_is_read(tmp_path: Path, reads: Reads) -> None:
    """Codex writes pages of instructions before the user's first words."""
    first, *rest = codex_records(TITLE, "/demo/shop", more=500)
    note = {"type": "response_item", "payload": {"type": "message", "role": "developer", "content": SAID * 70}}

    assert heading(put(tmp_path / "chat.jsonl", lines(first, note, *rest))).title == TITLE
    assert [size for _, size in reads] == [FIRST + LAST, MORE + LAST]


def test_of_what_is_no_chat_no_more_is_read(tmp_path: Path, reads: Reads) -> None:
    """A folder of large files of other kinds costs little; more is read only of files that begin like a chat."""
    other = put(tmp_path / "other.json", json.dumps({"data": [{"id": n, "name": SAID} for n in range(500)]}))
    asked = [{"role": "user", "content": [{"type": "text", "text": TITLE}]}] * 500
    late = json.dumps({"model": "gpt-4o", "tools": [{"name": SAID * 20}], "messages": asked})

    assert Heads().heading(found(other)) is None
    assert [size for _, size in reads] == [FIRST + LAST]
    assert heading(put(tmp_path / "late.json", late)).tool == "unknown"


def test_the_folder_alone_needs_no_more_than_the_beginning(tmp_path: Path, reads: Reads) -> None:
    """If only the folder is needed, the end of a file is not read if its tool writes the folder first."""
    path = chat(tmp_path, more=3000)

    assert Heads().folder(found(path, "claude-code")) == Heads().folder(found(path)) == "/demo/shop"
    assert [size for _, size in reads] == [FIRST, FIRST + LAST]


@pytest.mark.parametrize("state", [20, 200, 2000])
@pytest.mark.parametrize("more", [0, 1, 200])
def test_a_log_written_anew_keeps_its_name(tmp_path: Path, state: int, more: int) -> None:
    """VS Code writes a chat's name at the end of a first line that may be most of the file."""
    first = {"kind": 0, "v": {**vscode_state(TITLE, more=state), "customTitle": "Mine"}}
    later = [{"kind": 2, "k": ["requests", 0, "response"], "v": [{"value": SAID}]}] * more
    text = json.dumps(first, separators=(",", ":")) + "\n" + lines(*later)

    assert heading(put(tmp_path / "chat.jsonl", text)).title == "Mine"


def test_a_folder_named_late_is_found(tmp_path: Path, reads: Reads) -> None:
    """Cline names it after a first message that may be long; for the title alone no more is read."""
    path = cline(tmp_path, 1, TITLE, "/demo/shop", 99)
    asked, *rest = json.loads(path.read_text())
    asked["content"].insert(1, {"type": "text", "text": f"<file_content>{SAID * 20}</file_content>"})
    path.write_text(json.dumps([asked, *rest]))
    heads, one = Heads(), found(path, "cline")

    read = heads.heading(one)
    assert read is not None
    assert (read.title, read.workspace, len(reads)) == (TITLE, None, 1)
    assert heads.folder(one) == heads.folder(one) == "/demo/shop"
    assert len(reads) == 2


def test_a_packed_chat_shows_its_beginning(tmp_path: Path) -> None:
    """A packed file is unpacked only as far as needed, though a few bytes may stand for gigabytes."""
    path = tmp_path / "chat.jsonl.zst"
    path.write_bytes(zstd.compress(lines(*codex_records(TITLE, "/demo/shop", more=9000)).encode()))

    read = heading(path)

    assert (read.format, read.title, read.workspace) == ("codex", TITLE, "/demo/shop")
    path.write_bytes(path.read_bytes()[:4] + b"damaged")
    assert Heads().heading(found(path)) is None


def test_what_is_gone_or_closed_is_no_chat(tmp_path: Path) -> None:
    """A file may change between listing its folder and opening it."""
    one = found(chat(tmp_path))
    Path(one.path).unlink()

    assert (Heads().heading(one), Heads().folder(one)) == (None, None)
    Path(one.path).mkdir()
    assert Heads().heading(one) is None


def test_memory_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reads: Reads) -> None:
    """The least recently used entries are evicted first."""
    monkeypatch.setattr(module, "MOST_HEADS", 2)
    one, heads = found(chat(tmp_path)), Heads()
    for n in (0, 1, 2, 2, 0):
        heads.heading(replace(one, path=f"{tmp_path}/{'./' * n}chat.jsonl"))

    assert len(reads) == 4


# The newest chats, polled repeatedly.


WORKSPACE = "/demo/shop"


@pytest.fixture
def no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow full searches at any time after a change."""
    monkeypatch.setattr(module, "OFTEN", 0.0)
    monkeypatch.setattr(module, "REST", 0.0)


def write(folder: Path, name: str, moment: int, workspace: str = WORKSPACE) -> str:
    """Write a chat, and return its URI."""
    said = {"role": "user", "content": "Count the shelves."}
    line = {"type": "user", "uuid": "u", "parentUuid": None, "sessionId": name, "cwd": workspace, "message": said}
    path = put(folder / f"{name}.jsonl", json.dumps(line) + "\n")
    os.utime(path, (moment, moment))
    return path.as_uri()


def recent(*siblings: Path) -> RecentChats:
    """Watch the workspace, and folders that the client chose."""
    return RecentChats(Wanted((f"file://{WORKSPACE}",), more_roots=tuple(map(str, siblings))), Heads())


def uris(chats: RecentChats) -> list[str]:
    """List the chats' URIs, newest first."""
    return [one.uri for one in chats.newest()]


def test_the_newest_comes_first(projects: Path, tmp_path: Path) -> None:
    """Chats of the workspace are found, and those in folders that the client chose, wherever they were held."""
    write(projects.with_name("-demo-other"), "other", 5000)
    older, newer = write(projects, "a", 1000), write(projects, "b", 2000)
    mine = write(tmp_path / "mine" / "deep", "c", 3000, "/demo/other")
    chats = recent()

    assert uris(chats) == [newer, older]
    assert {one.format for one in chats.newest()} == {"claude-code"}
    assert uris(recent(tmp_path / "mine", projects)) == [mine, newer, older]
    assert uris(RecentChats(Wanted(roots=(str(tmp_path / "mine"),)), Heads())) == [mine]


def test_a_chat_that_is_written_moves_up(projects: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That takes no full search."""
    older, newer = write(projects, "a", 1000), write(projects, "b", 2000)
    chats = recent()
    uris(chats)
    monkeypatch.setattr(module, "list_chats", None)
    os.utime(projects / "a.jsonl", (3000, 3000))
    assert uris(chats) == [older, newer]
    (projects / "a.jsonl").unlink()
    assert uris(chats) == [newer]


@pytest.mark.usefixtures("no_rest")
def test_a_new_chat_shows_by_its_folder(projects: Path) -> None:
    """A first chat, one in a new folder, and one in a known folder are found when they are created."""
    projects.rmdir()
    chats = recent()
    assert uris(chats) == []
    projects.mkdir()
    assert uris(chats) == []
    older = write(projects, "a", 1000)
    assert uris(chats) == [older]
    newer = write(projects, "b", 2000)
    assert uris(chats) == [newer, older]
    (projects / "b.jsonl").unlink()
    assert uris(chats) == [older]


@pytest.mark.usefixtures("no_rest")
def test_a_folder_of_the_clients_choice_may_come_later(projects: Path, tmp_path: Path) -> None:
    """The folder, a folder in it, and a file there that becomes a chat only later are found when they are created."""
    older, mine = write(projects, "a", 1000), tmp_path / "mine"
    chats = recent(mine)
    assert uris(chats) == [older]
    mine.mkdir()
    assert uris(chats) == [older]
    (mine / "deep").mkdir()
    assert uris(chats) == [older]
    (mine / "deep" / "b.jsonl").write_text("{}\n")
    assert uris(chats) == [older]
    newer = write(mine / "deep", "b", 2000)
    assert uris(chats) == [newer, older]


def test_a_file_that_is_no_chat_yet_is_watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long after its folder has changed, its first words are found at once."""
    empty = put(tmp_path / "a.jsonl", "{}\n")
    chats = RecentChats(Wanted(roots=(str(tmp_path),)), Heads())
    assert uris(chats) == []
    later = time.monotonic() + module.SOON
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert uris(chats) == []
    chat = write(tmp_path, "a", 3000)
    assert chat == empty.as_uri()
    assert uris(chats) == [chat]
