"""What other chats showed is found cheaply, read once and remembered."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from compact_chat.disk import Found, Heads, Place, shown_by_neighbors, state, state_folder
from compact_chat.disk import neighbors as module
from compact_chat.measure import NOTHING, Shown, folder_marks

TOOL, HERE, ELSEWHERE = "claude-code", "/home/ada/shop", "/home/ada/garden"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of Claude Code's projects, and a state folder of our own."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "claude" / "projects"


class Reader:
    """Reads what a test's file says that it shows, and remembers which were read."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def __call__(self, one: Found) -> Shown:
        """Read a file."""
        self.read.append(Path(one.path).name)
        record = json.loads(Path(one.path).read_text().partition("\n")[0])
        if "own" not in record:
            return NOTHING
        return Shown(TOOL, record.get("version", ""), folders=folder_marks(record["cwd"]), own=record["own"])


def write(folder: Path, name: str, own: int, at: int, cwd: str = HERE) -> Path:
    """Write a chat that shows a size, at a time."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.jsonl"
    path.write_text(json.dumps({"type": "user", "sessionId": "s", "cwd": cwd, "own": own}) + "\n")
    os.utime(path, (at, at))
    return path


def ask(read: Reader, uri: str | None = None, workspace: str | None = HERE) -> list[int]:
    """Ask what the neighbors of a chat showed."""
    return [one.own for one in shown_by_neighbors(Place(TOOL, workspace, uri), Heads(), read)]


def test_chats_of_the_folder_come_first_and_then_the_newest(machine: Path) -> None:
    """A chat says itself where it was held; it is no neighbor of its own."""
    write(machine / "-home-ada-shop", "old", 1, at=100)
    own = write(machine / "-home-ada-shop", "own", 2, at=500)
    write(machine / "-home-ada-shop", "new", 3, at=300)
    write(machine / "-home-ada-garden", "other", 4, at=400, cwd=ELSEWHERE)

    assert ask(Reader(), own.as_uri()) == [3, 1, 4]
    assert ask(Reader()) == [2, 3, 1, 4]


def test_files_next_to_the_chat_count_too(machine: Path, tmp_path: Path) -> None:
    """A chat that lies elsewhere has its neighbors there, and those that its tool keeps."""
    own = write(tmp_path / "kept", "own", 1, at=100)
    write(tmp_path / "kept", "beside", 2, at=100)
    write(machine / "-home-ada-shop", "at-home", 3, at=50)

    assert ask(Reader(), own.as_uri()) == [2, 3]


def test_a_file_is_read_once_until_it_changes(machine: Path) -> None:
    """What it showed is remembered by its time and size, across processes; nothing of its text and its path is."""
    write(machine / "-home-ada-shop", "one", 1, at=100)
    path = write(machine / "-home-ada-shop", "two", 2, at=50)
    reader = Reader()

    assert ask(reader) == ask(reader) == [1, 2]
    assert reader.read == ["one.jsonl", "two.jsonl"]

    write(path.parent, "two", 22, at=60)
    assert ask(reader) == [1, 22]
    assert reader.read[2:] == ["two.jsonl"]

    folder = state_folder()
    assert folder is not None
    kept = (folder / module.NOTES).read_text()
    assert "shop" not in kept
    assert "two" not in kept


@pytest.mark.parametrize("damage", ["", "{", '{"files": 3}', '{"x": [1]}', "[" * 10_000])
def test_damaged_notes_hold_nothing(machine: Path, damage: str) -> None:
    """They are written anew."""
    write(machine / "-home-ada-shop", "one", 1, at=100)
    assert ask(Reader()) == [1]
    folder = state_folder()
    assert folder is not None
    (folder / module.NOTES).write_text(damage)
    reader = Reader()

    assert ask(reader) == ask(reader) == [1]
    assert reader.read == ["one.jsonl"]


def test_little_is_read_at_a_time(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more files than the newest, and no more bytes than a bound; the next time goes on from there."""
    for number in range(20):
        write(machine / "-home-ada-shop", f"here{number}", number, at=100 - number)
        write(machine / "-home-ada-garden", f"there{number}", number, at=100 - number, cwd=ELSEWHERE)
    reader = Reader()
    assert ask(reader) == [*range(module.MOST_NEAR), *range(module.MOST_FAR)]

    monkeypatch.setattr(module, "MOST_READ", 2 * len(next(machine.rglob("*.jsonl")).read_bytes()))
    (state_folder() or machine).joinpath(module.NOTES).unlink()
    assert [len(ask(Reader())) for _ in range(3)] == [2, 4, 6]


def test_what_shows_nothing_is_no_neighbor(machine: Path) -> None:
    """A file that is no chat, or that holds one with another tool, is remembered as such."""
    path = write(machine / "-home-ada-shop", "none", 1, at=100)
    path.write_text(json.dumps({"type": "user", "cwd": HERE}) + "\n")
    reader = Reader()

    assert ask(reader) == ask(reader) == []
    assert len(reader.read) == 1


def test_what_cannot_be_written_is_forgotten(machine: Path) -> None:
    """Half a surrogate pair is in no JSON of ours."""
    path = write(machine / "-home-ada-shop", "one", 1, at=100)
    path.write_text('{"type": "user", "cwd": "/home/ada/shop", "own": 1, "version": "\\ud800"}\n')
    reader = Reader()

    assert ask(reader) == ask(reader) == [1]
    assert len(reader.read) == 2


def test_a_folder_that_cannot_be_written_forgets(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer is the same, and the files are read again."""
    write(machine / "-home-ada-shop", "one", 1, at=100)
    monkeypatch.setattr(state, "state_folder", lambda: None)
    reader = Reader()

    assert ask(reader) == ask(reader) == [1]
    assert len(reader.read) == 2


def test_chats_without_a_folder_are_neighbors_of_each_other(machine: Path) -> None:
    """Where nothing says in which folder a chat was held, all are near that say nothing either."""
    write(machine / "-home-ada-shop", "one", 1, at=100)

    assert ask(Reader(), workspace=None) == [1]
