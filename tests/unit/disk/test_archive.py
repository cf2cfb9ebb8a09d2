"""The archive stores originals once and compactions whole, within its limit, even after failures and kills."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from compact_chat.disk import (
    ORIGINALS,
    Archive,
    Body,
    Head,
    Kept,
    OtherBytes,
    Record,
    archive,
    archive_folder,
    known_folders,
    put,
    put_new,
    remember_folder,
)
from compact_chat.disk.state import PART, locked

NO_LIMIT = 2**40


def sha(data: bytes) -> str:
    """Return the name of an original."""
    return hashlib.sha256(data).hexdigest()


def record(number: int, data: bytes, messages: list[dict[str, object]] | None = None) -> Record:
    """Make a compaction of an original; higher numbers are later."""
    at = f"2026-11-18T10:{number // 60:02}:{number % 60:02}.000Z"
    head = Head(f"{number:032x}", at, None, Kept("text", sha(data), len(data)), provider="offline", style="detailed")
    return Record(head, Body({"summary": "S"}, messages or []))


def keep(folder: Path, number: int, data: bytes, limit: int = NO_LIMIT) -> str:
    """Store a compaction, and return its id."""
    one = record(number, data)
    Archive(folder).store(one, {sha(data): lambda: [data]}, limit)
    return one.head.id


def ids(folder: Path) -> list[int]:
    """Return the numbers of the stored compactions."""
    return [int(head.id, 16) for head in Archive(folder).heads()]


def files(folder: Path) -> set[str]:
    """List all files below a folder."""
    return {path.name for path in folder.rglob("*") if path.is_file()}


def test_what_is_stored_is_found_again(tmp_path: Path) -> None:
    """A compaction comes back complete, its original byte for byte, lone surrogates and NULs included."""
    data = b"\xff\x00 chat \r\n"
    one = record(1, data, [{"role": "user", "content": "a\ud800\u2028b"}])

    Archive(tmp_path).store(one, {sha(data): lambda: [data]}, NO_LIMIT)

    assert Archive(tmp_path).find(one.head.id) == one
    assert Archive(tmp_path).original(sha(data)) == data
    assert Archive(tmp_path).find("other") is None


def test_only_the_owner_looks_in(tmp_path: Path) -> None:
    """Folders are 0700 and files 0600, whatever the umask."""
    folder = tmp_path / "state" / "archive"
    before = os.umask(0)
    try:
        keep(folder, 1, b"private")
    finally:
        os.umask(before)

    paths = [tmp_path / "state", folder, *folder.rglob("*")]
    modes = {stat.S_IMODE(path.stat().st_mode) for path in paths if path.is_dir()}
    assert modes == {0o700}
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths if path.is_file()} == {0o600}


def test_the_oldest_go_first(tmp_path: Path) -> None:
    """Beyond the limit the oldest compactions are removed with their originals; shared originals stay."""
    keep(tmp_path, 1, b"a" * 1000)
    keep(tmp_path, 2, b"b" * 1000)
    keep(tmp_path, 3, b"a" * 1000)
    size = sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file())
    one = next((tmp_path / archive.RECORDS).iterdir()).stat().st_size

    keep(tmp_path, 4, b"c" * 1000, limit=size - one)  # exactly what two compactions with their originals take

    assert ids(tmp_path) == [4, 3]
    assert files(tmp_path / "originals") == {sha(b"a" * 1000), sha(b"c" * 1000)}


def test_a_draft_that_was_just_changed_is_not_the_oldest(tmp_path: Path) -> None:
    """What was written last goes last, whenever it began."""
    for number in (1, 2):
        keep(tmp_path, number, b"%d" % number * 1000)
    for path in (tmp_path / archive.RECORDS).iterdir():
        os.utime(path, (1, 1))
    size = sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file())
    Archive(tmp_path).exchange(record(1, b"1" * 1000), 0, NO_LIMIT)
    keep(tmp_path, 3, b"3" * 1000, limit=size)

    assert ids(tmp_path) == [3, 1]


def test_leftovers_of_the_killed_are_swept(tmp_path: Path) -> None:
    """Half-written files and unreferenced originals are removed when the next compaction is stored."""
    keep(tmp_path, 1, b"one")
    (tmp_path / "originals" / f"{PART}x").write_bytes(b"half")
    (tmp_path / "compactions" / f"{PART}y").write_bytes(b"half")
    (tmp_path / "originals" / sha(b"orphan")).write_bytes(b"orphan")

    keep(tmp_path, 2, b"two")

    assert files(tmp_path / "originals") == {sha(b"one"), sha(b"two")}
    assert len(files(tmp_path / "compactions")) == 2


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pipes in folders")
def test_what_is_no_regular_file_is_not_opened(tmp_path: Path) -> None:
    """A pipe or a device in the place of a record or an original is passed over: nothing waits for it."""
    keep(tmp_path, 1, b"one")
    os.mkfifo(tmp_path / archive.RECORDS / f"{9:017}-{9:032x}.json")
    (tmp_path / archive.RECORDS / f"{8:017}-{8:032x}.json").symlink_to("/dev/zero")
    (tmp_path / ORIGINALS / sha(b"two")).symlink_to("/dev/zero")
    os.mkfifo(tmp_path / ORIGINALS / sha(b"three"))

    assert ids(tmp_path) == [1]
    assert Archive(tmp_path).find(f"{9:032x}") is None
    assert [Archive(tmp_path).original(sha(data)) for data in (b"two", b"three")] == [None, None]
    keep(tmp_path, 2, b"two")
    assert Archive(tmp_path).original(sha(b"two")) == b"two"


@pytest.mark.skipif(os.name == "nt", reason="Windows has neither modes nor links for everyone")
def test_no_link_in_the_archive_is_followed(tmp_path: Path, state: Path) -> None:
    """Neither the originals nor the archive lead elsewhere: nothing is read, written or removed there."""
    usual, there = state / archive.USUAL, tmp_path / "there"
    keep(usual, 1, b"one")
    usual.rename(there)
    before = files(there)
    for link, target in ((usual, there), (usual / ORIGINALS, there / ORIGINALS)):
        if link != usual:
            usual.unlink()
            keep(usual, 1, b"one")
            shutil.rmtree(link)
        link.symlink_to(target)
        with pytest.raises(OSError, match="is a link"):
            keep(usual, 2, b"two")
        Archive(usual).forget(f"{1:032x}")
        assert (ids(usual), Archive(usual).original(sha(b"one")), files(there)) == ([], None, before)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_an_archive_that_is_open_to_all_is_closed(tmp_path: Path, state: Path) -> None:
    """Folders that somebody else made before us are made private before anything is written to them."""
    for folder in (state / archive.USUAL, tmp_path / "chosen"):
        for one in (folder, folder / ORIGINALS, folder / archive.RECORDS):
            one.mkdir(parents=True)
            one.chmod(0o777)
        keep(folder, 1, b"one")
        modes = [stat.S_IMODE(one.stat().st_mode) for one in (folder, folder / ORIGINALS, folder / archive.RECORDS)]
        assert modes == [0o700 if folder.parent == state else 0o755, 0o700, 0o700]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pipes in folders")
@pytest.mark.parametrize("name", [sha(b"one"), "lock", f"{9:017}-{9:032x}.json", f"{PART}x"])
def test_folders_in_the_place_of_files_hold_up_nothing(tmp_path: Path, name: str) -> None:
    """Whatever has the name of one of our files, the other compactions are still read, and a new one stored or not."""
    for folder in (tmp_path, tmp_path / ORIGINALS, tmp_path / archive.RECORDS):
        (folder / name).mkdir(parents=True)
        (folder / name / "theirs").touch()
    with suppress(OSError):
        keep(tmp_path, 1, b"one")
    with suppress(OSError):
        keep(tmp_path, 2, b"two", limit=1)

    assert ids(tmp_path) == ([] if name == "lock" else [2])
    assert len(list(tmp_path.rglob("theirs"))) == 3


def test_a_record_without_an_end_is_not_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a huge file with the name of a record only a bounded beginning is read, and it is no compaction."""
    monkeypatch.setattr(archive, "_LARGEST", 2**16)
    keep(tmp_path, 1, b"one")
    huge = tmp_path / archive.RECORDS / f"{9:017}-{9:032x}.json"
    with huge.open("wb") as file:
        file.truncate(2**40)

    assert ids(tmp_path) == [1]
    assert Archive(tmp_path).find(f"{9:032x}") is None


