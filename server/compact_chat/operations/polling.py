"""The chats that one client watches, and which of them it knows of."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Protocol

from compact_chat.cancel import checkpoints
from compact_chat.chat import JsonObject
from compact_chat.errors import InvalidParams, TooLarge

if TYPE_CHECKING:
    from compact_chat.operations.job import Job

MOST_WATCHES = 64


class Watch(Protocol):
    """A polled chat."""

    def look(self, job: Job) -> JsonObject | None:
        """Return what is new, if anything."""


class Watches:
    """Watches by id; each begins once the client has its id, so one whose request failed never begins.

    Any thread may add and remove; one thread polls.
    """

    def __init__(self) -> None:
        self._numbers = count(1)
        self._asked: dict[str, tuple[Watch, Job]] = {}  # with the job that cancels it
        self._begun: dict[str, tuple[Watch, Job]] = {}

    def add(self, watch: Watch, job: Job) -> str:
        """Add a watch for a request, and return its id."""
        self.check_room()
        name = f"watch-{next(self._numbers)}"
        self._asked[name] = watch, job
        return name

    def check_room(self) -> None:
        """Refuse more watches than a client may have."""
        self._asked = {name: one for name, one in self._asked.items() if not one[1].is_cancelled}
        if len(self._asked) + len(self._begun) >= MOST_WATCHES:
            raise TooLarge(
                f"There are {MOST_WATCHES} watches, which is all a client may have; end one with `unwatch` first."
            )

    def begin(self, name: str) -> bool:
        """Begin to poll a watch, now that the client knows its id; return whether it exists."""
        if entry := self._asked.pop(name, None):
            watch, job = entry
            self._begun[name] = watch, type(job)(job.client)  # reports no progress
        return entry is not None

    def remove(self, name: str) -> None:
        """Remove a watch, and cancel its work."""
        entry = self._begun.pop(name, None) or self._asked.pop(name, None)
        if entry is None:
            raise InvalidParams.at("$.watchId", "there is no such watch")
        entry[1].cancel()

    def clear(self) -> None:
        """Remove all watches."""
        for name in list(self._begun):
            self.remove(name)
        self._asked.clear()

    def begun(self) -> dict[str, Callable[[], JsonObject | None]]:
        """Return the polls of all watches that have begun and not ended, by id."""
        return {name: partial(_poll, *entry) for name, entry in self._begun.copy().items()}


def _poll(watch: Watch, job: Job) -> JsonObject | None:
    with checkpoints(job.check):
        return watch.look(job)
