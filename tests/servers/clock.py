"""An event loop whose time passes only while all wait for it, so that deadlines are exact and cost no time."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Jumping(selectors.SelectSelector):
    """Does not wait, but notes how long it was to wait."""

    passed = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Let the time pass in which nothing happens."""
        assert timeout is not None, "all wait for something that never comes"
        self.passed += max(0.0, timeout)
        return super().select(0)


class _Loop(asyncio.SelectorEventLoop):
    """An event loop that goes by such a clock."""

    def __init__(self) -> None:
        self._clock = _Jumping()
        super().__init__(self._clock)

    def time(self) -> float:
        """Tell the time that has passed."""
        return self._clock.passed


def run_in_jumps(story: Coroutine[Any, Any, T]) -> T:
    """Run a story that uses one thread alone."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(story)
