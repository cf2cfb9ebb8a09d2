"""The client's process: where it is gone, the server has nobody left to serve."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable

EVERY = 1.0  # seconds between two looks


def watch_process(number: int, gone: Callable[[], None]) -> None:
    """Call `gone` once this process has ended; pygls 2.1.1 stores the number only (pygls#118, pygls#149).

    A number that is unknown from the start names a process of another machine or container: there is nothing to watch.
    """
    if is_alive(number):
        threading.Thread(target=_watch, args=(number, gone), name="watch-client", daemon=True).start()


def _watch(number: int, gone: Callable[[], None]) -> None:
    pause = threading.Event()
    while is_alive(number):
        pause.wait(EVERY)
    gone()


if sys.platform == "win32":

    def is_alive(number: int) -> bool:
        """Say whether a process runs."""
        import ctypes

        synchronize, still_running = 0x0010_0000, 0x0000_0102
        kernel = ctypes.windll.kernel32
        handle = kernel.OpenProcess(synchronize, False, number)
        if not handle:
            return False
        try:
            return bool(kernel.WaitForSingleObject(handle, 0) == still_running)
        finally:
            kernel.CloseHandle(handle)

else:

    def is_alive(number: int) -> bool:
        """Say whether a process runs; signal 0 asks without disturbing it."""
        if number <= 0:
            return False
        try:
            os.kill(number, 0)
        except PermissionError:
            return True
        except (ProcessLookupError, OverflowError):
            return False
        return True
