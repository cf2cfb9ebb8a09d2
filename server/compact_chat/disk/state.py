"""The program's state folder: files are written atomically, by one process at a time."""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from math import isfinite
from pathlib import Path
from threading import Lock
from typing import TypeVar
from uuid import uuid4

import msgspec

from compact_chat.disk.files import own_file
from compact_chat.disk.home import NO_FOLLOW, READ_ONLY, NotRegular, folder_for, home_folder

T = TypeVar("T")

PART = ".part-"  # prefix of a temporary file
PATIENCE = 10.0  # seconds after which the process with the lock counts as stuck
_PAUSE = 0.01
_PRIVATE = 0o600
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_NO_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EACCES)  # of folders: some network mounts, and Windows
_FOLDER = READ_ONLY | getattr(os, "O_DIRECTORY", 0)


def state_folder() -> Path | None:
    """Return the state folder, which need not exist; empty for a user without a home."""
    folder = folder_for(sys.platform, os.environ, home_folder())
    return Path(folder) if folder else None


def private_folder(top: Path, *below: str) -> Path:
    """Return a folder of Compact Chat below `top`, readable by its owner only; create what is missing.

    Raises an OSError if another user may exchange what is in it. `top` may be a link, and readable by others.
    """
    _create(top)
    _withdraw(top, is_ours=False)
    for name in below:
        top = top / name
        _create(top)
        _withdraw(top, is_ours=True)
    return top


def _create(folder: Path) -> None:
    if not folder.is_dir():
        _create(folder.parent)
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)


def _withdraw(folder: Path, *, is_ours: bool) -> None:
    """Take rights on a folder from other users: all of them if it is ours, else the right to write, if anybody has it.

    Raises an OSError if one of these folders is a link or belongs to another user.
    """
    if os.name == "nt":
        return
    if is_ours and folder.is_symlink():
        raise NotADirectoryError(errno.ENOTDIR, f"the folder `{folder.name}` is a link")
    handle = os.open(folder, _FOLDER | (NO_FOLLOW if is_ours else 0))
    try:
        found = os.fstat(handle)
        mode = stat.S_IMODE(found.st_mode)
        if is_ours and os.geteuid() not in (found.st_uid, 0):
            raise PermissionError(errno.EPERM, "the folder belongs to another user")
        is_open = mode & (stat.S_IWOTH | stat.S_ISVTX) == stat.S_IWOTH
        wanted = mode & stat.S_IRWXU if is_ours else mode & ~(stat.S_IWGRP | stat.S_IWOTH) if is_open else mode
        if mode != wanted:
            os.fchmod(handle, wanted)
    finally:
        os.close(handle)


def is_own_folder(path: Path) -> bool:
    """Return whether there is a folder of this name, and no link to one."""
    return os.path.isdir(path) and not os.path.islink(path)


# Write whole files, readable by the owner only.


def put(path: Path, blocks: Iterable[bytes], mode: int = _PRIVATE) -> None:
    """Write a file, atomically replacing an existing one."""
    with _part(path, blocks, mode) as part:
        os.replace(part, path)
    _sync(path.parent)


def put_new(path: Path, blocks: Iterable[bytes]) -> None:
    """Write a new file; raises FileExistsError if it exists, even if it was created a moment ago."""
    with _part(path, blocks) as part:
        if os.name == "nt":
            os.rename(part, path)  # which never replaces a file
        else:
            try:
                os.link(part, path)
            except FileExistsError:
                raise
            except OSError:  # a file system without links
                os.close(os.open(path, _NEW, _PRIVATE))  # to reserve the name
                try:
                    os.replace(part, path)
                except BaseException:
                    os.unlink(path)
                    raise
    _sync(path.parent)


@contextmanager
def _part(path: Path, blocks: Iterable[bytes], mode: int = _PRIVATE) -> Iterator[Path]:
    """Write everything to a temporary file and sync it; remove the file in the end."""
    part = path.parent / f"{PART}{uuid4().hex}"
    try:
        handle = os.open(part, _NEW, _PRIVATE)
        try:
            for block in blocks:
                left = memoryview(block)
                while left:
                    left = left[os.write(handle, left) :]
            os.fsync(handle)
        finally:
            os.close(handle)
        if mode != _PRIVATE:
            os.chmod(part, mode)
        yield part
    finally:
        with suppress(OSError):
            os.unlink(part)


def _sync(folder: Path) -> None:
    """Sync the new name to disk too, if the system supports that; the file is in place already."""
    try:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as problem:
        if problem.errno not in _NO_SYNC:
            raise


# One process at a time.


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Lock a file; the system releases the lock of a killed process.

    Raises an OSError if another process does not let go of it, or if the file system knows no locks.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | NO_FOLLOW, _PRIVATE)
    until = time.monotonic() + PATIENCE
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise NotRegular(errno.EINVAL, "its lock is not a regular file")
        while not _lock(handle):
            if time.monotonic() >= until:
                raise TimeoutError(errno.ETIMEDOUT, "another process does not let go of the lock")
            time.sleep(_PAUSE)
        yield
    finally:
        os.close(handle)  # which unlocks it


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

else:
    import fcntl

    def _lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


# What is remembered from chat to chat: small JSON files in the state folder. Clients of one server take turns with one;
# of two servers the last writer wins.


def read_json(name: str, most: int, kind: type[T]) -> T | None:
    """Read such a file of no more bytes; None if it is damaged, of another shape, too large or missing."""
    folder = state_folder()
    with suppress(OSError, ValueError, RecursionError):  # ValueError: not JSON, or not of this shape
        return msgspec.json.decode(own_file(folder / name, most), type=kind) if folder else None
    return None


def write_json(name: str, value: object) -> None:
    """Write such a file; what cannot be written is forgotten."""
    folder = state_folder()
    with suppress(OSError, ValueError):  # ValueError: half a surrogate pair
        if folder:
            put(private_folder(folder) / name, [msgspec.json.encode(value)])


# Learned token ratios of models: family names, with two sums each.


RATIOS = "ratios.json"
MOST_BYTES, MOST_FAMILIES = 65_536, 100
Sums = tuple[float, float]
_WRITING = Lock()


def read_ratios() -> dict[str, Sums]:
    """Read the learned ratios."""
    known = read_json(RATIOS, MOST_BYTES, dict[str, Sums]) or {}
    return dict([item for item in known.items() if _is_sound(item[1])][-MOST_FAMILIES:])


def write_ratio(family: str, sums: Sums) -> None:
    """Store what a chat taught about a family."""
    with _WRITING:
        known = read_ratios()
        if known.get(family) != sums and _is_sound(sums):
            known.pop(family, None)
            write_json(RATIOS, {**known, family: sums})


def _is_sound(sums: Sums) -> bool:
    return all(isfinite(number) and number >= 0 for number in sums)
