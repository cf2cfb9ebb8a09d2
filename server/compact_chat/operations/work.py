"""One operation under way: it tells how far it is, and can be stopped between two steps."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any, TypeVar

from compact_chat.errors import Cancelled

T = TypeVar("T")
Report = Callable[[str, int | None], None]
Aside = Callable[[Callable[[], Any]], Awaitable[Any]]


async def _here(call: Callable[[], Any]) -> Any:
    return call()


class Work:
    """What an operation tells of itself while it runs; `report` and `text` are called from any thread."""

    def __init__(self, report: Report | None = None, text: Callable[[str], None] | None = None) -> None:
        self._report, self._text = report, text
        self.aside: Aside = _here  # runs a step off the event loop, where one serves others
        self._cancelled = False
        self._done = 0.0  # the share that is done, of which each phase takes half of what is left

    def cancel(self) -> None:
        """Stop the work at its next step; any thread may call it."""
        self._cancelled = True

    @property
    def is_cancelled(self) -> bool:
        """Whether the work was cancelled."""
        return self._cancelled

    def step(self, message: str, percentage: int | None = None) -> None:
        """Say what comes now, or stop here."""
        self.check()
        if self._report is not None:
            self._report(message, percentage)

    def check(self) -> None:
        """Stop here if the work was cancelled."""
        if self._cancelled:
            raise Cancelled

    def each(self, items: Sequence[T], message: str) -> Iterator[T]:
        """Go through items, with a step before each that tells the share done; over all phases it only grows."""
        start, reach = self._done, (1 - self._done) / 2
        for number, item in enumerate(items):
            self._done = start + reach * number / len(items)
            self.step(message, int(100 * self._done))
            yield item
        self._done = start + reach

    async def off(self, call: Callable[[], T]) -> T:
        """Run a step of an operation that waits for others in between."""
        result: T = await self.aside(call)
        return result

    def tell(self, text: str) -> None:
        """Stream a piece of the result's text."""
        if self._text is not None:
            self._text(text)
