"""The chats that one client watches, polled in turn; slow reads run one at a time on a thread of their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from itertools import count
from typing import TYPE_CHECKING, Protocol, TypeAlias

from compact_chat.cancel import checkpoints
from compact_chat.chat import JsonObject
from compact_chat.errors import InvalidParams, TooLarge

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from compact_chat.operations.job import Job

MOST_WATCHES = 64
SLOW_THREAD = "watch-slow"

Look: TypeAlias = Callable[[], JsonObject | None]


class TakesLong(Exception):
    """Raised instead of a slow read that would delay other chats."""


class Watch(Protocol):
    """A polled chat."""

    def look(self, job: Job, at_once: bool = False) -> JsonObject | None:
        """Return what is new, if anything; with `at_once`, raise TakesLong instead of a slow read."""


class _Entry:
    """A watch with the job that cancels it, and its slow read if one is running."""

    def __init__(self, watch: Watch, job: Job) -> None:
        self.watch, self.job = watch, job
        self.slow_round = 0  # when it last used the slow thread
        self.pending: Future[JsonObject | None] | None = None

    def read(self, at_once: bool) -> JsonObject | None:
        """Return what is new, unless the watch has ended."""
        with checkpoints(self.job.check):
            return self.watch.look(self.job, at_once)


class Watches:
    """Watches by id; each begins once the client has its id, so one whose request failed never begins.

    Any thread may add and remove; one thread polls.
    """

    def __init__(self) -> None:
        self._numbers, self._rounds = count(1), count(1)
        self._asked: dict[str, _Entry] = {}
        self._begun: dict[str, _Entry] = {}
        self._slow: Future[JsonObject | None] | None = None
        self._slow_ended: Callable[[], object] = lambda: None

    def add(self, watch: Watch, job: Job) -> str:
        """Add a watch for a request, and return its id."""
        self.check_room()
        name = f"watch-{next(self._numbers)}"
        self._asked[name] = _Entry(watch, job)
        return name

    def check_room(self) -> None:
        """Refuse more watches than a client may have."""
        self._asked = {name: one for name, one in self._asked.items() if not one.job.is_cancelled}
        if len(self._asked) + len(self._begun) >= MOST_WATCHES:
            raise TooLarge(
                f"There are {MOST_WATCHES} watches, which is all a client may have; end one with `unwatch` first."
            )

    def begin(self, name: str) -> bool:
        """Begin to poll a watch, now that the client knows its id; return whether it exists."""
        if entry := self._asked.pop(name, None):
            self._begun[name] = _Entry(entry.watch, type(entry.job)(entry.job.client))  # reports no progress
        return entry is not None

    def remove(self, name: str) -> None:
        """Remove a watch, and cancel its work."""
        entry = self._begun.pop(name, None) or self._asked.pop(name, None)
        if entry is None:
            raise InvalidParams.at("$.watchId", "there is no such watch")
        entry.job.cancel()

    def clear(self) -> None:
        """Remove all watches."""
        for name in list(self._begun):
            self.remove(name)
        self._asked.clear()
        if self._slow is not None:
            self._reader.shutdown(wait=False)

    def has(self, name: str) -> bool:
        """Whether a watch has begun and not ended."""
        return name in self._begun

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to poll."""
        return not self._begun

    def when_ready(self, call: Callable[[], object]) -> None:
        """Register `call` to run whenever a slow read has ended, on its thread."""
        self._slow_ended = call

    def begun(self) -> list[tuple[str, Look]]:
        """Return each watch with its poll; those that used the slow thread longest ago come first."""
        entries = sorted(self._begun.copy().items(), key=lambda one: one[1].slow_round)
        number = next(self._rounds)
        return [(name, partial(self._look, entry, number)) for name, entry in entries]

    def _look(self, entry: _Entry, number: int) -> JsonObject | None:
        """Return what is new: at once if quick, else after a slow read; only one of these runs at a time."""
        if entry.pending is not None:
            if not entry.pending.done():
                return None
            done, entry.pending = entry.pending, None
            return done.result()
        try:
            return entry.read(at_once=True)
        except TakesLong:
            if self._slow is not None and not self._slow.done():
                return None
        self._slow = self._reader.submit(entry.read, at_once=False)
        self._slow.add_done_callback(lambda _: self._slow_ended())
        entry.pending, entry.slow_round = self._slow, number  # only now: if the thread cannot start, it is retried
        return None

    @cached_property
    def _reader(self) -> ThreadPoolExecutor:
        from concurrent.futures import ThreadPoolExecutor  # here, since a shell watches nothing and starts sooner

        return ThreadPoolExecutor(1, SLOW_THREAD)
