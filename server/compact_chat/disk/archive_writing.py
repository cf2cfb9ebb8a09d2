"""Write files whole or not at all, for their owner's eyes only: beside the place first, and into it then."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

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
