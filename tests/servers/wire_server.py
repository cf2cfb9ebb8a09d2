"""A server with operations of its own, for what the real ones never do: sleep, fail, print, stream endlessly."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from typing import Any

from compact_chat.errors import ChatNotFound
from compact_chat.models import Host
from compact_chat.operations.job import Watches
from compact_chat.serve import serve_stdio, server

Report = Callable[[str, int | None], None]
Tell = Callable[[str], None]
STOPPED = threading.Event()


class FakeState:
    """Remembers settings and greeting."""

    def __init__(self) -> None:
        self.section: object = None
        self.greeting: object = None
        self.room: asyncio.Event | None = None
        self.host: Host | None = None
        self.watches = Watches()

    def configure(self, section: object) -> None:
        """Store the settings, or fail as a bug would."""
        if section == "fail":
            raise ValueError("secret")
        self.section = section

    def greet(self, options: object) -> None:
        """Store the greeting."""
        self.greeting = options


class FakeJob:
    """Can be cancelled, and passes on reports and text."""

    def __init__(self, client: FakeState, report: Report | None, text: Tell | None) -> None:
        self.client, self.report, self.text = client, report, text
        self.cancelled = threading.Event()

    def cancel(self) -> None:
        """Set the cancelled flag."""
        self.cancelled.set()


async def echo(params: Any, _: FakeState, __: FakeJob) -> Any:
    """Return the params."""
    return params


async def wait(_: Any, __: FakeState, job: FakeJob) -> Any:
    """Work in a thread until cancelled."""

    def busy() -> None:
        if job.cancelled.wait(60):
            STOPPED.set()

    await asyncio.to_thread(busy)
    return {}


async def stopped(_: Any, __: FakeState, ___: FakeJob) -> Any:
    """Return whether the thread of a cancelled `wait` has ended."""
    return {"stopped": await asyncio.to_thread(STOPPED.wait, 10)}


async def fail(params: Any, _: FakeState, __: FakeJob) -> Any:
    """Fail as a bug would."""
    raise ValueError(f"secret {params}")


async def stumble(_: Any, __: FakeState, ___: FakeJob) -> Any:
    """Leave a task behind that fails unobserved."""
    asyncio.get_running_loop().call_soon(int, "secret")
    return {}


async def refuse(_: Any, __: FakeState, ___: FakeJob) -> Any:
    """Fail as an operation may."""
    raise ChatNotFound("There is no such chat.", uri="file:///absent")


async def unwritable(_: Any, __: FakeState, ___: FakeJob) -> Any:
    """Return something that JSON cannot represent at all."""
    return {"value": object()}


async def tell(params: Any, _: FakeState, job: FakeJob) -> Any:
    """Report and stream from a thread."""

    def busy() -> None:
        for number in range(params["times"]):
            if job.report is not None:
                job.report(f"step {number}", number)
            if job.text is not None:
                job.text(f"{number} ")

    await asyncio.to_thread(busy)
    return {}


async def chatter(_: Any, __: FakeState, ___: FakeJob) -> Any:
    """Print in every possible way, and read from standard input."""
    print("printed", flush=True)
    os.write(1, b"written\n")
    await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", "print('by a child', input() if 0 else '')"], check=True
    )
    return {"read": os.read(0, 10).decode()}


async def large(params: Any, _: FakeState, __: FakeJob) -> Any:
    """Return a text of many characters."""
    return {"text": "é" * params["characters"]}


async def state(_: Any, known: FakeState, __: FakeJob) -> Any:
    """Return the client's settings and greeting."""
    return {"section": known.section, "greeting": known.greeting}


Story = Callable[[Any, FakeState, FakeJob], Awaitable[Any]]
STORIES: dict[str, Story] = {
    story.__name__: story
    for story in (
        *(echo, wait, stopped, fail, stumble, refuse, unwritable),
        *(tell, chatter, large, state),
    )
}


async def perform(name: str, params: object, job: FakeJob) -> Any:
    """Run an operation."""
    return await STORIES[name](params, job.client, job)


def install() -> None:
    """Replace the real operations by these."""
    fakes = {"card": card, "perform": perform, "ClientState": FakeState, "Job": FakeJob}
    for name, fake in fakes.items():
        setattr(server, name, fake)


def card() -> dict[str, Any]:
    """List the fake operations."""
    return {"version": 1, "operations": list(STORIES)}


if __name__ == "__main__":
    install()
    serve_stdio()