def test_a_record_names_an_original_by_its_hash_alone(tmp_path: Path) -> None:
    """A folder that others write to may hold a record that names any path in the place of a hash."""
    elsewhere = tmp_path / "elsewhere"
    os.mkfifo(elsewhere)

    assert Archive(tmp_path).original(str(elsewhere)) is None
    assert Archive(tmp_path).original("../elsewhere") is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        *((None, damage) for damage in (b"", b"null\nnull\n", b'{"id": 1}\n{}\n', b"\xff\xfe\n")),
        (b"2026-11-18T10:00:02.000Z", b"\\u001b[2J"),
        (b"2026-11-18T10:00:02.000Z", b"9999-99-99T00:00:00.000Z"),
        (f"{2:032x}".encode(), f"{1:032x}".encode()),
    ],
)
def test_a_record_that_nothing_can_show_is_skipped(tmp_path: Path, old: bytes | None, new: bytes) -> None:
    """One that is damaged, of no time, or under another's id does not keep the others from being listed."""
    keep(tmp_path, 1, b"one")
    keep(tmp_path, 2, b"two")
    path = max((tmp_path / archive.RECORDS).iterdir())
    path.write_bytes(path.read_bytes().replace(old or path.read_bytes(), new))

    assert ids(tmp_path) == [1]
    assert Archive(tmp_path).find(f"{2:032x}") is None


