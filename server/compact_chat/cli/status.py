"""What a command is doing, in one line of the terminal that is gone when it is done."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from compact_chat.operations.work import Work

_CLEAR = "\r\x1b[K"
_LONGEST = 70


@contextmanager
def status() -> Iterator[Work]:
    """Give the work of an operation; where nobody looks, it is done in silence."""
    if not sys.stderr.isatty():
        yield Work()
        return
    shown = _Shown()
    try:
        yield Work(shown.report, shown.tell)
    finally:
        _write(_CLEAR)


class _Shown:
    """The state of an operation, and how much text a model has written."""

    def __init__(self) -> None:
        self._state, self._characters = "", 0

    def report(self, message: str, percentage: int | None) -> None:
        """Show a state."""
        share = "" if percentage is None else f" {percentage}%"
        self._state = f"{message[:_LONGEST]}{share} …"
        _write(f"{_CLEAR}{self._state}")

    def tell(self, text: str) -> None:
        """Show that there is more text."""
        self._characters += len(text)
        _write(f"{_CLEAR}{self._state} {self._characters:,} characters")


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
