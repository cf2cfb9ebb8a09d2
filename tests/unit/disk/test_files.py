"""Chats are read whole, and from regular files only."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from compact_chat.disk.files import MAX_FILE_BYTES, read_file
from compact_chat.errors import ChatNotFound, InvalidParams, TooLarge


def test_a_file_comes_back_byte_for_byte(tmp_path: Path) -> None:
    """Line ends, NULs and broken UTF-8 are left as they are."""
    chat = tmp_path / "a chat ü.jsonl"
    chat.write_bytes(b"\xff\x00\r\n\n")

    assert read_file(chat.as_uri()) == b"\xff\x00\r\n\n"


@pytest.mark.parametrize("name", ["absent.jsonl", "folder", "nul\x00"])
def test_what_is_no_file_is_not_found(tmp_path: Path, name: str) -> None:
    """A missing file, a folder and an impossible name give one sentence and the URI."""
    (tmp_path / "folder").mkdir()
    uri = tmp_path.as_uri() + "/" + name.replace("\x00", "%00")

    with pytest.raises(ChatNotFound) as caught:
        read_file(uri)

    assert caught.value.data == {"uri": uri}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
@pytest.mark.parametrize("path", ["pipe", "/dev/zero", "/dev/null"])
def test_pipes_and_devices_are_refused_at_once(tmp_path: Path, path: str) -> None:
    """Nothing waits for the other end of a pipe, and nothing endless is read."""
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(ChatNotFound):
        read_file((tmp_path / path).as_uri())


@pytest.mark.skipif(sys.platform == "win32", reason="Windows links need a privilege")
def test_a_loop_of_links_is_not_found(tmp_path: Path) -> None:
    """A link that leads to itself ends in an error."""
    (tmp_path / "loop").symlink_to(tmp_path / "loop")

    with pytest.raises(ChatNotFound):
        read_file((tmp_path / "loop").as_uri())


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    """Beyond the documented limit nothing is read."""
    huge = tmp_path / "huge.jsonl"
    with huge.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)

    with pytest.raises(TooLarge) as caught:
        read_file(huge.as_uri())

    assert caught.value.data["uri"] == huge.as_uri()


@pytest.mark.parametrize(
    "uri", ["https://example.com/chat.jsonl", "chat.jsonl", "file://server/share/chat.jsonl", "file://[::1/x", ""]
)
def test_only_files_of_this_machine_are_opened(uri: str) -> None:
    """Other schemes and other machines are a fault of the params, with the path of the field."""
    with pytest.raises(InvalidParams) as caught:
        read_file(uri)

    assert caught.value.data["problems"][0]["path"] == "$.uri"
