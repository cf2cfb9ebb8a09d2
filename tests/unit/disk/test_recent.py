"""The newest chats of a workspace, found again and again."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from compact_chat.disk import recent as module
from compact_chat.disk.heads import Heads
from compact_chat.disk.recent import RecentChats
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


def write(folder: Path, name: str, moment: int) -> str:
    """Write a chat, and give its URI."""
    path = folder / f"{name}.jsonl"
    said = {"role": "user", "content": "Count the shelves."}
    line = {"type": "user", "uuid": "u", "parentUuid": None, "sessionId": name, "cwd": WORKSPACE, "message": said}
    path.write_text(json.dumps(line) + "\n")
    os.utime(path, (moment, moment))
    return path.as_uri()


def recent_chats() -> RecentChats:
    """Look at the workspace."""
    return RecentChats(f"file://{WORKSPACE}", Heads(), lambda: None)


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
    monkeypatch.setattr(module, "chats", None)
    os.utime(projects / "a.jsonl", (3000, 3000))
    assert uris(chats) == [older, newer]


def test_a_new_chat_shows_by_its_folder(projects: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is new in a known folder, or in a folder that is new itself, is found when we look next."""
    monkeypatch.setattr(module, "OFTEN", 0.0)
    older = write(projects, "a", 1000)
    chats = recent_chats()
    assert uris(chats) == [older]
    newer = write(projects, "b", 2000)
    assert uris(chats) == [newer, older]
    (projects / "b.jsonl").unlink()
    assert uris(chats) == [older]


def test_the_first_chat_of_all_is_found(projects: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there was no chat and no folder for it, both are seen when they come."""
    monkeypatch.setattr(module, "OFTEN", 0.0)
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
        RecentChats("https://example.org", Heads(), lambda: None)
    assert refused.value.data["problems"][0]["path"] == "$.workspace"
