"""Cancellation by one call: long loops call `checkpoint()`, which raises once their operation was cancelled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_check: ContextVar[Callable[[], None] | None] = ContextVar("compact_chat_check", default=None)


def checkpoint() -> None:
    """Raise `Cancelled` if the operation that this runs for was cancelled; do nothing outside of one."""
    if (check := _check.get()) is not None:
        check()


@contextmanager
def checkpoints(check: Callable[[], None]) -> Iterator[None]:
    """Have every checkpoint of this context, and of threads that run in a copy of it, call `check`."""
    token = _check.set(check)
    try:
        yield
    finally:
        _check.reset(token)