def test_the_originals_of_a_record_that_nobody_can_read_yet_stay(tmp_path: Path) -> None:
    """A newer version may write heads that this one cannot read: their originals are not leftovers."""
    keep(tmp_path, 1, b"one")
    (path,) = (tmp_path / archive.RECORDS).iterdir()
    path.write_bytes(path.read_bytes().replace(b'"original"', b'"origin"'))
    keep(tmp_path, 2, b"two")

    assert ids(tmp_path) == [2]
    assert Archive(tmp_path).original(sha(b"one")) == b"one"


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    """A folder that the user chose may hold files and folders with similar names; none of them is touched."""
    theirs = [tmp_path / ORIGINALS / "photo.jpg", tmp_path / archive.RECORDS / "notes.json"]
    for path in theirs:
        path.parent.mkdir()
        path.write_bytes(b"mine")
        (path.parent / "folder.json").mkdir()
    keep(tmp_path, 1, b"one", limit=1)
    keep(tmp_path, 2, b"two", limit=1)

    assert ids(tmp_path) == [2]
    assert Archive(tmp_path).original(sha(b"two")) == b"two"
    assert [path.read_bytes() for path in theirs] == [b"mine", b"mine"]


def test_a_damaged_original_is_not_given_out(tmp_path: Path) -> None:
    """The hash is verified; storing the same bytes again repairs the damage."""
    keep(tmp_path, 1, b"good")
    path = Archive(tmp_path).original_path(sha(b"good"))
    path.write_bytes(b"evil")

    assert Archive(tmp_path).original(sha(b"good")) is None
    keep(tmp_path, 2, b"good")
    assert Archive(tmp_path).original(sha(b"good")) == b"good"


def test_other_bytes_are_refused(tmp_path: Path) -> None:
    """An original that has changed since it was read is not stored, and nothing of it is left."""
    with pytest.raises(OtherBytes):
        Archive(tmp_path).store(record(1, b"read"), {sha(b"read"): lambda: [b"re", b"written"]}, NO_LIMIT)

    assert files(tmp_path) == {"lock"}


