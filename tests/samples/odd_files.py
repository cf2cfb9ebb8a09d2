"""What may stand under the name of a chat's file and is none, each with the kind of its error."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from compact_chat.disk import MAX_FILE_BYTES

NOT_FOUND, UNREADABLE, TOO_LARGE, INVALID = "chatNotFound", "chatUnreadable", "tooLarge", "invalidParams"
TERABYTE = 2**40

FOREIGN_URIS = {
    "no-uri": "chat.jsonl",
    "empty": "",
    "path": "/etc/hostname",
    "web": "https://example.com/chat.jsonl",
    "untitled": "untitled:Untitled-1",
    "data": "data:,hello",
    "relative": "file:chat.jsonl",
    "no-path": "file://",
    "host": "file://server/share/chat.jsonl",
    "host-and-port": "file://localhost:80/chat.jsonl",
    "like-this-host": "file://localhost.example.com/chat.jsonl",
    "broken-address": "file://[::1/chat.jsonl",
    "share": "file:////server/share/chat.jsonl",
    "encoded-share": "file:///%2Fserver/share/chat.jsonl",
    "half-encoded-share": "file:/%2fserver/share/chat.jsonl",
    "share-of-this-host": "file://localhost//server/share/chat.jsonl",
    "control-in-the-scheme": "fi\nle:///etc/hostname",
    "megabyte": "file:///" + "%41" * 2**19,
}


def uri_of(name: str, folder: Path) -> str:
    """Make the odd thing of this name in a folder, and give its URI; skip where this machine cannot have it."""
    return ODD_FILES[name][1](folder)


def _pipe(folder: Path) -> str:
    if sys.platform == "win32":
        pytest.skip("Windows has no named pipes in folders")
    os.mkfifo(folder / "pipe")
    return (folder / "pipe").as_uri()


def _socket(folder: Path) -> str:
    if sys.platform == "win32":
        pytest.skip("Windows has no such sockets in Python")
    before = Path.cwd()
    os.chdir(folder)  # the name of a socket may have no more than about a hundred bytes
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("socket")
    finally:
        os.chdir(before)
    return (folder / "socket").as_uri()


def _existing(path: str) -> Callable[[Path], str]:
    def find(_: Path) -> str:
        if not os.path.lexists(path):
            pytest.skip(f"there is no {path} here")
        return f"file://{path}"

    return find


def _disk(_: Path) -> str:
    disks = [Path("/dev", one.name) for one in Path("/sys/block").glob("*")]
    found = next(filter(Path.is_block_device, disks), None)
    if found is None:
        pytest.skip("there is no block device here")
    return found.as_uri()


def _folder(folder: Path) -> str:
    (folder / "folder").mkdir()
    return (folder / "folder").as_uri()


def _file_as_folder(folder: Path) -> str:
    (folder / "chat.txt").write_text("hello")
    return (folder / "chat.txt").as_uri() + "/"


def _linked_to(name: str) -> Callable[[Path], str]:
    def make(folder: Path) -> str:
        target = uri_of(name, folder).removeprefix("file://")
        return _link(folder / "link", Path(target))

    return make


def _link_loop(folder: Path) -> str:
    _link(folder / "there", folder / "back")
    return _link(folder / "back", folder / "there")


def _loose_link(folder: Path) -> str:
    return _link(folder / "loose", folder / "nowhere")


def _link(link: Path, target: Path) -> str:
    if sys.platform == "win32":
        pytest.skip("Windows links need a privilege")
    link.symlink_to(target)
    return link.as_uri()


def _closed_file(folder: Path) -> str:
    if sys.platform == "win32" or os.geteuid() == 0:
        pytest.skip("the mode of a file says nothing to Windows and to root")
    (folder / "closed.txt").write_text("hello")
    (folder / "closed.txt").chmod(0)
    return (folder / "closed.txt").as_uri()


def _closed_folder(folder: Path) -> str:
    if sys.platform == "win32" or os.geteuid() == 0:
        pytest.skip("the mode of a folder says nothing to Windows and to root")
    (folder / "closed").mkdir()
    (folder / "closed").chmod(0)
    return (folder / "closed" / "chat.txt").as_uri()


def _named(name: str) -> Callable[[Path], str]:
    return lambda folder: f"{folder.as_uri()}/{name}"


def _sized(size: int) -> Callable[[Path], str]:
    """A file with nothing but a size: its content is NULs that take no room."""

    def make(folder: Path) -> str:
        made = folder / f"{size}.jsonl"
        with made.open("wb") as file:
            file.truncate(size)
        return made.as_uri()

    return make


ODD_FILES: dict[str, tuple[str, Callable[[Path], str]]] = {
    "absent": (NOT_FOUND, _named("absent.jsonl")),
    "pipe": (NOT_FOUND, _pipe),
    "socket": (NOT_FOUND, _socket),
    "disk": (NOT_FOUND, _disk),
    **{
        path: (NOT_FOUND, _existing(path))
        for path in ("/dev/null", "/dev/zero", "/dev/random", "/dev/tty", "/dev/full", "/dev/ptmx")
    },
    "folder": (NOT_FOUND, _folder),
    "folder-with-slash": (NOT_FOUND, _named("")),
    "file-as-folder": (NOT_FOUND, _file_as_folder),
    "link-loop": (NOT_FOUND, _link_loop),
    "loose-link": (NOT_FOUND, _loose_link),
    "link-to-pipe": (NOT_FOUND, _linked_to("pipe")),
    "link-to-socket": (NOT_FOUND, _linked_to("socket")),
    "link-to-folder": (NOT_FOUND, _linked_to("folder")),
    "link-to-zero": (NOT_FOUND, _linked_to("/dev/zero")),
    "link-to-tty": (NOT_FOUND, _linked_to("/dev/tty")),
    "closed-file": (NOT_FOUND, _closed_file),
    "closed-folder": (NOT_FOUND, _closed_folder),
    "nul": (NOT_FOUND, _named("a%00b")),
    "raw-nul": (NOT_FOUND, _named("a\0b")),
    "long": (NOT_FOUND, _named("a" * 300)),
    "longer": (NOT_FOUND, _named("a/" * 10_000)),
    "no-percent": (NOT_FOUND, _named("%zz%%4")),
    "no-utf-8": (NOT_FOUND, _named("%FF%C0")),
    "half-a-pair": (NOT_FOUND, _named("\ud800")),
    "half-a-pair-encoded": (NOT_FOUND, _named("%ED%A0%80")),
    "empty": (UNREADABLE, _sized(0)),
    "of-the-largest-size": (UNREADABLE, _sized(MAX_FILE_BYTES)),
    "a-byte-too-large": (TOO_LARGE, _sized(MAX_FILE_BYTES + 1)),
    "a-terabyte": (TOO_LARGE, _sized(TERABYTE)),
    "/proc/kcore": (TOO_LARGE, _existing("/proc/kcore")),
    # Files that say they are empty: with content, without an end, and with content that is waited for.
    **{
        path: (UNREADABLE, _existing(path))
        for path in ("/proc/self/status", "/proc/self/pagemap", "/proc/self/mem", "/proc/sys/kernel/random/uuid")
    },
}
