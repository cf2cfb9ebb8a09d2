"""The operations under way: where requests and commands meet, and what a cancellation reaches."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import NamedTuple

from compact_chat.chat import JsonObject
from compact_chat.serve.asked import Asked
from compact_chat.serve.channel import Channel
from compact_chat.serve.messages import MessageId
from compact_chat.serve.offer import Desk, Offer
from compact_chat.serve.progress import Progress, Token
from compact_chat.serve.settings import Settings


class Call(NamedTuple):
    """One operation under way, and where it reports."""

    task: asyncio.Task[JsonObject]
    token: Token | None


class Calls:
    """Runs each operation as one task, answers it once however it ends, and cancels it by its id or its token.

    pygls 2.1.1 lets the coroutine of a cancelled command run to its end (no upstream issue), and runs cancelled
    requests that were still queued (pygls#517); here nothing stands between a cancellation and the task.
    """

    def __init__(self, offer: Offer, desk: Desk, settings: Settings, channel: Channel) -> None:
        self._offer, self._desk, self._settings, self._channel = offer, desk, settings, channel
        self._calls: dict[MessageId, Call] = {}

    def start(self, under: MessageId, asked: Asked) -> None:
        """Start an operation."""
        task = asyncio.get_running_loop().create_task(self._run(asked))
        self._calls[under] = Call(task, asked.tokens.work_done)
        task.add_done_callback(partial(self._answer, under))

    def cancel(self, params: JsonObject) -> None:
        """Cancel the request that `$/cancelRequest` names, if it is still under way."""
        if (call := self._calls.get(params["id"])) is not None:
            call.task.cancel()

    def cancel_progress(self, params: JsonObject) -> None:
        """Cancel the requests whose progress `window/workDoneProgress/cancel` names."""
        for call in self._calls.values():
            if call.token == params["token"]:
                call.task.cancel()

    def cancel_all(self) -> None:
        """Cancel whatever is under way."""
        for call in self._calls.values():
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

    def _answer(self, under: MessageId, task: asyncio.Task[JsonObject]) -> None:
        if (call := self._calls.get(under)) is not None and call.task is task:
            del self._calls[under]
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        if error is None:
            self._channel.answer(under, task.result())
        else:
            self._channel.refuse(under, error)
