"""The client's process: where it is gone, the server has nobody left to serve."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

PARENT = os.getppid()  # who started us; it may die before it can tell its number
EVERY = 1.0  # seconds between two looks, where the system does not tell by itself

Stop = Callable[[], object]
Lives = Callable[[], bool]


def watch_process(number: int, gone: Callable[[], object]) -> Stop:
    """Call `gone` once this process has ended, and give what ends the watch.

    pygls 2.1.1 stores the number only (pygls#118, pygls#149). A number that is unknown from the start names a process
    of another machine or container: there is nothing to watch.
    """
    if number <= 0:
        return _nothing
    if sys.platform == "linux":
        try:
            return _told_by_the_system(os.pidfd_open(number), gone)
        except ProcessLookupError:
            return _at_once(gone) if number == PARENT else _nothing
        except OverflowError:
            return _nothing
        except (OSError, AttributeError):  # a kernel, a sandbox or a Python without it
            pass
    lives = _life_of(number)
    return _Looks(lives, gone).stop if lives() or number == PARENT else _nothing


def _told_by_the_system(handle: int, gone: Callable[[], object]) -> Stop:
    """Wait on a handle, which tells the end of a process even while nobody has fetched its exit code."""
    loop = asyncio.get_running_loop()
    loop.add_reader(handle, gone)

    def stop() -> None:
        loop.remove_reader(handle)
        os.close(handle)

    return stop


class _Looks:
    """Looks again and again whether a process runs."""

    def __init__(self, lives: Lives, gone: Callable[[], object]) -> None:
        self._lives, self._gone = lives, gone
        self._next = asyncio.get_running_loop().call_later(EVERY, self._look)

    def stop(self) -> None:
        """Look no more."""
        self._next.cancel()

    def _look(self) -> None:
        if self._lives():
            self._next = asyncio.get_running_loop().call_later(EVERY, self._look)
        else:
            self._gone()


def _at_once(gone: Callable[[], object]) -> Stop:
    return asyncio.get_running_loop().call_soon(gone).cancel


def _nothing() -> None:
    """End a watch that never began."""


def _life_of(number: int) -> Lives:
    """Give what tells whether a process runs."""
    if sys.platform == "win32":
        import ctypes

        return windows_life_of(number, ctypes.windll.kernel32)
    return partial(is_alive, number)


def is_alive(number: int) -> bool:
    """Say whether a process runs; signal 0 asks without disturbing it."""
    try:
        os.kill(number, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True


def windows_life_of(number: int, kernel: Any) -> Lives:
    """The same on Windows, where signal 0 would end it; the handle stays open, so that the number is not given away."""
    synchronize, still_running = 0x0010_0000, 0x0000_0102
    handle = kernel.OpenProcess(synchronize, False, number) if number < 2**32 else 0
    return lambda: bool(handle) and kernel.WaitForSingleObject(handle, 0) == still_running
