"""The chats that one client watches."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count
from typing import NamedTuple, Protocol, TypeAlias

from compact_chat.chat import JsonObject
from compact_chat.errors import InvalidParams, TooLarge
from compact_chat.operations.aside import Aside, Turns
from compact_chat.operations.work import Work

MOST = 64

Look: TypeAlias = Callable[[], JsonObject | None]


class Watch(Protocol):
    """A chat that is looked at now and then."""

    def look(self, work: Work, at_once: bool = False) -> JsonObject | None:
        """Give what there is to tell, where there is something; `at_once` raises TakesLong where that takes long."""


class _Entry(NamedTuple):
    watch: Watch
    work: Work
    turns: Turns[JsonObject]


class Watches:
    """Watches by their ids; each begins once the client has been told of it, and one whose request failed never does.

    What is asked for is added and removed by any thread; one thread looks.
    """

    def __init__(self) -> None:
        self._numbers = count(1)
        self._asked: dict[str, _Entry] = {}
        self._begun: dict[str, _Entry] = {}
        self._aside = Aside()
        self._looks = count(1)

    def add(self, watch: Watch, work: Work) -> str:
        """Keep a watch that a request asks for, and give its id."""
        self.check_room()
        name = f"watch-{next(self._numbers)}"
        self._asked[name] = self._entry(watch, work)
        return name

    def check_room(self) -> None:
        """Refuse one more than a client may have."""
        self._asked = {name: one for name, one in self._asked.items() if not one.work.is_cancelled}
        if len(self._asked) + len(self._begun) >= MOST:
            raise TooLarge(f"There are {MOST} watches, which is all a client may have; end one with `unwatch` first.")

    def begin(self, name: str) -> bool:
        """Begin with a watch, since the client knows its id; say whether there is one."""
        if entry := self._asked.pop(name, None):
            self._begun[name] = self._entry(entry.watch, Work())
        return entry is not None

    def remove(self, name: str) -> None:
        """End a watch, and what is done for it."""
        entry = self._begun.pop(name, None) or self._asked.pop(name, None)
        if entry is None:
            raise InvalidParams.at("$.watchId", "there is no such watch")
        entry.work.cancel()

    def clear(self) -> None:
        """End all."""
        for name in list(self._begun):
            self.remove(name)
        self._asked.clear()

    def has(self, name: str) -> bool:
        """Say whether a watch has begun and not ended."""
        return name in self._begun

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to look at."""
        return not self._begun

    def when_ready(self, call: Callable[[], None]) -> None:
        """Have something called, from any thread, whenever the next look has something to tell already."""
        self._aside.ended = call

    def begun(self) -> list[tuple[str, Look]]:
        """Give each watch with what looks at its chat; first those that had no turn aside for the longest time."""
        entries = sorted(self._begun.copy().items(), key=lambda one: one[1].turns.had)
        number = next(self._looks)
        return [(name, partial(entry.turns.take, number)) for name, entry in entries]

    def _entry(self, watch: Watch, work: Work) -> _Entry:
        return _Entry(watch, work, Turns(partial(watch.look, work), self._aside))
