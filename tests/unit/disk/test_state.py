"""The state folder, and the token ratios of models stored in it."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from compact_chat.disk import private_folder, read_ratios, state_folder, write_ratio
from compact_chat.disk import state as module
from compact_chat.disk.home import folder_for, home_folder
from compact_chat.disk.state import MOST_FAMILIES, locked

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has neither modes nor pipes in folders")


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


@posix
def test_an_empty_home_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written to the root of the file system because a variable is empty."""
    import pwd

    monkeypatch.setenv("HOME", "")
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)

    assert home_folder() == pwd.getpwuid(os.getuid()).pw_dir
    assert str(state_folder()).startswith(f"{home_folder()}/")


@posix
def test_what_others_may_write_to_is_taken_from_them(tmp_path: Path) -> None:
    """Folders that were there already are made private; a chosen one stays readable, and a sticky one as it is."""
    chosen, sticky = tmp_path / "chosen", tmp_path / "sticky"
    for folder, mode in ((chosen, 0o777), (chosen / "ours", 0o2775), (sticky, 0o1777)):
        folder.mkdir()
        folder.chmod(mode)

    private_folder(chosen, "ours", "new")
    private_folder(sticky, "ours")

    folders = chosen, chosen / "ours", chosen / "ours" / "new", sticky, sticky / "ours"
    assert [stat.S_IMODE(one.stat().st_mode) for one in folders] == [0o755, 0o700, 0o700, 0o1777, 0o700]


@posix
@pytest.mark.parametrize("place", ["link", "file", "pipe"])
def test_a_folder_of_ours_is_no_link(tmp_path: Path, place: str) -> None:
    """A link to a folder is refused, as is anything else of that name; the folder that it leads to is left alone."""
    there = tmp_path / "there"
    there.mkdir(0o755)
    one = tmp_path / "ours"
    if place == "link":
        one.symlink_to(there)
    elif place == "pipe":
        os.mkfifo(one)
    else:
        one.touch()

    with pytest.raises(OSError, match=r"ours|exists|directory"):
        private_folder(tmp_path, "ours", "more")

    assert (list(there.iterdir()), stat.S_IMODE(there.stat().st_mode)) == ([], 0o755)


@posix
def test_a_folder_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever owns a folder may exchange what is in it at any time."""
    (tmp_path / "ours").mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)

    with pytest.raises(PermissionError, match="another user"):
        private_folder(tmp_path, "ours")


@posix
def test_a_lock_is_a_file_of_ours(tmp_path: Path) -> None:
    """No link is followed to lock another file, and no pipe is waited for."""
    (tmp_path / "link").symlink_to(tmp_path / "other")
    os.mkfifo(tmp_path / "pipe")

    for name in ("link", "pipe"):
        with pytest.raises(OSError, match=r"symbolic links|regular"), locked(tmp_path / name):
            pass
    assert not (tmp_path / "other").exists()


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


@posix
def test_a_pipe_in_its_place_is_not_waited_for(file: Path) -> None:
    """A pipe or a link is no file of ours, and the next chat replaces it."""
    file.parent.mkdir(parents=True)
    for place in (os.mkfifo, lambda one: one.symlink_to("/dev/zero")):
        place(file)
        assert read_ratios() == {}
        write_ratio("gpt", (1.0, 1.0))
        assert read_ratios() == {"gpt": (1.0, 1.0)}
        file.unlink()


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
