"""One operation under way, and how it is run: params checked, work off the event loop, plain JSON given back."""

from __future__ import annotations

import json
import math
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextvars import copy_context
from functools import cache, partial
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from compact_chat.cancel import checkpoints
from compact_chat.chat import JsonObject
from compact_chat.errors import Cancelled
from compact_chat.operations.params import is_small, typed, without_nulls
from compact_chat.operations.table import ON_DISK, is_loaded, operation
from compact_chat.wire import ContinuationOptions

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from compact_chat.operations.client_state import ClientState

HEAVY = 2  # big operations of one client, and of all clients, at once: more would starve the small ones

T = TypeVar("T")
Report = Callable[[str, int | None], None]
_ENCODER = json.JSONEncoder(allow_nan=False, check_circular=False, separators=(",", ":"))


async def _on_this_thread(call: Callable[[], Any]) -> Any:
    return call()


class Job:
    """One operation of a client: it reports progress, streams text, and can be cancelled from any thread."""

    def __init__(
        self, client: ClientState, report: Report | None = None, stream: Callable[[str], None] | None = None
    ) -> None:
        self.client = client
        self._report, self._stream = report, stream
        self._run: Callable[[Callable[[], Any]], Awaitable[Any]] = _on_this_thread
        self._cancelled = False
        self._done = 0.0  # the share that is done; each phase takes half of what is left

    def another(self) -> Job:
        """Return a job of the same client that reports nothing."""
        return Job(self.client)

    def cancel(self) -> None:
        """Stop the operation at its next check."""
        self._cancelled = True

    @property
    def is_cancelled(self) -> bool:
        """Whether the operation was cancelled."""
        return self._cancelled

    def check(self) -> None:
        """Raise `Cancelled` if the operation was cancelled; `checkpoint()` calls this."""
        if self._cancelled:
            raise Cancelled

    def step(self, message: str, percentage: int | None = None) -> None:
        """Report what comes next, unless the operation was cancelled."""
        self.check()
        if self._report is not None:
            self._report(message, percentage)

    def each(self, items: Sequence[T], message: str) -> Iterator[T]:
        """Iterate with a step before each item; the percentage only grows over all phases of an operation."""
        start, reach = self._done, (1 - self._done) / 2
        for number, item in enumerate(items):
            self._done = start + reach * number / len(items)
            self.step(message, int(100 * self._done))
            yield item
        self._done = start + reach

    async def off_loop(self, call: Callable[[], T]) -> T:
        """Run a step in a thread if the event loop has others to serve."""
        result: T = await self._run(call)
        return result

    def stream(self, text: str) -> None:
        """Send a piece of the result's text ahead of the result."""
        if self._stream is not None:
            self._stream(text)


async def perform(name: str, params: object, job: Job) -> JsonObject:
    """Run an operation without holding up the event loop; a small one runs on it, faster than a thread would."""
    import asyncio

    story = operation(name) if is_loaded(name) else await asyncio.to_thread(operation, name)
    asked = decoded(story.params, params, job.client)
    if not is_small(params):
        job._run = partial(_in_turn, job.client)  # noqa: SLF001 -- how it is run is decided here
    elif name not in job.client.warm or name in ON_DISK:
        job._run = asyncio.to_thread  # noqa: SLF001 -- the same
    with checkpoints(job.check):
        if iscoroutinefunction(story.run):
            # On the loop: a cancellation that came during a last step in a thread would be too late for the story.
            result: JsonObject = msgspec.to_builtins(await story.run(asked, job))
        else:
            result = await job.off_loop(lambda: msgspec.to_builtins(story.run(asked, job)))
    job.client.warm.add(name)
    return result


def run_alone(name: str, params: object, job: Job) -> Any:
    """Run an operation where nothing else waits, as in a shell; give its typed result."""
    story = operation(name)
    asked = decoded(story.params, params, job.client)
    with checkpoints(job.check):
        if not iscoroutinefunction(story.run):
            return story.run(asked, job)
        import asyncio

        return asyncio.run(story.run(asked, job))


def perform_alone(name: str, params: object, job: Job) -> JsonObject:
    """Run an operation where nothing else waits; give plain JSON values."""
    result: JsonObject = msgspec.to_builtins(run_alone(name, params, job))
    return result


def decoded(kind: type[msgspec.Struct], params: object, client: ClientState) -> Any:
    """Check and type the params; options that are not given are the user's settings."""
    given = without_nulls({} if params is None else params)
    if isinstance(given, dict) and "options" in kind.__struct_fields__ and isinstance(given.get("options", {}), dict):
        given = {**given, "options": {**client.chosen, **given.get("options", {})}}
    if isinstance(given, dict) and issubclass(kind, ContinuationOptions):
        given = {**client.chosen.get("continuation", {}), **given}
    return typed(kind, given)


async def _in_turn(client: ClientState, call: Callable[[], T]) -> T:
    """Run a big step when it is the client's turn, in one of the heavy threads.

    A step that is cancelled before its turn is dropped with all that it holds; one that runs keeps its thread until
    it has ended, though nobody waits for it any more.
    """
    import asyncio

    async with client.heavy:
        if client.room is not None:
            await client.room.wait()
        context = copy_context()
        waiting = [lambda: context.run(call)]

        def run() -> T:
            return waiting.pop()()

        try:
            return await asyncio.get_running_loop().run_in_executor(_heavy_threads(), run)
        finally:
            waiting.clear()


@cache
def _heavy_threads() -> ThreadPoolExecutor:
    """Make the threads of all clients' big operations; small ones use asyncio's, and never wait behind these."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(HEAVY, "heavy")


def json_text(value: Any) -> str:
    """Write ASCII JSON; a number that JSON cannot write becomes null."""
    try:
        return _ENCODER.encode(value)
    except ValueError:
        return _ENCODER.encode(_finite(value))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
