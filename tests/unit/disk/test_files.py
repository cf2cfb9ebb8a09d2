"""Chats are read whole, and from regular files only."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from compact_chat.disk import MAX_FILE_BYTES, read_file
from compact_chat.errors import ChatNotFound, ChatUnreadable, CompactChatError
from tests.samples.odd_files import NOT_FOUND, ODD_FILES, TOO_LARGE, uri_of

REFUSED = [name for name, (kind, _) in ODD_FILES.items() if kind in (NOT_FOUND, TOO_LARGE)]
UNREAD = [name for name, (kind, _) in ODD_FILES.items() if kind not in (NOT_FOUND, TOO_LARGE) and "size" not in name]
posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    """A file of ten bytes."""
    path = tmp_path / "chat.jsonl"
    path.write_bytes(b"0123456789")
    return path


def test_a_file_comes_back_byte_for_byte(tmp_path: Path) -> None:
    """Line ends, NULs and broken UTF-8 are left as they are."""
    chat = tmp_path / "a chat ü.jsonl"
    chat.write_bytes(b"\xff\x00\r\n\n")

    assert read_file(chat.as_uri()) == b"\xff\x00\r\n\n"


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_file_of_a_bounded_size_is_refused(tmp_path: Path, name: str) -> None:
    """Nothing waits for a pipe or a terminal, nothing endless is read, and the error has its kind and the URI."""
    uri = uri_of(name, tmp_path)

    with pytest.raises(CompactChatError) as caught:
        read_file(uri)

    assert caught.value.payload() == {"kind": ODD_FILES[name][0], "uri": uri}


@pytest.mark.parametrize("name", UNREAD)
def test_a_file_without_a_size_is_empty(tmp_path: Path, name: str) -> None:
    """Where the system makes up the content, nothing of it is read: it may have no end."""
    assert read_file(uri_of(name, tmp_path)) == b""


def test_the_largest_file_is_read_whole(tmp_path: Path) -> None:
    """The limit is a size that is still allowed."""
    assert len(read_file(uri_of("of-the-largest-size", tmp_path))) == MAX_FILE_BYTES


@posix
@pytest.mark.parametrize("path", ["pipe", "/dev/zero"])
def test_a_device_is_not_even_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """To open a device may set it going, so it is known for one before."""
    monkeypatch.setattr(os, "open", lambda *_: pytest.fail("it was opened"))

    with pytest.raises(ChatNotFound):
        read_file(uri_of(path, tmp_path))


@posix
def test_a_pipe_that_takes_the_name_at_the_last_moment_is_refused(chat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was a file when we looked may be a pipe when it is opened: nothing waits for its other end."""
    open_file = os.open

    def open_later(path: str, flags: int) -> int:
        chat.unlink()
        os.mkfifo(chat)
        return open_file(path, flags)

    monkeypatch.setattr(os, "open", open_later)
    with pytest.raises(ChatNotFound):
        read_file(chat.as_uri())


@pytest.mark.skipif(not hasattr(os, "O_NOCTTY"), reason="only POSIX has terminals that control")
def test_no_terminal_is_taken(chat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Were a terminal opened after all, it would not become the one that controls the server."""
    open_file = os.open

    def open_and_look(path: str, flags: int) -> int:
        assert flags & os.O_NOCTTY
        assert flags & os.O_NONBLOCK
        return open_file(path, flags)

    monkeypatch.setattr(os, "open", open_and_look)

    assert read_file(chat.as_uri()) == b"0123456789"


def grow(chat: Path) -> None:
    """Write behind what is there."""
    with chat.open("ab") as file:
        file.write(b"abc" * 1000)


def shrink(chat: Path) -> None:
    """Take nearly all away."""
    os.truncate(chat, 3)


def swap(chat: Path) -> None:
    """Put another file in its place."""
    (chat.parent / "other").write_bytes(b"abcdefghijkl")
    (chat.parent / "other").replace(chat)


@pytest.mark.parametrize(
    ("change", "read"),
    [
        (grow, b"0123456789"),
        (shrink, b"012"),
        pytest.param(swap, b"0123456789", marks=posix),
    ],
)
def test_a_file_that_changes_while_it_is_read(
    chat: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None], read: bytes
) -> None:
    """What was there when it was opened is read, as far as it is still there, and never more."""
    look = os.fstat

    def look_and_change(handle: int) -> os.stat_result:
        found = look(handle)
        change(chat)
        return found

    monkeypatch.setattr(os, "fstat", look_and_change)

    assert read_file(chat.as_uri()) == read


def test_a_file_that_comes_in_pieces_is_put_together(chat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system may give less than it was asked for."""
    read = os.read
    monkeypatch.setattr(os, "read", lambda handle, size: read(handle, min(size, 3)))

    assert read_file(chat.as_uri()) == b"0123456789"


def test_a_disk_that_fails_is_told(chat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is there and cannot be read is an error with its URI, and not a fault of ours."""

    def fail(*_: object) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "read", fail)
    with pytest.raises(ChatUnreadable) as caught:
        read_file(chat.as_uri())

    assert caught.value.data == {"uri": chat.as_uri(), "format": None, "line": None}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the handles of a process")
@pytest.mark.parametrize("name", ["pipe", "absent", "a-terabyte", "empty"])
def test_no_handle_is_left_open(tmp_path: Path, name: str) -> None:
    """Whatever comes of it, what was opened is closed."""
    uri, handles = uri_of(name, tmp_path), Path("/proc/self/fd")
    before = len(list(handles.iterdir()))

    with contextlib.suppress(CompactChatError):
        read_file(uri)

    assert len(list(handles.iterdir())) == before
