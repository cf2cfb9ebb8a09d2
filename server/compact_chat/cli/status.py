"""What a command is doing, in one line of the terminal that is gone when it is done."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from compact_chat.operations.work import Report

_CLEAR = "\r\x1b[K"
_LONGEST = 70


@contextmanager
def status() -> Iterator[Report | None]:
    """Give what takes an operation's state; None where nobody looks."""
    if not sys.stderr.isatty():
        yield None
        return
    try:
        yield _show
    finally:
        _write(_CLEAR)


def _show(message: str, percentage: int | None) -> None:
    share = "" if percentage is None else f" {percentage}%"
    _write(f"{_CLEAR}{message[:_LONGEST]}{share} …")


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
