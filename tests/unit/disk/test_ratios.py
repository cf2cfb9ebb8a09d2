"""What is remembered of the models' tokens."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from compact_chat.disk import read_ratios, write_ratio
from compact_chat.disk import state as ratios
from compact_chat.disk.state import MOST_FAMILIES


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file, in a folder that is not there yet."""
    folder = tmp_path / "state" / "compact-chat"
    monkeypatch.setattr(ratios, "state_folder", lambda: folder)
    return folder / "ratios.json"


def test_without_a_home_nothing_is_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user who has no folder of their own gets none where the program runs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    for name in ("XDG_STATE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)

    write_ratio("claude", (1.0, 1.0))

    assert list(tmp_path.iterdir()) == []
    assert read_ratios() == {}


def test_what_is_written_is_read_again(file: Path) -> None:
    """Each family keeps its newest numbers, and nothing else is in the file."""
    assert read_ratios() == {}
    write_ratio("claude", (4_000.0, 4_400.0))
    write_ratio("gpt", (10.0, 9.0))
    write_ratio("claude", (3_000.0, 3_600.0))

    assert read_ratios() == {"gpt": (10.0, 9.0), "claude": (3_000.0, 3_600.0)}
    assert json.loads(file.read_text("utf-8")) == {"gpt": [10.0, 9.0], "claude": [3_000.0, 3_600.0]}
    assert [path.name for path in file.parent.iterdir()] == ["ratios.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps the user's folders apart in another way")
def test_only_the_owner_can_read_it(file: Path) -> None:
    """Folder and file are closed to others."""
    write_ratio("claude", (1.0, 1.0))

    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"claude": 1}',
        b'{"claude": [1]}',
        b'{"claude": ["a", "b"]}',
        b'{"claude": [-1, 1]}',
        b'{"claude": [1e999, 1]}',
        b"\xff\xfe",
        b"[" * 60_000,
        b'{"claude": [1, 1]}' + b" " * 70_000,
    ],
)
def test_a_damaged_file_holds_nothing_and_is_replaced(file: Path, content: bytes) -> None:
    """Whatever became of the file, nothing is taken from it, and the next chat makes it good."""
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    good = read_ratios()

    write_ratio("gpt", (1.0, 1.0))

    assert good == {} or content.endswith(b" ")
    assert read_ratios() == {**good, "gpt": (1.0, 1.0)}


def test_the_oldest_families_go(file: Path) -> None:
    """So many families at most; the one that was taught longest ago goes first."""
    for number in range(MOST_FAMILIES + 5):
        write_ratio(f"family {number}", (1.0, 1.0))

    assert next(iter(read_ratios())) == "family 5"
    assert len(json.loads(file.read_text("utf-8"))) <= MOST_FAMILIES + 1


@pytest.mark.parametrize("sums", [(float("nan"), 1.0), (1.0, float("inf")), (-1.0, 1.0)])
def test_what_is_no_number_is_not_remembered(file: Path, sums: tuple[float, float]) -> None:
    """Nothing is written that could not be read again."""
    write_ratio("claude", sums)

    assert not file.exists()


def test_a_folder_that_cannot_be_written_is_no_failure(file: Path) -> None:
    """A file in the folder's place: the chat is counted, and nothing is remembered."""
    file.parent.parent.mkdir(parents=True)
    file.parent.write_text("in the way")

    write_ratio("claude", (1.0, 1.0))

    assert read_ratios() == {}


def test_a_write_that_fails_leaves_nothing_behind(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The old file stays, and no half of a new one beside it."""
    write_ratio("claude", (1.0, 1.0))

    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "replace", refuse)
    write_ratio("claude", (2.0, 2.0))

    assert read_ratios() == {"claude": (1.0, 1.0)}
    assert [path.name for path in file.parent.iterdir()] == ["ratios.json"]


def test_the_same_numbers_are_not_written_again(file: Path) -> None:
    """A chat that taught nothing new leaves the file alone."""
    write_ratio("claude", (1.0, 1.0))
    before = file.stat().st_mtime_ns, file.stat().st_ino

    write_ratio("claude", (1.0, 1.0))

    assert (file.stat().st_mtime_ns, file.stat().st_ino) == before
