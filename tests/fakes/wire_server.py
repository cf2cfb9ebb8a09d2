"""A server with operations of its own, for what the real ones never do: sleep, fail, print, babble."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from typing import Any

from compact_chat.errors import ChatNotFound
from compact_chat.operations.watches import Watches
from compact_chat.serve.offer import Offer, Report, Tell
from compact_chat.serve.server import serve_stdio

STOPPED = threading.Event()


class FakeDesk:
    """Remembers what it was told."""

    def __init__(self) -> None:
        self.section: object = None
        self.greeting: object = None
        self.room: asyncio.Event | None = None
        self.watches = Watches()

    def configure(self, section: object) -> None:
        """Keep the settings, or fail as a bug would."""
        if section == "fail":
            raise ValueError("secret")
        self.section = section

    def greet(self, options: object) -> None:
        """Keep the greeting."""
        self.greeting = options


class FakeWork:
    """Can be cancelled, and hands on what it is given."""

    def __init__(self, report: Report | None, text: Tell | None) -> None:
        self.report, self.text = report, text
        self.cancelled = threading.Event()

    def cancel(self) -> None:
        """Set the mark."""
        self.cancelled.set()


async def echo(params: Any, _: FakeDesk, __: FakeWork) -> Any:
    """Give the params back."""
    return params


async def wait(_: Any, __: FakeDesk, work: FakeWork) -> Any:
    """Work in a thread until cancelled."""

    def busy() -> None:
        if work.cancelled.wait(60):
            STOPPED.set()

    await asyncio.to_thread(busy)
    return {}


async def stopped(_: Any, __: FakeDesk, ___: FakeWork) -> Any:
    """Tell whether the thread of a cancelled `wait` has ended."""
    return {"stopped": await asyncio.to_thread(STOPPED.wait, 10)}


async def fail(params: Any, _: FakeDesk, __: FakeWork) -> Any:
    """Fail as a bug would."""
    raise ValueError(f"secret {params}")


async def stumble(_: Any, __: FakeDesk, ___: FakeWork) -> Any:
    """Leave something behind that fails where nobody waits for it."""
    asyncio.get_running_loop().call_soon(int, "secret")
    return {}


async def refuse(_: Any, __: FakeDesk, ___: FakeWork) -> Any:
    """Fail as an operation may."""
    raise ChatNotFound("There is no such chat.", uri="file:///absent")


async def odd(_: Any, __: FakeDesk, ___: FakeWork) -> Any:
    """Give numbers that JSON cannot write."""
    return {"numbers": [float("nan"), float("inf"), -float("inf"), 1.5]}


async def unwritable(_: Any, __: FakeDesk, ___: FakeWork) -> Any:
    """Give what JSON cannot write at all."""
    return {"value": object()}


async def tell(params: Any, _: FakeDesk, work: FakeWork) -> Any:
    """Report and stream from a thread."""

    def busy() -> None:
        for number in range(params["times"]):
            if work.report is not None:
                work.report(f"step {number}", number)
            if work.text is not None:
                work.text(f"{number} ")

    await asyncio.to_thread(busy)
    return {}


async def chatter(_: Any, __: FakeDesk, ___: FakeWork) -> Any:
    """Print in every way there is, and read from standard input."""
    print("printed", flush=True)
    os.write(1, b"written\n")
    await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", "print('by a child', input() if 0 else '')"], check=True
    )
    return {"read": os.read(0, 10).decode()}


async def large(params: Any, _: FakeDesk, __: FakeWork) -> Any:
    """Give a text of many characters."""
    return {"text": "é" * params["characters"]}


async def desk(_: Any, known: FakeDesk, __: FakeWork) -> Any:
    """Give what the desk was told."""
    return {"section": known.section, "greeting": known.greeting}


Story = Callable[[Any, FakeDesk, FakeWork], Awaitable[Any]]
STORIES: dict[str, Story] = {
    story.__name__: story
    for story in (echo, wait, stopped, fail, stumble, refuse, odd, unwritable, tell, chatter, large, desk)
}


async def perform(name: str, params: object, known: FakeDesk, work: FakeWork) -> Any:
    """Run a story."""
    return await STORIES[name](params, known, work)


if __name__ == "__main__":
    serve_stdio(Offer({"version": 1, "operations": list(STORIES)}, FakeDesk, FakeWork, perform))