def test_a_store_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the disk is full before the record is written, its original is removed too, and what was there stays."""
    keep(tmp_path, 1, b"old")

    def full(path: Path, blocks: Iterable[bytes]) -> None:
        if path.suffix == ".json":
            raise OSError(28, "No space left on device")
        put(path, blocks)

    monkeypatch.setattr(archive, "put", full)
    with pytest.raises(OSError, match="No space"):
        keep(tmp_path, 2, b"new")

    assert (ids(tmp_path), files(tmp_path / "originals")) == ([1], {sha(b"old")})


def test_what_is_taken_back_is_gone(tmp_path: Path) -> None:
    """Removing a compaction removes its original, unless another compaction refers to it."""
    first, second, third = keep(tmp_path, 1, b"same"), keep(tmp_path, 2, b"same"), keep(tmp_path, 3, b"own")

    for one in (first, third):
        Archive(tmp_path).forget(one)

    assert ids(tmp_path) == [2]
    assert files(tmp_path / "originals") == {sha(b"same")}
    Archive(tmp_path).forget(second)
    assert files(tmp_path) == {"lock"}
    Archive(tmp_path / "nowhere").forget(second)


def test_many_at_once_lose_nothing(tmp_path: Path) -> None:
    """Threads that store at the same time wait for each other."""
    threads = [threading.Thread(target=keep, args=(tmp_path, n, b"%d" % (n % 3))) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(ids(tmp_path)) == list(range(12))
    assert files(tmp_path / "originals") == {sha(b"%d" % n) for n in range(3)}


def test_a_lock_that_is_held_for_ever_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that cannot get the lock in time gives up with a proper error."""
    monkeypatch.setattr("compact_chat.disk.state.PATIENCE", 0.05)
    with locked(tmp_path / "lock"), pytest.raises(TimeoutError), locked(tmp_path / "lock"):
        pass
    with locked(tmp_path / "lock"):
        pass


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A separate state folder."""
    monkeypatch.setattr(archive, "state_folder", lambda: tmp_path / "state")
    return tmp_path / "state"


def test_the_setting_names_the_folder(state: Path, tmp_path: Path) -> None:
    """On is the state folder, off is none, an absolute path is itself, and a relative one is next to the chat."""
    uri = (tmp_path / "chats" / "a b.jsonl").as_uri()

    assert archive_folder("on", uri) == archive_folder(" ", uri) == state / "archive"
    assert archive_folder("off", uri) is archive_folder(" Off ", uri) is None
    assert archive_folder(str(tmp_path / "mine"), uri) == tmp_path / "mine"
    assert archive_folder(".compact-chat", uri) == tmp_path / "chats" / ".compact-chat"
    assert archive_folder("~/kept", None) == Path.home() / "kept"
    assert archive_folder(".compact-chat", None) == state / "archive"


def test_a_folder_that_was_written_to_is_known_ever_after(state: Path, tmp_path: Path) -> None:
    """Whatever the setting is later, an archive next to a chat is found."""
    remember_folder(tmp_path / "chats" / ".compact-chat")
    remember_folder(tmp_path / "chats" / ".compact-chat")
    remember_folder(state / "archive")

    assert known_folders("off") == [state / "archive", tmp_path / "chats" / ".compact-chat"]
    assert known_folders(str(tmp_path / "mine"))[1] == tmp_path / "mine"
    assert len(list((state / "archives").iterdir())) == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pipes in folders")
def test_what_is_no_name_of_a_folder_is_passed_over(state: Path, tmp_path: Path) -> None:
    """Among the names of other archives, pipes, links, folders and impossible names are skipped; nothing waits."""
    remember_folder(tmp_path / "mine")
    names = state / "archives"
    os.mkfifo(names / "0")
    (names / "1").symlink_to("/dev/zero")
    (names / "2").mkdir()
    for number, name in enumerate((b"", b"relative", b"/nul\0l", b"/" + b"x" * 70_000), 3):
        (names / str(number)).write_bytes(name)

    assert known_folders("on") == [state / "archive", tmp_path / "mine"]


def test_a_user_without_a_home_has_no_archive(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing is written to the folder in which the program happens to run."""
    monkeypatch.setattr(archive, "state_folder", lambda: None)
    remember_folder(tmp_path)

    assert archive_folder("on", None) is None
    assert known_folders("on") == []


