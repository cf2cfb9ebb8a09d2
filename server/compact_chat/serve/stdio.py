"""Standard input and output for frames alone, each with a thread of its own."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import BinaryIO

from compact_chat.errors import TooLarge
from compact_chat.serve.frames import bodies


def take_stdio() -> tuple[BinaryIO, BinaryIO]:
    """Give streams of standard input and output, and leave the numbers 0 and 1 to whoever else reads or prints.

    In pygls 2.1.1 a `print` anywhere, here, in a C library or in a child process, lands between two frames
    (no upstream issue known). What is printed now goes to standard error; who reads from standard input reads nothing.
    """
    nothing = os.open(os.devnull, os.O_RDWR)  # takes the number of standard error where that is closed
    incoming, outgoing = os.dup(0), os.dup(1)
    if sys.platform != "win32":
        for number in (incoming, outgoing):
            os.set_blocking(number, True)  # some clients hand over pipes that never wait
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return os.fdopen(incoming, "rb"), os.fdopen(outgoing, "wb", buffering=0)


def start_reader(stream: BinaryIO, receive: Callable[[bytes | TooLarge], object], ended: Callable[[], None]) -> None:
    """Give each message that comes in to `receive`, on a thread that nothing ever waits for."""

    def read() -> None:
        try:
            for body in bodies(stream):
                receive(body)
        finally:
            ended()

    threading.Thread(target=read, name="read-stdin", daemon=True).start()


class Writer:
    """Writes frames in their order on a thread of its own, so that a client that does not read holds up nothing.

    pygls 2.1.1 writes on the event loop, where a full pipe stops everything, and from worker threads, where two frames
    get mixed up (no upstream issue known).
    """

    def __init__(self, stream: BinaryIO, broken: Callable[[], None]) -> None:
        self._stream, self._broken = stream, broken
        self._frames: SimpleQueue[bytes | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._write_all, name="write-stdout", daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Have a frame written after those before it."""
        self._frames.put(data)

    def close(self, seconds: float = 1.0) -> None:
        """Write what is left, as far as the client takes it within this time."""
        self._frames.put(None)
        self._thread.join(seconds)

    def _write_all(self) -> None:
        try:
            while (data := self._frames.get()) is not None:
                rest = memoryview(data)
                while rest:
                    rest = rest[self._stream.write(rest) :]
        except OSError:
            self._broken()
