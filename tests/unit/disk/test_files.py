"""Chats are read from regular files of a bounded size on this machine: whole, in ranges, or by their ends."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.disk import Followed, files, open_file, path_of, read_file, read_siblings
from compact_chat.disk.files import ends_of, line_end, small_text, windows_path
from compact_chat.disk.workspace import comparable
from compact_chat.errors import ChatNotFound, ChatUnreadable, CompactChatError, InvalidParams
from compact_chat.read import MAX_FILE_BYTES, Blob, Range, Source, read_chat
from compact_chat.read import source as lines
from compact_chat.read.loose import MARK
from tests.oracles.snapshots import check_functions
from tests.samples.odd_files import FOREIGN_URIS, NOT_FOUND, ODD_FILES, TOO_LARGE, uri_of

REFUSED = [name for name, (kind, _) in ODD_FILES.items() if kind in (NOT_FOUND, TOO_LARGE) and "size" not in name]
UNREAD = [name for name, (kind, _) in ODD_FILES.items() if kind not in (NOT_FOUND, TOO_LARGE) and "size" not in name]
posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other paths, and no named pipes in folders")


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    """A file of ten bytes."""
    path = tmp_path / "chat.jsonl"
    path.write_bytes(b"0123456789")
    return path


def session(number: int) -> bytes:
    """A session of Claude Code of so many messages."""
    records = (
        {"parentUuid": f"u{n - 1}" if n else None, "type": "user", "uuid": f"u{n}", "sessionId": "s"}
        | {"message": {"role": "user", "content": f"é {n}"}}
        for n in range(number)
    )
    return b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records)


@posix
def test_paths_and_uris(accept: bool) -> None:
    """A URI names one path, on Windows only one with a drive; and when two name the same folder."""
    functions = {"path_of": path_of, "windows_path": windows_path, "comparable": lambda given: comparable(*given)}
    check_functions(Path(__file__).with_name("paths.txt"), functions, accept=accept)


@pytest.mark.parametrize("name", FOREIGN_URIS)
def test_other_schemes_and_machines_are_refused(name: str) -> None:
    """A network share, however it is written, would be opened with the user's credentials; nothing is opened."""
    with pytest.raises(InvalidParams) as caught:
        path_of(FOREIGN_URIS[name])

    assert [one["path"] for one in caught.value.data["problems"]] == ["$.uri"]


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_file_of_a_bounded_size_is_refused(tmp_path: Path, name: str) -> None:
    """No pipe or terminal is waited for, no endless file is read, and no handle stays open."""
    uri, handles = uri_of(name, tmp_path), Path("/proc/self/fd")
    before = len(list(handles.iterdir())) if handles.is_dir() else 0

    with pytest.raises(CompactChatError) as caught:
        read_file(uri)
    with pytest.raises(CompactChatError), open_file(uri):
        pass

    assert caught.value.payload() == {"kind": ODD_FILES[name][0], "uri": uri}
    assert (len(list(handles.iterdir())) if handles.is_dir() else 0) == before


@pytest.mark.parametrize("name", UNREAD)
def test_a_file_without_a_size_is_empty(tmp_path: Path, name: str) -> None:
    """If the system generates the content, it is not read: it may be endless."""
    assert read_file(uri_of(name, tmp_path)) == b""


def test_the_largest_file_is_read_whole(tmp_path: Path) -> None:
    """The limit itself is allowed."""
    assert len(read_file(uri_of("of-the-largest-size", tmp_path))) == MAX_FILE_BYTES


@posix
@pytest.mark.parametrize("path", ["pipe", "/dev/zero"])
def test_a_device_is_not_even_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """Opening a device may have side effects, so it is recognized first."""
    monkeypatch.setattr(os, "open", lambda *_: pytest.fail("it was opened"))

    with pytest.raises(ChatNotFound):
        read_file(uri_of(path, tmp_path))