ROOT = Path(__file__).resolve().parents[3]
CALLS = ("open", "write", "fsync", "close", "replace", "link", "unlink", "mkdir")
MOST_CALLS = 200
# Dies at the n-th call that changes the disk; one child per number.
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
    """Make the n-th call fail."""

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
    """If a step fails, the old file or the complete new one exists, and nothing else."""
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

    # Create, write twice, sync, rename, open and sync the folder; without links, a new file gets its name otherwise.
    assert steps == 7 - new
    assert turn[0] > 0


def test_a_folder_that_cannot_be_synced_has_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on some network mounts: the file is written, and no failure is reported after that."""
    real = os.fsync

    def of_files_alone(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        real(handle)

    monkeypatch.setattr(os, "fsync", of_files_alone)
    put(tmp_path / "file", [b"new"])

    assert (tmp_path / "file").read_bytes() == b"new"


def test_a_new_file_is_never_written_over(tmp_path: Path) -> None:
    """A file, a folder and a dangling link all keep their names."""
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")

    for name in ("file", "folder", "link"):
        with pytest.raises(FileExistsError):
            put_new(tmp_path / name, [b"new"])

    assert (tmp_path / "file").read_bytes() == b"old"
    assert {path.name for path in tmp_path.iterdir()} == {"file", "folder", "link"}


def test_a_name_that_is_taken_meanwhile_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same if a file is created while the new one is written."""
    real = os.fsync

    def slow(handle: int) -> None:
        (tmp_path / "file").write_bytes(b"theirs")
        real(handle)

    monkeypatch.setattr(os, "fsync", slow)

    with pytest.raises(FileExistsError):
        put_new(tmp_path / "file", [b"ours"])
    assert (tmp_path / "file").read_bytes() == b"theirs"


def test_a_new_file_is_never_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name appears with all that is in it: at no call does it exist without."""
    seen: set[bytes] = set()

    def looking(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            with suppress(FileNotFoundError):
                seen.add((tmp_path / "file").read_bytes())
            return real(*arguments, **named)

        return call

    for name in ("write", "fsync", "close", "replace", "rename", "link", "unlink"):
        monkeypatch.setattr(os, name, looking(getattr(os, name)))
    put_new(tmp_path / "file", [b"new"])

    assert seen == {b"new"}


@pytest.mark.parametrize("problem", [None, OSError(errno.ENOSPC, "full"), KeyboardInterrupt()])
def test_a_file_system_without_links_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, problem: BaseException | None
) -> None:
    """If a file cannot have two names, the name is reserved first; a failure or an interrupt gives it back."""

    def none(*_: object) -> None:
        raise PermissionError(errno.EPERM, "no links here")

    def fail(*_: object) -> None:
        assert problem
        raise problem

    monkeypatch.setattr(os, "link", none)
    if problem:
        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", fail)
            with pytest.raises(type(problem)):
                put_new(tmp_path / "file", [b"new"])
        assert not list(tmp_path.iterdir())
    put_new(tmp_path / "file", [b"new"])

    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", b"new")]
    with pytest.raises(FileExistsError):
        put_new(tmp_path / "file", [b"newer"])


@pytest.mark.skipif(os.name == "nt", reason="Windows has neither fork nor SIGKILL")
def test_a_kill_at_any_write_tears_nothing(tmp_path: Path) -> None:
    """Killed at each call that changes the disk, the archive has the compaction whole or not at all, and works on."""
    code = DYING.format(root=str(ROOT), calls=CALLS, most=MOST_CALLS)
    reported = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, check=True, text=True)

    assert int(reported.stdout) > 15
    for folder in tmp_path.iterdir():
        for head in Archive(folder).heads():
            assert Archive(folder).original(head.original.sha256) == b"one" * 100_000
        keep(folder, 2, b"two")
        assert set(ids(folder)) <= {1, 2}
        assert {path.name for path in (folder / "originals").iterdir()} <= {sha(b"one" * 100_000), sha(b"two")}
        assert [path for path in folder.rglob("*") if path.name.startswith(PART)] == []
