"""Things other than a file at a chat's path, each with the kind of its error."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from compact_chat.read import MAX_FILE_BYTES

NOT_FOUND, UNREADABLE, TOO_LARGE, INVALID = "chatNotFound", "chatUnreadable", "tooLarge", "invalidParams"
TERABYTE = 2**40
WINDOWS = sys.platform == "win32"

FOREIGN_URIS = {
    "no-uri": "chat.jsonl",
    "empty": "",
    "web": "https://example.com/chat.jsonl",
    "relative": "file:chat.jsonl",
    "no-path": "file://",
    "host": "file://server/share/chat.jsonl",
    "like-this-host": "file://localhost.example.com/chat.jsonl",
    "broken-address": "file://[::1/chat.jsonl",
    "share": "file:////server/share/chat.jsonl",
    "encoded-share": "file:///%2Fserver/share/chat.jsonl",
    "control-in-the-scheme": "fi\nle:///etc/hostname",
    "share-of-this-host": "file://localhost//server/share/chat.jsonl",
    "megabyte": "file:///" + "%41" * 2**19,
}


def uri_of(name: str, folder: Path) -> str:
    """Make the odd thing of this name in a folder, and return its URI; skip if this machine cannot have it."""
    return ODD_FILES[name][1](folder)


def _unless(is_so: bool, reason: str) -> None:
    if is_so:
        pytest.skip(reason)


def _pipe(folder: Path) -> str:
    _unless(WINDOWS, "Windows has no named pipes in folders")
    os.mkfifo(folder / "pipe")
    return (folder / "pipe").as_uri()


def _socket(folder: Path) -> str:
    _unless(WINDOWS, "Windows has no such sockets in Python")
    before = Path.cwd()
    os.chdir(folder)  # socket paths are limited to about a hundred bytes
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("socket")
    finally:
        os.chdir(before)
    return (folder / "socket").as_uri()


def _existing(path: str) -> Callable[[Path], str]:
    def find(_: Path) -> str:
        _unless(not os.path.lexists(path), f"there is no {path} here")
        return f"file://{path}"

    return find


def _disk(_: Path) -> str:
    disks = [Path("/dev", one.name) for one in Path("/sys/block").glob("*")]
    found = next(filter(Path.is_block_device, disks), None)
    _unless(found is None, "there is no block device here")
    return found.as_uri() if found else ""


def _folder(folder: Path) -> str:
    (folder / "folder").mkdir()
    return (folder / "folder").as_uri()


def _file_as_folder(folder: Path) -> str:
    (folder / "chat.txt").write_text("hello")
    return (folder / "chat.txt").as_uri() + "/"


def _linked_to(name: str) -> Callable[[Path], str]:
    return lambda folder: _link(folder / "link", Path(uri_of(name, folder).removeprefix("file://")))


def _link_loop(folder: Path) -> str:
    _link(folder / "there", folder / "back")
    return _link(folder / "back", folder / "there")


def _link(link: Path, target: Path) -> str:
    _unless(WINDOWS, "Windows links need a privilege")
    link.symlink_to(target)
    return link.as_uri()


def _closed(within: str) -> Callable[[Path], str]:
    """Make a file, or a folder's contents, that cannot be opened."""

    def make(folder: Path) -> str:
        _unless(WINDOWS or os.geteuid() == 0, "modes say nothing to Windows and to root")
        closed = folder / "closed"
        closed.mkdir() if within else closed.write_text("hello")
        closed.chmod(0)
        return (closed / within).as_uri()

    return make


def _named(name: str) -> Callable[[Path], str]:
    return lambda folder: f"{folder.as_uri()}/{name}"


def _sized(size: int) -> Callable[[Path], str]:
    """Make a sparse file: it has a size, but takes no room."""

    def make(folder: Path) -> str:
        made = folder / f"{size}.jsonl"
        with made.open("wb") as file:
            file.truncate(size)
        return made.as_uri()

    return make


DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/tty", "/dev/full", "/dev/ptmx")
NAMES = {
    "absent": "absent.jsonl",
    "folder-with-slash": "",
    "nul": "a%00b",
    "raw-nul": "a\0b",
    "long": "a" * 300,
    "longer": "a/" * 10_000,
    "no-utf-8": "%FF%C0",
    "half-a-pair": "\ud800",
}
# Files with a size of 0 that have content, endless content, or content that blocks.
MADE_UP = ("/proc/self/status", "/proc/self/pagemap", "/proc/self/mem", "/proc/sys/kernel/random/uuid")
ODD_FILES: dict[str, tuple[str, Callable[[Path], str]]] = {
    **{name: (NOT_FOUND, _named(file)) for name, file in NAMES.items()},
    "pipe": (NOT_FOUND, _pipe),
    "socket": (NOT_FOUND, _socket),
    "disk": (NOT_FOUND, _disk),
    **{path: (NOT_FOUND, _existing(path)) for path in DEVICES},
    "folder": (NOT_FOUND, _folder),
    "file-as-folder": (NOT_FOUND, _file_as_folder),
    "link-loop": (NOT_FOUND, _link_loop),
    "loose-link": (NOT_FOUND, _linked_to("absent")),
    **{f"link-to-{name}": (NOT_FOUND, _linked_to(name)) for name in ("pipe", "socket", "folder", "/dev/zero")},
    "closed-file": (NOT_FOUND, _closed("")),
    "closed-folder": (NOT_FOUND, _closed("chat.txt")),
    "empty": (UNREADABLE, _sized(0)),
    "of-the-largest-size": (TOO_LARGE, _sized(MAX_FILE_BYTES)),
    "a-byte-too-large": (TOO_LARGE, _sized(MAX_FILE_BYTES + 1)),
    "a-terabyte": (TOO_LARGE, _sized(TERABYTE)),
    "/proc/kcore": (TOO_LARGE, _existing("/proc/kcore")),
    **{path: (UNREADABLE, _existing(path)) for path in MADE_UP},
}
