"""An event loop whose time passes only while all tasks wait, so that deadlines are exact and cost no real time."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Jumping(selectors.SelectSelector):
    """A selector that advances the clock instead of waiting."""

    passed = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Advance the clock by the time to wait."""
        assert timeout is not None, "all wait for something that never comes"
        self.passed += max(0.0, timeout)
        return super().select(0)


class _Loop(asyncio.SelectorEventLoop):
    """An event loop that uses such a clock."""

    def __init__(self) -> None:
        self._clock = _Jumping()
        super().__init__(self._clock)

    def time(self) -> float:
        """Return the elapsed time."""
        return self._clock.passed


def run_in_jumps(story: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that uses a single thread."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(story)
