"""One operation under way: it tells how far it is, and can be stopped between two steps."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from compact_chat.errors import Cancelled

T = TypeVar("T")
Report = Callable[[str, int | None], None]


class Work:
    """What an operation tells of itself while it runs; `report` and `text` are called from any thread."""

    def __init__(self, report: Report | None = None, text: Callable[[str], None] | None = None) -> None:
        self._report, self._text = report, text
        self._cancelled = threading.Event()

    def cancel(self) -> None:
        """Stop the work at its next step."""
        self._cancelled.set()

    def step(self, message: str, percentage: int | None = None) -> None:
        """Say what comes now, or stop here."""
        if self._cancelled.is_set():
            raise Cancelled
        if self._report is not None:
            self._report(message, percentage)

    def each(self, items: Sequence[T], message: str) -> Iterator[T]:
        """Go through items, with a step before each that tells the share done."""
        for number, item in enumerate(items):
            self.step(message, 100 * number // len(items))
            yield item

    def tell(self, text: str) -> None:
        """Stream a piece of the result's text."""
        if self._text is not None:
            self._text(text)
