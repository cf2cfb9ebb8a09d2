"""The state folder, and the token ratios of models stored in it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from compact_chat.disk import read_ratios, state_folder, write_ratio
from compact_chat.disk import state as module
from compact_chat.disk.state import MOST_FAMILIES, folder_for


@pytest.mark.parametrize(
    ("platform", "env", "home", "folder"),
    [
        ("linux", {}, "/home/mara", "/home/mara/.local/state/compact-chat"),
        ("linux", {"XDG_STATE_HOME": "/state"}, "/home/mara", "/state/compact-chat"),
        ("linux", {"XDG_STATE_HOME": "state"}, "/home/mara", "/home/mara/.local/state/compact-chat"),
        ("darwin", {}, "/Users/mara", "/Users/mara/Library/Application Support/compact-chat"),
        ("darwin", {"XDG_STATE_HOME": "/state"}, "/Users/mara", "/state/compact-chat"),
        ("win32", {}, r"C:\Users\mara", r"C:\Users\mara\AppData\Local\compact-chat"),
        ("win32", {"LOCALAPPDATA": r"D:\data"}, r"C:\Users\mara", r"D:\data\compact-chat"),
        ("linux", {"XDG_STATE_HOME": "/state"}, "~", "/state/compact-chat"),
        ("linux", {"XDG_STATE_HOME": "state"}, "~", ""),
        ("darwin", {}, "~", ""),
        ("win32", {"LOCALAPPDATA": "data"}, "~", ""),
    ],
)
def test_each_platform_has_its_folder(platform: str, env: dict[str, str], home: str, folder: str) -> None:
    """The conventions of Linux, macOS and Windows, and the user's variables if they name an absolute path."""
    assert folder_for(platform, env, home) == folder
    assert state_folder() is not None


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file, in a folder that does not exist yet."""
    folder = tmp_path / "state" / "compact-chat"
    monkeypatch.setattr(module, "state_folder", lambda: folder)
    return folder / "ratios.json"


def test_without_a_home_nothing_is_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user without a home gets no folder where the program runs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    for name in ("XDG_STATE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)

    write_ratio("claude", (1.0, 1.0))

    assert list(tmp_path.iterdir()) == []
    assert read_ratios() == {}


def test_what_is_written_is_read_again(file: Path) -> None:
    """Each family keeps its newest numbers, and the file holds nothing else."""
    assert read_ratios() == {}
    write_ratio("claude", (4_000.0, 4_400.0))
    write_ratio("gpt", (10.0, 9.0))
    write_ratio("claude", (3_000.0, 3_600.0))

    assert read_ratios() == {"gpt": (10.0, 9.0), "claude": (3_000.0, 3_600.0)}
    assert json.loads(file.read_text("utf-8")) == {"gpt": [10.0, 9.0], "claude": [3_000.0, 3_600.0]}
    assert [path.name for path in file.parent.iterdir()] == ["ratios.json"]


@pytest.mark.parametrize(
    "content",
    [b"", b"null", b'{"claude": [1]}', b'{"claude": [-1, 1]}', b"\xff\xfe", b'{"claude": [1, 1]}' + b" " * 70_000],
)
def test_a_damaged_file_holds_nothing_and_is_replaced(file: Path, content: bytes) -> None:
    """A damaged file reads as empty, and the next chat replaces it."""
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    good = read_ratios()

    write_ratio("gpt", (1.0, 1.0))

    assert good == {} or content.endswith(b" ")
    assert read_ratios() == {**good, "gpt": (1.0, 1.0)}


def test_the_oldest_families_go(file: Path) -> None:
    """The number of families is bounded; the least recently taught is dropped first."""
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({f"family {number}": [1.0, 1.0] for number in range(MOST_FAMILIES + 4)}))
    write_ratio("newest", (1.0, 1.0))

    assert (next(iter(read_ratios())), len(read_ratios())) == ("family 5", MOST_FAMILIES)
    assert len(json.loads(file.read_text("utf-8"))) == MOST_FAMILIES + 1


@pytest.mark.parametrize("sums", [(float("nan"), 1.0), (1.0, float("inf")), (-1.0, 1.0)])
def test_what_is_no_number_is_not_remembered(file: Path, sums: tuple[float, float]) -> None:
    """Nothing is written that could not be read again."""
    write_ratio("claude", sums)

    assert not file.exists()


def test_the_same_numbers_are_not_written_again(file: Path) -> None:
    """A chat that taught nothing new leaves the file alone."""
    write_ratio("claude", (1.0, 1.0))
    before = file.stat().st_mtime_ns, file.stat().st_ino

    write_ratio("claude", (1.0, 1.0))

    assert (file.stat().st_mtime_ns, file.stat().st_ino) == before
