"""Run an operation by its name: check the params, work off the event loop, give plain JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from contextvars import copy_context
from functools import cache, partial
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from compact_chat.cancel import checkpoints
from compact_chat.chat import JsonObject
from compact_chat.operations.desk import HEAVY, Desk
from compact_chat.operations.params import is_small, typed, without_nulls
from compact_chat.operations.table import ON_DISK, Operation, is_loaded, operation
from compact_chat.operations.work import Work
from compact_chat.wire import ContinuationOptions

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

# Plain values as JSON text, the same on the wire and in a shell.


_ENCODER = json.JSONEncoder(allow_nan=False, check_circular=False, separators=(",", ":"))


def json_text(value: Any) -> str:
    """Write ASCII JSON; a number that JSON cannot write goes out as null."""
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


# Run an operation by its name: check the params, work off the event loop, give plain JSON.


T = TypeVar("T")


async def perform(name: str, params: object, desk: Desk, work: Work) -> JsonObject:
    """Run an operation without holding up the event loop; a small one is done sooner than a thread would take it."""
    import asyncio

    story = operation(name) if is_loaded(name) else await asyncio.to_thread(operation, name)
    asked = decoded(story.params, params, desk)
    if not is_small(params):
        work.aside = partial(_in_turn, desk)
    elif name not in desk.warm or name in ON_DISK:
        work.aside = asyncio.to_thread
    with checkpoints(work.check):
        done = await _told(story, asked, desk, work)
    desk.warm.add(name)
    return done


async def _told(story: Operation, asked: msgspec.Struct, desk: Desk, work: Work) -> JsonObject:
    """Run the story, whole or, where it waits for others in between, step by step; give plain JSON values."""
    if not iscoroutinefunction(story.run):
        return await work.off(partial(_performed, story, asked, desk, work))
    # At once, and not aside: a cancellation while that is waited for would come behind what the story has kept.
    values: JsonObject = msgspec.to_builtins(await story.run(asked, desk, work))
    return values


async def _in_turn(desk: Desk, call: Callable[[], T]) -> T:
    """Run something big when it is the client's turn."""
    async with desk.heavy:
        if desk.room is not None:
            await desk.room.wait()
        return await _heavily(call)


async def _heavily(call: Callable[[], T]) -> T:
    """Run a call in one of the heavy threads; one that is cancelled before its turn is dropped with all it holds.

    A cancelled one that runs keeps its thread until it has really ended, though nobody waits for it any more.
    """
    import asyncio

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
    """Make the threads of all clients' big operations; small ones have asyncio's, and never wait behind these."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(HEAVY, "heavy")


def perform_alone(name: str, params: object, desk: Desk, work: Work) -> JsonObject:
    """Run an operation where nothing else waits, as in a shell."""
    story = operation(name)
    asked = decoded(story.params, params, desk)
    with checkpoints(work.check):
        if not iscoroutinefunction(story.run):
            return _performed(story, asked, desk, work)
        import asyncio

        return asyncio.run(_told(story, asked, desk, work))


def _performed(story: Operation, asked: msgspec.Struct, desk: Desk, work: Work) -> JsonObject:
    """Give the result as plain JSON values."""
    values: JsonObject = msgspec.to_builtins(story.run(asked, desk, work))
    return values


def decoded(kind: type[msgspec.Struct], params: object, desk: Desk) -> msgspec.Struct:
    """Type the params; where an operation takes options, the user's settings stand below them."""
    given = without_nulls({} if params is None else params)
    if isinstance(given, dict) and "options" in kind.__struct_fields__ and isinstance(given.get("options", {}), dict):
        given = {**given, "options": {**desk.chosen, **given.get("options", {})}}
    if isinstance(given, dict) and issubclass(kind, ContinuationOptions):
        given = {**desk.chosen.get("continuation", {}), **given}
    checked: msgspec.Struct = typed(kind, given)
    return checked
