"""Where archives are, and how those that are elsewhere are found again."""

from __future__ import annotations

from pathlib import Path

import pytest

from compact_chat.disk import archive as archive_places
from compact_chat.disk import archive_folder, known_folders, remember_folder


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder of this test's own."""
    monkeypatch.setattr(archive_places, "state_folder", lambda: tmp_path / "state")
    return tmp_path / "state"


def test_the_setting_names_the_folder(state: Path, tmp_path: Path) -> None:
    """On is the state folder, off is none, a folder is itself, and one that is not absolute lies beside the chat."""
    uri = (tmp_path / "chats" / "a b.jsonl").as_uri()

    assert archive_folder("on", uri) == archive_folder(" ", uri) == state / "archive"
    assert archive_folder("off", uri) is archive_folder(" Off ", uri) is None
    assert archive_folder(str(tmp_path / "mine"), uri) == tmp_path / "mine"
    assert archive_folder(".compact-chat", uri) == tmp_path / "chats" / ".compact-chat"
    assert archive_folder("~/kept", None) == Path.home() / "kept"


def test_a_chat_without_a_file_has_no_beside(state: Path) -> None:
    """A text has no folder, so its original goes where archives usually are."""
    assert archive_folder(".compact-chat", None) == state / "archive"


def test_a_folder_that_was_written_to_is_known_ever_after(state: Path, tmp_path: Path) -> None:
    """Whatever the setting says later, what lies beside a chat is found."""
    remember_folder(tmp_path / "chats" / ".compact-chat")
    remember_folder(tmp_path / "chats" / ".compact-chat")
    remember_folder(state / "archive")

    assert known_folders("off") == [state / "archive", tmp_path / "chats" / ".compact-chat"]
    assert known_folders(str(tmp_path / "mine"))[1] == tmp_path / "mine"
    assert len(list((state / "archives").iterdir())) == 1


def test_a_user_without_a_home_has_no_archive(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing of ours belongs where the program happens to run."""
    monkeypatch.setattr(archive_places, "state_folder", lambda: None)
    remember_folder(tmp_path)

    assert archive_folder("on", None) is None
    assert known_folders("on") == []
