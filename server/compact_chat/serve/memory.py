"""Memory that was used goes back to the system."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import sys

LARGE = 2**20  # bytes of a message that is worth tidying up behind
QUIET = 1.0  # seconds without another one before that is done
_M_MMAP_THRESHOLD, _BLOCK = -3, 2**17


def return_large_blocks() -> None:
    """Have glibc take each large block from the system and give it back.

    Otherwise it learns from one large message to keep blocks of that size, and a server that was asked for much once
    holds it for ever. Other C libraries do so by themselves or cannot be told.
    """
    _tell_glibc("mallopt", _M_MMAP_THRESHOLD, _BLOCK)


class Tidying:
    """Collects and gives back what large messages left, once they have stopped coming."""

    def __init__(self) -> None:
        self._next: asyncio.TimerHandle | None = None

    def behind(self, size: int) -> None:
        """Note a message of this size."""
        if size >= LARGE:
            self.stop()
            loop = asyncio.get_running_loop()
            self._next = loop.call_later(QUIET, loop.run_in_executor, None, _tidy_up)

    def stop(self) -> None:
        """Leave it to others."""
        if self._next is not None:
            self._next.cancel()


def _tidy_up() -> None:
    gc.collect()
    _tell_glibc("malloc_trim", 0)


def _tell_glibc(function: str, *values: int) -> None:
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(AttributeError, OSError):
            getattr(ctypes.CDLL(None), function)(*values)
