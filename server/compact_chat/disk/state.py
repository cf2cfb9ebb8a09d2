"""What chats have taught of the models' tokens, kept in one small file: names of families, and two numbers for each."""

from __future__ import annotations

import errno
import ntpath
import os
import posixpath
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from math import isfinite
from pathlib import Path
from threading import Lock
from uuid import uuid4

import msgspec

# Our own folder among the user's, by the rules of each platform.


NAME = "compact-chat"


def state_folder() -> Path | None:
    """Where we keep what we remember; it need not exist, and a user without a home has none."""
    folder = folder_for(sys.platform, os.environ, os.path.expanduser("~"))
    return Path(folder) if folder else None


def folder_for(platform: str, env: Mapping[str, str], home: str) -> str:
    """The folder on a platform (`linux`, `darwin`, `win32`); `home` is the user's, and only absolute paths count.

    Without any, it is empty: nothing of ours belongs where the program happens to run.
    """
    if platform == "win32":
        local = env.get("LOCALAPPDATA", "")
        folder = ntpath.join(local if ntpath.isabs(local) else ntpath.join(home, "AppData", "Local"), NAME)
        return folder if ntpath.isabs(folder) else ""
    usual = ("Library", "Application Support") if platform == "darwin" else (".local", "state")
    state = env.get("XDG_STATE_HOME", "")
    folder = posixpath.join(state if posixpath.isabs(state) else posixpath.join(home, *usual), NAME)
    return folder if posixpath.isabs(folder) else ""


# Write files whole or not at all, for their owner's eyes only: beside the place first, and into it then.


PART = ".part-"  # begins the name of what is not whole yet

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def private_folder(folder: Path) -> None:
    """Make a folder, and what is above it, as far as they are not there; only their owner looks into new ones."""
    if not folder.is_dir():
        if not folder.parent.is_dir():
            private_folder(folder.parent)
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)


def put(path: Path, blocks: Iterable[bytes]) -> None:
    """Write a file; one that is there is replaced at once by the whole new one."""
    with _part(path, blocks) as part:
        os.replace(part, path)
    _settle(path.parent)


def put_new(path: Path, blocks: Iterable[bytes]) -> None:
    """Write a file that is not there; raises FileExistsError where it is, even if it came to be only now."""
    if os.path.lexists(path):
        raise FileExistsError(path)
    with _part(path, blocks) as part:
        _name(part, path)
    _settle(path.parent)


@contextmanager
def _part(path: Path, blocks: Iterable[bytes]) -> Iterator[Path]:
    """Write it all beside the place and wait until the disk has it; what is left of it in the end goes."""
    part = path.parent / f"{PART}{uuid4().hex}"
    try:
        _write(part, blocks)
        yield part
    finally:
        with suppress(OSError):
            os.unlink(part)


def _write(part: Path, blocks: Iterable[bytes]) -> None:
    handle = os.open(part, _NEW, 0o600)
    try:
        for block in blocks:
            left = memoryview(block)
            while left:
                left = left[os.write(handle, left) :]
        os.fsync(handle)
    finally:
        os.close(handle)


def _name(part: Path, path: Path) -> None:
    """Give the file its name only if that is free; not every file system can do so at once."""
    if os.name == "nt":
        os.rename(part, path)
        return
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except OSError:
        os.close(os.open(path, _NEW, 0o600))  # the name is ours from here on
        try:
            os.replace(part, path)
        except OSError:
            os.unlink(path)
            raise


def _settle(folder: Path) -> None:
    """Have the disk take down the new name too, where a system can be asked for that."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# One process at a time: a lock on a file, which the system takes back from whoever is killed.


PATIENCE = 10.0  # seconds: whoever holds it longer is stuck
_PAUSE = 0.01


@contextmanager
def locked(path: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the lock; raises an OSError where another does not let go of it, or the file system knows no locks."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _wait(handle, time.monotonic() + patience)
        yield
    finally:
        os.close(handle)  # which gives the lock back


def _wait(handle: int, until: float) -> None:
    while not _taken(handle):
        if time.monotonic() >= until:
            raise TimeoutError(errno.ETIMEDOUT, "another process does not let go of the lock")
        time.sleep(_PAUSE)


if sys.platform == "win32":
    import msvcrt

    def _taken(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

else:
    import fcntl

    def _taken(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


# What chats have taught of the models' tokens, kept in one small file: names of families, and two numbers for each.


FILE = "ratios.json"
MOST_BYTES, MOST_FAMILIES = 65_536, 100
Sums = tuple[float, float]

_WRITING = Lock()  # clients of one server take turns; of two servers the later one wins


def read_ratios() -> dict[str, Sums]:
    """Give what is remembered; a file that is damaged, too large or not there holds nothing."""
    folder = state_folder()
    if folder is None:
        return {}
    try:
        with (folder / FILE).open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        known = msgspec.json.decode(data[:MOST_BYTES], type=dict[str, Sums])
    except (OSError, ValueError, RecursionError):  # ValueError: no JSON, or none of this shape
        return {}
    return dict(list(_sound(known).items())[-MOST_FAMILIES:])


def write_ratio(family: str, sums: Sums) -> None:
    """Remember what a chat taught of a family; where that cannot be written, it is forgotten."""
    folder = state_folder()
    if folder is None:
        return
    with _WRITING, suppress(OSError):
        known = read_ratios()
        if known.get(family) == sums or not _sound({family: sums}):
            return
        known.pop(family, None)
        _replace(folder, {**known, family: sums})


def _sound(known: Mapping[str, Sums]) -> dict[str, Sums]:
    return {name: sums for name, sums in known.items() if all(isfinite(number) and number >= 0 for number in sums)}


def _replace(folder: Path, known: Mapping[str, Sums]) -> None:
    """Write beside the file and put it in its place, so that nobody ever reads half of it; only its owner can."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=FILE, dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(msgspec.json.encode(known))
        os.replace(name, folder / FILE)
    except OSError:
        with suppress(OSError):
            os.unlink(name)
        raise
