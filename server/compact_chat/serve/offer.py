"""What a server offers: the card, and the functions of the operations behind it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

from compact_chat.chat import JsonObject
from compact_chat.providers.host import Host

Report: TypeAlias = Callable[[str, int | None], None]
Tell: TypeAlias = Callable[[str], None]


class Watches(Protocol):
    """The chats that one client watches; each begins once the client has been told of it."""

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to look at."""

    def begin(self, name: str) -> bool:
        """Begin with a watch, if there is one of this name that has not begun."""

    def when_ready(self, call: Callable[[], None]) -> None:
        """Have something called, from any thread, whenever the next look has something to tell already."""

    def begun(self) -> Sequence[tuple[str, Callable[[], JsonObject | None]]]:
        """Give each watch with what looks at its chat, and gives what there is to tell."""

    def has(self, name: str) -> bool:
        """Say whether a watch has begun and not ended."""

    def clear(self) -> None:
        """End all."""


class Desk(Protocol):
    """What is remembered for one client; big operations wait while `room` is not set, and `host` is what it answers."""

    room: asyncio.Event | None
    host: Host | None

    @property
    def watches(self) -> Watches:
        """The chats that it watches."""

    def configure(self, section: object) -> None:
        """Take over the client's settings."""

    def greet(self, options: object) -> None:
        """Take over what the client told of itself."""


class Work(Protocol):
    """One operation under way."""

    def cancel(self) -> None:
        """Stop it at its next step."""


class Offer(NamedTuple):
    """The operations as the server needs them; each client gets a desk, each request a work."""

    card: JsonObject
    desk: Callable[[], Desk]
    work: Callable[[Report | None, Tell | None], Work]
    perform: Callable[[str, object, Any, Any], Awaitable[JsonObject]]


def built() -> Offer:
    """Offer all operations that are built."""
    from compact_chat.operations.card import card
    from compact_chat.operations.desk import Desk
    from compact_chat.operations.perform import perform
    from compact_chat.operations.work import Work

    return Offer(card(), Desk, Work, perform)
