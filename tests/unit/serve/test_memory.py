"""What large messages left is tidied up behind them, aside, so that nobody waits for it."""

from __future__ import annotations

import asyncio
import threading

import pytest

from compact_chat.serve import server as memory


def test_tidying_up_is_done_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    """The loop, on which calls are answered and cancelled, does not stand still while memory goes back."""
    threads: list[threading.Thread] = []
    monkeypatch.setattr(memory, "QUIET", 0)

    async def run() -> None:
        done, loop = asyncio.Event(), asyncio.get_running_loop()

        def tidy_up() -> None:
            threads.append(threading.current_thread())
            loop.call_soon_threadsafe(done.set)

        monkeypatch.setattr(memory, "_tidy_up", tidy_up)
        memory.Tidying().behind(memory.LARGE)
        await done.wait()

    asyncio.run(run())

    assert threads != [threading.current_thread()]


def test_small_messages_leave_nothing_to_tidy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only behind large messages is tidied up, once, and not at all once somebody stops it."""
    tidied: list[int] = []
    monkeypatch.setattr(memory, "QUIET", 0)
    monkeypatch.setattr(memory, "_tidy_up", lambda: tidied.append(1))

    async def run(*sizes: int, stopped: bool = False) -> int:
        tidying = memory.Tidying()
        for size in sizes:
            tidying.behind(size)
        if stopped:
            tidying.stop()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await asyncio.get_running_loop().shutdown_default_executor()
        return len(tidied)

    assert asyncio.run(run(memory.LARGE - 1)) == 0
    assert asyncio.run(run(memory.LARGE, stopped=True)) == 0
    assert asyncio.run(run(memory.LARGE, memory.LARGE)) == 1
