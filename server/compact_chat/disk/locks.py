"""One process at a time: a lock on a file, which the system takes back from whoever is killed."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
