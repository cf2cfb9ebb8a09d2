"""The archive keeps originals once and compactions whole, within its limit, and finds them again, wherever it is."""

from __future__ import annotations

import hashlib
import os
import stat
import threading
from collections.abc import Iterable
from pathlib import Path

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
    remember_folder,
)
from compact_chat.disk.state import PART, locked

NO_LIMIT = 2**40


def sha(data: bytes) -> str:
    """Give the name of an original."""
    return hashlib.sha256(data).hexdigest()


def record(number: int, data: bytes, messages: list[dict[str, object]] | None = None) -> Record:
    """Make a compaction of an original, the later the higher its number."""
    head = Head(
        id=f"{number:032x}",
        at=f"2026-11-18T10:{number // 60:02}:{number % 60:02}.000Z",
        uri=None,
        title=None,
        workspace=None,
        plan_id="p",
        provider="offline",
        model=None,
        style="detailed",
        chat_model=None,
        before=9,
        after=3,
        kept=1.0,
        original=Kept("text", sha(data), len(data)),
        marks=None,
    )
    return Record(head, Body({"summary": "S"}, messages or []))


def keep(folder: Path, number: int, data: bytes, limit: int = NO_LIMIT) -> str:
    """Store a compaction, and give its id."""
    one = record(number, data)
    Archive(folder).store(one, {sha(data): lambda: [data]}, limit)
    return one.head.id


def ids(folder: Path) -> list[int]:
    """Number the compactions that are there."""
    return [int(head.id, 16) for head in Archive(folder).heads()]


def files(folder: Path) -> set[str]:
    """Name all files below a folder."""
    return {path.name for path in folder.rglob("*") if path.is_file()}


def test_what_is_stored_is_found_again(tmp_path: Path) -> None:
    """A compaction comes back with all it held, its original byte for byte, lone surrogates and NULs included."""
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
    """Over the limit the oldest compactions go with their originals, and shared originals stay for the others."""
    keep(tmp_path, 1, b"a" * 1000)
    keep(tmp_path, 2, b"b" * 1000)
    keep(tmp_path, 3, b"a" * 1000)
    size = sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file())

    keep(tmp_path, 4, b"c" * 1000, limit=size)

    assert ids(tmp_path) == [4, 3]
    assert files(tmp_path / "originals") == {sha(b"a" * 1000), sha(b"c" * 1000)}


def test_leftovers_of_the_killed_are_swept(tmp_path: Path) -> None:
    """Half-written files and originals that no compaction refers to go with the next one that is stored."""
    keep(tmp_path, 1, b"one")
    (tmp_path / "originals" / f"{PART}x").write_bytes(b"half")
    (tmp_path / "compactions" / f"{PART}y").write_bytes(b"half")
    (tmp_path / "originals" / sha(b"orphan")).write_bytes(b"orphan")

    keep(tmp_path, 2, b"two")

    assert files(tmp_path / "originals") == {sha(b"one"), sha(b"two")}
    assert len(files(tmp_path / "compactions")) == 2


@pytest.mark.parametrize("damage", [b"", b"null\nnull\n", b'{"id": 1}\n{}\n', b"\xff\xfe\n"])
def test_a_damaged_record_is_skipped(tmp_path: Path, damage: bytes) -> None:
    """A record that cannot be read is as if it were not there; the others are."""
    keep(tmp_path, 1, b"one")
    keep(tmp_path, 2, b"two")
    path = max((tmp_path / "compactions").iterdir())
    path.write_bytes(damage)

    assert ids(tmp_path) == [1]
    assert Archive(tmp_path).find(f"{2:032x}") is None


def test_the_originals_of_a_record_that_nobody_can_read_yet_stay(tmp_path: Path) -> None:
    """A newer version of us may write heads that this one does not know: their originals are no leftovers."""
    keep(tmp_path, 1, b"one")
    (path,) = (tmp_path / archive.RECORDS).iterdir()
    path.write_bytes(path.read_bytes().replace(b'"planId"', b'"plan"'))
    keep(tmp_path, 2, b"two")

    assert ids(tmp_path) == [2]
    assert Archive(tmp_path).original(sha(b"one")) == b"one"


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    """A folder of the user's choice may hold files and folders of the same names as ours; none of them is touched."""
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


def test_a_record_is_whole_or_none(tmp_path: Path) -> None:
    """A record that was cut at any byte is not taken for one."""
    one = keep(tmp_path, 1, b"x")
    (path,) = (tmp_path / archive.RECORDS).iterdir()
    data = path.read_bytes()

    for length in range(len(data)):
        path.write_bytes(data[:length])
        assert Archive(tmp_path).find(one) is None


def test_a_damaged_original_is_not_given_out(tmp_path: Path) -> None:
    """The hash is checked; storing the same bytes again mends what was damaged."""
    keep(tmp_path, 1, b"good")
    Archive(tmp_path).original_path(sha(b"good")).write_bytes(b"evil")

    assert Archive(tmp_path).original(sha(b"good")) is None
    keep(tmp_path, 2, b"good")
    assert Archive(tmp_path).original(sha(b"good")) == b"good"


def test_other_bytes_are_refused(tmp_path: Path) -> None:
    """An original that is no longer what was read is not kept, and nothing of it is left."""
    with pytest.raises(OtherBytes):
        Archive(tmp_path).store(record(1, b"read"), {sha(b"read"): lambda: [b"re", b"written"]}, NO_LIMIT)

    assert files(tmp_path) == {"lock"}


def test_a_store_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the disk is full before the record, its original goes too, and what was there stays."""
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
    """A compaction that is forgotten leaves its original only where another was made of it."""
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


def test_a_lock_that_is_held_for_ever_is_not_waited_for(tmp_path: Path) -> None:
    """Whoever does not get the lock in time gives up with an error that can be told."""
    with locked(tmp_path / "lock"), pytest.raises(TimeoutError), locked(tmp_path / "lock", patience=0.05):
        pass
    with locked(tmp_path / "lock", patience=0):
        pass


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder of this test's own."""
    monkeypatch.setattr(archive, "state_folder", lambda: tmp_path / "state")
    return tmp_path / "state"


def test_the_setting_names_the_folder(state: Path, tmp_path: Path) -> None:
    """On is the state folder, off is none, a folder is itself, and one that is not absolute lies beside the chat."""
    uri = (tmp_path / "chats" / "a b.jsonl").as_uri()

    assert archive_folder("on", uri) == archive_folder(" ", uri) == state / "archive"
    assert archive_folder("off", uri) is archive_folder(" Off ", uri) is None
    assert archive_folder(str(tmp_path / "mine"), uri) == tmp_path / "mine"
    assert archive_folder(".compact-chat", uri) == tmp_path / "chats" / ".compact-chat"
    assert archive_folder("~/kept", None) == Path.home() / "kept"
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
    monkeypatch.setattr(archive, "state_folder", lambda: None)
    remember_folder(tmp_path)

    assert archive_folder("on", None) is None
    assert known_folders("on") == []
