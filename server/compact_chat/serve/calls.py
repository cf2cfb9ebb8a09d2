"""The operations under way: where requests and commands meet, and what a cancellation reaches."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from compact_chat.chat import JsonObject
from compact_chat.serve.asked import Asked
from compact_chat.serve.channel import Channel
from compact_chat.serve.messages import MessageId
from compact_chat.serve.offer import Desk, Offer
from compact_chat.serve.progress import Progress, Token
from compact_chat.serve.settings import Settings


class Call(NamedTuple):
    """One operation under way: its request's id, where it reports, and its task."""

    id: MessageId
    token: Token | None
    task: asyncio.Task[JsonObject]


class Calls:
    """Runs each operation as one task, answers it once however it ends, and cancels it by its id or its token.

    pygls 2.1.1 lets the coroutine of a cancelled command run to its end (no upstream issue known), and runs cancelled
    requests that were still queued (pygls#517); here nothing stands between a cancellation and the task.
    """

    def __init__(self, offer: Offer, desk: Desk, settings: Settings, channel: Channel) -> None:
        self._offer, self._desk, self._settings, self._channel = offer, desk, settings, channel
        self._calls: set[Call] = set()

    def start(self, under: MessageId, asked: Asked) -> None:
        """Start an operation."""
        call = Call(under, asked.tokens.work_done, asyncio.get_running_loop().create_task(self._run(asked)))
        self._calls.add(call)
        call.task.add_done_callback(lambda _: self._answer(call))

    def cancel(self, params: JsonObject) -> None:
        """Cancel the request that `$/cancelRequest` names, if it is still under way."""
        for call in self._calls:
            if call.id is not None and call.id == params["id"]:
                call.task.cancel()

    def cancel_progress(self, params: JsonObject) -> None:
        """Cancel the request whose progress `window/workDoneProgress/cancel` names."""
        for call in self._calls:
            if call.token is not None and call.token == params["token"]:
                call.task.cancel()

    def cancel_all(self) -> None:
        """Cancel whatever is under way."""
        for call in self._calls:
            call.task.cancel()

    async def _run(self, asked: Asked) -> JsonObject:
        """Perform an operation and report on it; where the task is cancelled, the work in its thread stops too."""
        await self._settings.settled()
        progress = Progress(asked.tokens, self._channel.tell)
        work = self._offer.work(progress.report, progress.text)
        progress.begin(f"Compact Chat: {asked.name}")
        try:
            return await self._offer.perform(asked.name, asked.params, self._desk, work)
        except asyncio.CancelledError:
            work.cancel()
            raise
        finally:
            progress.end()

    def _answer(self, call: Call) -> None:
        self._calls.discard(call)
        error = asyncio.CancelledError() if call.task.cancelled() else call.task.exception()
        if error is None:
            self._channel.answer(call.id, call.task.result())
        else:
            self._channel.refuse(call.id, error)
