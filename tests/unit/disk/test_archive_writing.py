"""Files are written whole or not at all, whatever fails and whoever is killed."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_chat.disk import Archive, put, put_new
from compact_chat.disk.state import PART

ROOT = Path(__file__).resolve().parents[3]
CALLS = ("open", "write", "fsync", "close", "replace", "link", "unlink", "mkdir")
MOST_CALLS = 200
# Dies at the call of this number that changes something on the disk; a child for each number.
DYING = """
import os, signal, sys
sys.path.insert(0, {root!r})
from pathlib import Path
from tests.unit.disk.test_archive import keep
def dying(real, count, last):
    def call(*args, **kwargs):
        count[0] += 1
        if count[0] == last:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **kwargs)
    return call
for last in range(1, {most}):
    child = os.fork()
    if not child:
        count = [0]
        for name in {calls!r}:
            setattr(os, name, dying(getattr(os, name), count, last))
        keep(Path(sys.argv[1]) / str(last), 1, b"one" * 100_000)
        os._exit(0)
    if os.waitpid(child, 0)[1] == 0:
        print(last)
        break
"""


def failing(real: Callable[..., Any], turn: list[int], code: int) -> Callable[..., Any]:
    """Make a call fail when its turn has come."""

    def call(*arguments: Any, **named: Any) -> Any:
        turn[0] -= 1
        if turn[0] == 0:
            raise OSError(code, os.strerror(code))
        return real(*arguments, **named)

    return call


@pytest.mark.parametrize("new", [False, True])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS])
def test_a_failure_at_any_step_leaves_no_half_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new: bool, code: int
) -> None:
    """Where a step fails, the old file or the whole new one is there, and nothing beside it."""
    path, steps = tmp_path / "file", 0
    for step in range(1, MOST_CALLS):
        for old in tmp_path.iterdir():
            old.unlink()
        path.write_bytes(b"old")
        turn = [step]
        with monkeypatch.context() as patch:
            for name in ("open", "write", "fsync", "replace", "link"):
                patch.setattr(os, name, failing(getattr(os, name), turn, code))
            try:
                (put_new if new else put)(tmp_path / ("fresh" if new else "file"), [b"new", b" and whole"])
            except OSError:
                steps += 1
        assert {one.name for one in tmp_path.iterdir()} <= {"file", "fresh"}
        assert {one.read_bytes() for one in tmp_path.iterdir()} <= {b"old", b"new and whole"}
        if turn[0] > 0:
            break

    assert steps >= 4
    assert turn[0] > 0


def test_a_new_file_is_never_written_over(tmp_path: Path) -> None:
    """A file, a folder and a link that leads nowhere all keep their names."""
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")

    for name in ("file", "folder", "link"):
        with pytest.raises(FileExistsError):
            put_new(tmp_path / name, [b"new"])

    assert (tmp_path / "file").read_bytes() == b"old"
    assert {path.name for path in tmp_path.iterdir()} == {"file", "folder", "link"}


def test_a_name_that_is_taken_meanwhile_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a file comes to be while the new one is written."""
    real = os.fsync

    def slow(handle: int) -> None:
        (tmp_path / "file").write_bytes(b"theirs")
        real(handle)

    monkeypatch.setattr(os, "fsync", slow)

    with pytest.raises(FileExistsError):
        put_new(tmp_path / "file", [b"ours"])
    assert (tmp_path / "file").read_bytes() == b"theirs"


def test_a_file_system_without_links_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a file cannot have two names, the name is taken first and the file put under it then."""

    def none(*_: object) -> None:
        raise PermissionError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", none)
    put_new(tmp_path / "file", [b"new"])

    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", b"new")]
    with pytest.raises(FileExistsError):
        put_new(tmp_path / "file", [b"newer"])


@pytest.mark.skipif(os.name == "nt", reason="Windows has neither fork nor SIGKILL")
def test_a_kill_at_any_write_tears_nothing(tmp_path: Path) -> None:
    """Killed at each call that changes the disk, the archive holds the compaction whole or not at all, and goes on."""
    from tests.unit.disk.test_archive import ids, keep, sha

    code = DYING.format(root=str(ROOT), calls=CALLS, most=MOST_CALLS)
    told = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, check=True, text=True)

    assert int(told.stdout) > 15
    for folder in tmp_path.iterdir():
        for head in Archive(folder).heads():
            assert Archive(folder).original(head.original.sha256) == b"one" * 100_000
        keep(folder, 2, b"two")
        assert set(ids(folder)) <= {1, 2}
        assert {path.name for path in (folder / "originals").iterdir()} <= {sha(b"one" * 100_000), sha(b"two")}
        assert [path for path in folder.rglob("*") if path.name.startswith(PART)] == []
