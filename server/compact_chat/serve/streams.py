"""A client's two streams, each with a thread of its own, and bounds on what waits in either."""

from __future__ import annotations

import contextlib
import select
import threading
from collections import deque
from collections.abc import Callable
from typing import BinaryIO

from compact_chat.serve.frames import Body, bodies
from compact_chat.serve.messages import Message, read_message

UNREAD = 64 * 2**20  # bytes of answers that a client may leave unread before nothing more is read from it
BEHIND = 2**14  # bytes, beyond which a client gets no news until it has read what it asked for
AHEAD = 32  # messages that are read before the first of them is looked at
LOOK = 0.5  # seconds between two looks whether a client that leaves too much unread is still there


class Writer:
    """Writes frames in their order on a thread of its own, so that a client that does not read holds up nothing.

    pygls 2.1.1 writes on the event loop, where a full pipe stops everything, and from worker threads, where two frames
    get mixed up (no upstream issue known).
    """

    def __init__(self, stream: BinaryIO, ended: Callable[[], object], drained: Callable[[], object]) -> None:
        self._stream, self._ended, self._drained = stream, ended, drained
        self._frames: deque[bytes] = deque()
        self._waiting = 0  # bytes
        self._finishing = self._over = False
        self._news = threading.Condition()
        self._thread = threading.Thread(target=self._write_all, name="write", daemon=True)
        self._thread.start()

    @property
    def is_full(self) -> bool:
        """Whether the client leaves too much unread."""
        return self._waiting > UNREAD

    @property
    def is_behind(self) -> bool:
        """Whether the client has something to read before it gets news."""
        return self._waiting > BEHIND

    def write(self, data: bytes) -> None:
        """Have a frame written after those before it; where nobody reads any more, it is dropped."""
        with self._news:
            if not self._over:
                self._frames.append(data)
                self._waiting += len(data)
                self._news.notify_all()

    def wait_for_room(self, seconds: float) -> bool:
        """Hold up a thread while the client leaves too much unread; say whether that is over."""
        with self._news:
            return self._news.wait_for(lambda: not self.is_full, seconds)

    def finish(self) -> None:
        """Take no more; `ended` is called when what waits is written, or cannot be."""
        with self._news:
            self._finishing = True
            self._news.notify_all()

    def join(self, seconds: float) -> None:
        """Wait until all is written, as far as the client takes it within this time."""
        self._thread.join(seconds)

    def _write_all(self) -> None:
        try:
            while (data := self._next()) is not None:
                self._write_one(data)
                del data  # a large one is not kept until the next
        except OSError:  # nobody reads any more
            pass
        finally:
            self._end()

    def _next(self) -> bytes | None:
        with self._news:
            self._news.wait_for(lambda: self._frames or self._finishing)
            return self._frames.popleft() if self._frames else None

    def _write_one(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[self._stream.write(rest) :]
        with self._news:
            was_full = self.is_full
            self._waiting -= len(data)
            self._news.notify_all()
        if was_full and not self.is_full:
            self._drained()

    def _end(self) -> None:
        """Keep nothing, and hold up nobody, where nobody reads any more."""
        with self._news:
            self._over = True
            self._frames.clear()
            self._waiting = 0
            self._news.notify_all()
        _close(self._stream)
        self._drained()
        self._ended()


class Reader:
    """Reads messages on a thread that nothing ever waits for, no further ahead than can be used."""

    def __init__(self, take: Callable[[Message, Body], object], writer: Writer, ended: Callable[[], object]) -> None:
        self._take, self._writer, self._ended = take, writer, ended
        self._ahead = threading.Semaphore(AHEAD)

    def start(self, stream: BinaryIO) -> None:
        """Read a stream until it ends, and close it."""
        threading.Thread(target=self._read_all, args=(stream,), name="read", daemon=True).start()

    def go_on(self) -> None:
        """Read one further, since a message was looked at."""
        self._ahead.release()

    def _read_all(self, stream: BinaryIO) -> None:
        try:
            for body in bodies(stream):
                if not self._has_room(stream):
                    return
                self._hand_on(body)
                del body  # a large one is not kept until the next
        except OSError:  # as good as its end
            pass
        finally:
            _close(stream)
            self._ended()

    def _hand_on(self, body: Body) -> None:
        message = read_message(body)
        self._ahead.acquire()
        self._take(message, body)

    def _has_room(self, stream: BinaryIO) -> bool:
        """Wait while the client leaves too much unread; nobody waits for one that has gone."""
        while not self._writer.wait_for_room(LOOK):
            if _has_hung_up(stream):
                return False
        return True


def _has_hung_up(stream: BinaryIO) -> bool:
    """Say whether the other side has closed, though there may be more to read; Windows cannot tell."""
    if not hasattr(select, "poll"):
        return False
    looking = select.poll()
    looking.register(stream, getattr(select, "POLLRDHUP", 0))
    return bool(looking.poll(0))


def _close(stream: BinaryIO) -> None:
    with contextlib.suppress(OSError):  # it is broken, and so it is closed
        stream.close()
