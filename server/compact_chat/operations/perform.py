"""Run an operation by its name: check the params, work off the event loop, give plain JSON."""

from __future__ import annotations

import contextlib
import inspect
from typing import Any

import msgspec

from compact_chat.chat import JsonObject
from compact_chat.operations.desk import Desk
from compact_chat.operations.params import typed, without_nulls
from compact_chat.operations.size import is_small
from compact_chat.operations.table import Operation, is_loaded, operation
from compact_chat.operations.work import Work
from compact_chat.options import ContinuationOptions


async def perform(name: str, params: object, desk: Desk, work: Work) -> JsonObject:
    """Run an operation without holding up the event loop; a small one is done sooner than a thread would take it."""
    import asyncio

    story = operation(name) if is_loaded(name) else await asyncio.to_thread(operation, name)
    asked = decoded(story.params, params, desk)
    if desk.warm and is_small(params) and not inspect.iscoroutinefunction(story.run):
        return plain(story.run(asked, desk, work))
    async with contextlib.nullcontext() if is_small(params) else desk.heavy:
        done = await _off_the_loop(story, asked, desk, work)
    desk.warm = True
    return done


async def _off_the_loop(story: Operation, asked: Any, desk: Desk, work: Work) -> JsonObject:
    import asyncio

    if inspect.iscoroutinefunction(story.run):
        return await asyncio.to_thread(plain, await story.run(asked, desk, work))
    return await asyncio.to_thread(lambda: plain(story.run(asked, desk, work)))


def perform_alone(name: str, params: object, desk: Desk, work: Work) -> JsonObject:
    """Run an operation where nothing else waits, as in a shell; an event loop only where one is needed."""
    story = operation(name)
    done = story.run(decoded(story.params, params, desk), desk, work)
    if inspect.iscoroutine(done):
        import asyncio

        done = asyncio.run(done)
    return plain(done)


def decoded(kind: type[msgspec.Struct], params: object, desk: Desk) -> Any:
    """Type the params; where an operation takes options, the user's settings stand below them."""
    given = without_nulls({} if params is None else params)
    if isinstance(given, dict) and "options" in kind.__struct_fields__ and isinstance(given.get("options", {}), dict):
        given = {**given, "options": {**desk.chosen, **given.get("options", {})}}
    if isinstance(given, dict) and issubclass(kind, ContinuationOptions):
        given = {**desk.chosen.get("continuation", {}), **given}
    return typed(kind, given)


def plain(result: object) -> JsonObject:
    """Turn a result into plain JSON values."""
    values: JsonObject = msgspec.to_builtins(result)
    return values