@posix
def test_a_pipe_that_takes_the_name_at_the_last_moment_is_refused(chat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file may be replaced by a pipe or a terminal before it is opened: nothing waits for it or obeys it."""
    real = os.open

    def open_later(path: str, flags: int) -> int:
        chat.unlink()
        os.mkfifo(chat)
        assert flags & os.O_NOCTTY
        return real(path, flags)

    monkeypatch.setattr(os, "open", open_later)
    with pytest.raises(ChatNotFound):
        read_file(chat.as_uri())


def swap(chat: Path) -> None:
    """Put another file in its place."""
    (chat.parent / "other").write_bytes(b"abcdefghijkl")
    (chat.parent / "other").replace(chat)


@pytest.mark.parametrize(
    ("change", "read"),
    [
        (lambda chat: chat.write_bytes(b"0123456789" * 9), b"0123456789"),
        (lambda chat: os.truncate(chat, 3), b"012"),
        pytest.param(swap, b"0123456789", marks=posix),
    ],
)
def test_a_file_that_changes_while_it_is_read(
    chat: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], object], read: bytes
) -> None:
    """What existed when it was opened is read in ranges, as far as it still exists, and never more."""
    look, real = os.fstat, os.read

    def look_and_change(handle: int) -> os.stat_result:
        found = look(handle)
        change(chat)
        return found

    monkeypatch.setattr(os, "fstat", look_and_change)
    monkeypatch.setattr(os, "read", lambda handle, size: real(handle, min(size, 3)))

    assert read_file(chat.as_uri()) == read


@pytest.mark.parametrize("small", [0, 2**20])
def test_a_disk_that_fails_is_an_error(chat: Path, monkeypatch: pytest.MonkeyPatch, small: int) -> None:
    """A file that exists but cannot be read is an error with its URI, not a bug."""

    def fail(*_: object) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(files, "SMALL", small)
    monkeypatch.setattr(os, "read", fail)
    with pytest.raises(ChatUnreadable) as caught, open_file(chat.as_uri()) as held:
        list(held.blocks())

    assert caught.value.data == {"uri": chat.as_uri(), "format": None, "line": None}


@pytest.mark.parametrize("small", [0, 2**20])
def test_the_blocks_and_ranges_are_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: int) -> None:
    """The whole file, and any range of it, byte for byte and repeatedly."""
    monkeypatch.setattr(files, "SMALL", small)
    monkeypatch.setattr(files, "BLOCK", 1000)
    data = session(40) + b"\xff\x00\r\n\n"
    path = tmp_path / "a chat ü.jsonl"
    path.write_bytes(data)
    with open_file(path.as_uri()) as held:
        assert b"".join(held.blocks()) == b"".join(held.blocks()) == data
        assert list(held.ranges([(5, 10), (5, 10), (900, 300)])) == [data[5:15], data[5:15], data[900:1200]]
        assert list(held.ranges([(len(data) - 3, 9), (len(data), 9)])) == [data[-3:], b""]
        blocks = held.blocks()
        before = next(blocks)
        path.write_bytes(data + b"grown since")
        assert before + b"".join(blocks) == data


class Meddled:
    """A file that changes after its first pass, before its live lines are decoded."""

    def __init__(self, held: Blob, meddle: Callable[[], object]) -> None:
        self.blocks = held.blocks
        self._held, self._meddle = held, meddle

    def ranges(self, wanted: Iterable[Range]) -> Iterator[bytes]:
        """Meddle first."""
        self._meddle()
        return self._held.ranges(wanted)


@pytest.mark.parametrize(
    ("change", "left", "codes"),
    [
        (lambda path, data: os.truncate(path, len(data) // 2), 10, ["changedWhileRead"]),
        (lambda path, data: path.write_bytes(b" " * len(data)), 0, ["changedWhileRead"]),
        (lambda path, data: path.write_bytes(data[: data.index(b"u1")] + session(99)), 0, ["changedWhileRead"]),
        (lambda path, _: path.write_bytes(session(30)), 20, []),
    ],
    ids=["cut off", "blanked", "written anew", "grown"],
)
def test_a_session_that_is_changed_while_it_is_read(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Path, bytes], object],
    left: int,
    codes: list[str],
) -> None:
    """What still exists is read, with a warning that the rest is gone; later additions are ignored."""
    monkeypatch.setattr(files, "SMALL", 0)
    path, data = tmp_path / "chat.jsonl", session(20)
    path.write_bytes(data)

    with open_file(path.as_uri()) as held:
        chat = read_chat(Source.of_blob(Meddled(held, lambda: change(path, data))))

    assert abs(len(chat.messages) - left) <= (2 if codes else 0)
    assert [warning.code for warning in chat.warnings] == codes


def test_the_files_of_a_task_are_read_together(tmp_path: Path) -> None:
    """Existing files are returned by name; missing ones, non-files, and unrelated ones are left out."""
    (tmp_path / "ui_messages.json").write_bytes(b"[]")
    (tmp_path / "context_history.json").mkdir()
    (tmp_path / "api_conversation_history.json").write_bytes(b"own")
    (tmp_path / "secrets.json").write_bytes(b"never")

    def siblings(name: str) -> dict[str, bytes]:
        return read_siblings((tmp_path / name).as_uri())

    assert siblings("api_conversation_history.json") == {"ui_messages.json": b"[]"}
    assert siblings("ui_messages.json") == {"api_conversation_history.json": b"own"}
    for name in ("chat.json", "context_history.json", "API_CONVERSATION_HISTORY.JSON"):
        assert siblings(name) == {}


@pytest.mark.parametrize(
    ("first", "last", "both"),
    [(3, 2, (b"012", b"89")), (8, 4, (b"01234567", b"89")), (10, 4, (b"0123456789", b"")), (3, 0, (b"012", b""))],
)
def test_the_ends_never_overlap(chat: Path, first: int, last: int, both: tuple[bytes, bytes]) -> None:
    """The end starts after the beginning; a file that is read whole has none."""
    assert ends_of(str(chat), first, last) == both


@pytest.mark.parametrize(
    ("start", "last", "most", "end"),
    [(0, 3, 99, b"456"), (2, 99, 99, b"23456"), (0, 3, 7, b""), (0, 3, 8, b"456"), (8, 99, 99, b"")],
)
def test_the_end_of_a_line_is_found(tmp_path: Path, start: int, last: int, most: int, end: bytes) -> None:
    """No more of a line is returned than requested; one that never ends, or not soon enough, has no end."""
    path = tmp_path / "chat"
    path.write_bytes(b"0123456\n89")

    assert line_end(str(path), start, last, most) == end


def test_a_line_is_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line end is found in pieces, and what follows the piece with it is not read."""
    path, read, sizes = tmp_path / "chat", os.read, list[int]()
    path.write_bytes(b"0123456789\n" + b"x" * 99)

    def noting(handle: int, size: int) -> bytes:
        sizes.append(size)
        return read(handle, size)

    monkeypatch.setattr(files, "_PIECE", 4)
    monkeypatch.setattr(os, "read", noting)

    assert line_end(str(path), 1, 6, 99) == b"456789"
    assert sum(sizes) == 12


def test_only_a_small_file_is_read_as_text(tmp_path: Path) -> None:
    """A file beyond the limit is empty, like a missing one; a byte order mark is not part of the text."""
    (tmp_path / "note").write_bytes(b"\xef\xbb\xbfa\xff")

    wanted = (("note", 4), ("note", 5), ("a\0", 5), ("absent", 5))

    assert [small_text(str(tmp_path / name), largest) for name, largest in wanted] == ["", "a\ufffd", "", ""]


# A growing file is read once; every other change is detected.


ONE, TWO, THREE = b'{"a": 1}\n', b'{"b": 2}\n', b'{"c": 3}\n'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of two lines."""
    path = tmp_path / "chat.jsonl"
    path.write_bytes(ONE + TWO)
    return path


def read(followed: Followed) -> bytes:
    """Read all."""
    with followed.whole() as held:
        return b"".join(held.blocks()).removeprefix(MARK)


def append(path: Path, data: bytes) -> None:
    """Write to the end."""
    with path.open("ab") as file:
        file.write(data)


def test_a_line_on_its_way_is_kept_back(path: Path) -> None:
    """Half a line waits for its other half, whether it was there at first or came later."""
    append(path, THREE[:4])
    followed = Followed(path.as_uri())
    assert read(followed) == ONE + TWO
    append(path, THREE[4:-2])
    assert followed.grown() == b""
    append(path, THREE[-2:] + ONE[:2])
    assert followed.grown() == THREE
    append(path, ONE[2:])
    assert followed.grown() == ONE


@pytest.mark.parametrize(
    "data",
    [
        b'{\n  "messages": [\n    {"role": "user"}\n  ]',
        b"## User\n\nhello\n\n## Assistant\n\nhi",
        b"\x28\xb5\x2f\xfd\n\x00\n\x01",
        b'{"a": 1',
        b"",
    ],
)
def test_what_is_no_lines_is_given_as_it_is(tmp_path: Path, data: bytes) -> None:
    """Of a document, prose or packed bytes, nothing is held back."""
    path = tmp_path / "chat"
    path.write_bytes(data)
    assert read(Followed(path.as_uri())) == data


@pytest.mark.parametrize("change", ["shorter", "replaced", "longer", "same size", "same size and time", "same end"])
def test_what_is_written_anew_is_noticed(path: Path, change: str) -> None:
    """A file that was truncated, replaced or overwritten is not mistaken for one that grew."""
    if change == "same end":
        path.write_bytes(ONE + b" " * 300 + b"\n")
    followed = Followed(path.as_uri())
    read(followed)
    before = path.stat()
    new = path.with_name("new")
    new.write_bytes(ONE + TWO + THREE)
    if change == "shorter":
        path.write_bytes(ONE)
    elif change == "replaced":
        new.replace(path)
    elif change == "longer":
        path.write_bytes(TWO + ONE + THREE)
    elif change == "same end":
        path.write_bytes(TWO + b" " * 300 + b"\n")
        os.utime(path, ns=(1, 1))
    else:
        path.write_bytes(TWO + ONE)
        os.utime(path, ns=(1, 1) if change == "same size" else (before.st_atime_ns, before.st_mtime_ns))
    assert followed.has_changed()
    assert followed.grown() is None
    assert read(followed) == path.read_bytes()
    assert not followed.has_changed()


def test_a_file_that_is_gone_is_noticed_once(path: Path) -> None:
    """Disappearing is a change, staying away is none, coming back is one."""
    followed = Followed(path.as_uri())
    read(followed)
    path.unlink()
    assert followed.has_changed()
    assert followed.grown() is None
    with pytest.raises(ChatNotFound):
        read(followed)
    assert not followed.has_changed()
    path.write_bytes(THREE)
    assert followed.has_changed()
    assert read(followed) == THREE


def test_a_file_that_may_not_be_read_is_tried_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing signals a restored permission, so it is retried after a while, but not before."""
    followed = Followed(path.as_uri())
    read(followed)
    append(path, THREE)
    with monkeypatch.context() as locked:
        locked.setattr(os, "open", refuse)
        assert followed.grown() is None
        with pytest.raises(ChatNotFound):
            read(followed)
    assert not followed.has_changed()
    monkeypatch.setattr(files, "AGAIN", 0.0)
    assert followed.has_changed()
    assert read(followed) == ONE + TWO + THREE
    assert not followed.has_changed()


def refuse(*_: object) -> int:
    """Open nothing."""
    raise PermissionError


def test_what_was_forgotten_is_news(path: Path) -> None:
    """After forgetting, everything counts as changed and unread until it is read."""
    followed = Followed(path.as_uri())
    read(followed)
    append(path, THREE)
    assert followed.more() == len(THREE)
    followed.forget()
    assert followed.has_changed()
    assert followed.more() == len(ONE + TWO + THREE)
    assert followed.grown() is None


def test_what_comes_at_once_is_bounded(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large addition is not read on: everything is reread in pieces; so is an addition to a very long line."""
    monkeypatch.setattr(files, "LONGEST_TAIL", len(THREE) + 3)
    followed = Followed(path.as_uri())
    read(followed)
    append(path, THREE + TWO[:3])
    assert followed.grown() == THREE
    append(path, TWO[3:] + ONE[:2])
    assert followed.grown() == TWO
    append(path, ONE[2:] + TWO)
    assert followed.grown() is None
    assert read(followed) == path.read_bytes()


def test_a_very_long_line_is_not_kept(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A last line too long to hold is returned as is."""
    monkeypatch.setattr(lines, "LONGEST_TAIL", 20)
    append(path, b'{"d": "' + b"x" * 40)
    followed = Followed(path.as_uri())
    assert read(followed) == path.read_bytes()
    append(path, b'"}\n')
    assert followed.grown() == b'"}\n'


def test_what_lies_beside_is_looked_at_too(tmp_path: Path) -> None:
    """A Cline task changes with the files in its folder, and is then reread."""
    path, siblings = tmp_path / "api_conversation_history.json", tmp_path / "ui_messages.json"
    path.write_text("[]")
    followed = Followed(path.as_uri())
    read(followed)
    siblings.write_text("[]")
    assert followed.has_changed()
    assert followed.grown() is None
    read(followed)
    append(path, b"\n")
    assert followed.grown() == b"\n"


@given(st.lists(st.binary(max_size=30), max_size=6), st.data())
def test_pieces_make_the_lines(
    tmp_path_factory: pytest.TempPathFactory, said: list[bytes], data: st.DataObject
) -> None:
    """However bytes arrive, all of them come out in order, and no record is split."""
    content = ONE + TWO + b"\n".join(said) + b"\n" + THREE
    cuts = sorted(data.draw(st.lists(st.integers(len(ONE), len(content)), max_size=5)))
    path = tmp_path_factory.getbasetemp() / "pieces.jsonl"
    path.write_bytes(ONE + TWO)
    followed = Followed(path.as_uri())
    reported = read(followed)
    for start, end in zip([len(ONE + TWO), *cuts], [*cuts, len(content)], strict=True):
        append(path, content[max(start, len(ONE + TWO)) : end])
        grown = followed.grown()
        assert grown is not None
        reported += grown
        assert content.startswith(reported)
    assert reported == content
