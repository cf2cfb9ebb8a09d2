"""The newest chats of a workspace, found again and again."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from compact_chat.disk import Heads, RecentChats, Wanted
from compact_chat.disk import chats as module
from compact_chat.errors import InvalidParams

WORKSPACE = "/demo/shop"


@pytest.fixture
def projects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder, and the folder in it where Claude Code keeps the workspace's chats."""
    for name in [name for name in os.environ if name.startswith(("CLAUDE", "XDG_", "CODEX", "VSCODE_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    folder = tmp_path / ".claude" / "projects" / "-demo-shop"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """All may be looked through again at once where something has changed."""
    monkeypatch.setattr(module, "OFTEN", 0.0)
    monkeypatch.setattr(module, "REST", 0.0)


def write(folder: Path, name: str, moment: int, workspace: str = WORKSPACE) -> str:
    """Write a chat, and give its URI."""
    path = folder / f"{name}.jsonl"
    said = {"role": "user", "content": "Count the shelves."}
    line = {"type": "user", "uuid": "u", "parentUuid": None, "sessionId": name, "cwd": workspace, "message": said}
    path.write_text(json.dumps(line) + "\n")
    os.utime(path, (moment, moment))
    return path.as_uri()


def recent_chats() -> RecentChats:
    """Look at the workspace."""
    return RecentChats(Wanted(f"file://{WORKSPACE}"), Heads())


def chats_beside(folder: Path) -> RecentChats:
    """Look at the workspace, and at a folder of the client's choice."""
    return RecentChats(Wanted(f"file://{WORKSPACE}", beside=(str(folder),)), Heads())


def uris(chats: RecentChats) -> list[str]:
    """Name the chats, the newest first."""
    return [one.uri for one in chats.newest()]


def test_the_newest_comes_first(projects: Path) -> None:
    """Chats of the workspace are found with their formats; those of others are not."""
    elsewhere = projects.with_name("-demo-other")
    elsewhere.mkdir()
    write(elsewhere, "other", 5000)
    older, newer = write(projects, "a", 1000), write(projects, "b", 2000)
    chats = recent_chats()
    assert uris(chats) == [newer, older]
    assert {one.format for one in chats.newest()} == {"claude-code"}


def test_a_chat_that_is_written_moves_up(projects: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That costs no look through all chats."""
    older, newer = write(projects, "a", 1000), write(projects, "b", 2000)
    chats = recent_chats()
    uris(chats)
    monkeypatch.setattr(module, "list_chats", None)
    os.utime(projects / "a.jsonl", (3000, 3000))
    assert uris(chats) == [older, newer]


@pytest.mark.usefixtures("no_rest")
def test_a_new_chat_shows_by_its_folder(projects: Path) -> None:
    """A file that is new in a known folder, or in a folder that is new itself, is found when we look next."""
    older = write(projects, "a", 1000)
    chats = recent_chats()
    assert uris(chats) == [older]
    newer = write(projects, "b", 2000)
    assert uris(chats) == [newer, older]
    (projects / "b.jsonl").unlink()
    assert uris(chats) == [older]


@pytest.mark.usefixtures("no_rest")
def test_the_first_chat_of_all_is_found(projects: Path) -> None:
    """Where there was no chat and no folder for it, both are seen when they come."""
    projects.rmdir()
    chats = recent_chats()
    assert uris(chats) == []
    projects.mkdir()
    assert uris(chats) == []
    first = write(projects, "a", 1000)
    assert uris(chats) == [first]


def test_only_a_folder_is_a_workspace() -> None:
    """What names none is refused with its path in the params."""
    with pytest.raises(InvalidParams) as refused:
        RecentChats(Wanted("https://example.org"), Heads())
    assert refused.value.data["problems"][0]["path"] == "$.workspace"


def test_a_folder_of_the_clients_choice_counts_as_the_workspace(projects: Path, tmp_path: Path) -> None:
    """What lies below it is found beside the workspace's own chats, whatever folder it was held in."""
    (tmp_path / "mine" / "deep").mkdir(parents=True)
    older, newer = write(projects, "a", 1000), write(tmp_path / "mine" / "deep", "b", 2000, "/demo/other")
    assert uris(chats_beside(tmp_path / "mine")) == [newer, older]


def test_a_chat_that_is_found_twice_is_told_once(projects: Path) -> None:
    """A folder of the client's choice may be one that a tool's chats are looked for in anyway."""
    chat = write(projects, "a", 1000)
    assert uris(chats_beside(projects)) == [chat]


@pytest.mark.usefixtures("no_rest")
def test_a_folder_of_the_clients_choice_may_come_later(projects: Path, tmp_path: Path) -> None:
    """It, a folder in it, and a file there that becomes a chat only when it is written to, are seen when they come."""
    older, mine = write(projects, "a", 1000), tmp_path / "mine"
    chats = chats_beside(mine)
    assert uris(chats) == [older]
    mine.mkdir()
    assert uris(chats) == [older]
    (mine / "deep").mkdir()
    assert uris(chats) == [older]
    (mine / "deep" / "b.jsonl").write_text("{}\n")
    assert uris(chats) == [older]
    newer = write(mine / "deep", "b", 2000)
    assert uris(chats) == [newer, older]


def test_a_file_that_is_no_chat_yet_is_kept_an_eye_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long after its folder has changed, words in it are seen at once."""
    empty = tmp_path / "a.jsonl"
    empty.write_text("{}\n")
    chats = RecentChats(Wanted(roots=(str(tmp_path),)), Heads())
    assert uris(chats) == []
    later = time.monotonic() + module.SOON
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert uris(chats) == []
    with empty.open("a") as file:
        file.write(Path(write(tmp_path.parent, "b", 2000).removeprefix("file://")).read_text())
    os.utime(empty, (3000, 3000))
    assert uris(chats) == [empty.as_uri()]


def test_roots_alone_are_all(projects: Path, tmp_path: Path) -> None:
    """Without a workspace only what lies below them is found, and no tool's folder is looked at."""
    (tmp_path / "mine").mkdir()
    write(projects, "a", 1000)
    chat = write(tmp_path / "mine", "b", 2000)
    assert uris(RecentChats(Wanted(roots=(str(tmp_path / "mine"),)), Heads())) == [chat]
