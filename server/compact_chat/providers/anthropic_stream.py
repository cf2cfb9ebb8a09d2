"""One streamed call: text is told as it comes, and silence ends it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from compact_chat.providers.anthropic_faults import failure_of
from compact_chat.providers.anthropic_reply import Reply
from compact_chat.providers.provider import Answer, Failure, Tell

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic


async def stream(client: AsyncAnthropic, message: dict[str, Any], idle: float, tell: Tell, is_near: bool) -> Answer:
    """Send a request and take its reply; only events that carry it on keep the watchdog quiet, which pings do not."""
    reply, now = Reply(message["model"]), asyncio.get_running_loop().time
    try:
        async with asyncio.timeout(idle) as watchdog, _sent(client, message, is_near) as events:
            while (text := await _next(events, reply)) is not None:
                watchdog.reschedule(now() + idle)
                if text:
                    tell(text)
    except TimeoutError:
        if not watchdog.expired():
            raise
        raise Failure("timeout", f"Claude was silent for {idle:g} seconds.") from None
    return reply.answer()


@asynccontextmanager
async def _sent(client: AsyncAnthropic, message: dict[str, Any], is_near: bool) -> AsyncIterator[AsyncIterator[Any]]:
    """Send the request, and hang up in the end; what goes wrong then no longer matters."""
    try:
        events = await client.messages.create(stream=True, **message)
    except Exception as fault:  # noqa: BLE001 -- the taxonomy has a place for each
        raise failure_of(fault, is_near) from None
    try:
        yield aiter(events)
    finally:
        with suppress(Exception):
            await events.close()


async def _next(events: AsyncIterator[Any], reply: Reply) -> str | None:
    """Take the next event that carries the reply on, and give its text; None after the last."""
    try:
        while not reply.is_over:
            if reply.knows(event := await anext(events)):
                return reply.take(event)
    except StopAsyncIteration:
        return None
    except Exception as fault:  # noqa: BLE001 -- the taxonomy has a place for each
        raise failure_of(fault) from None
    return None
