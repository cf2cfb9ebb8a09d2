"""The operations under way: where requests and commands meet, and what a cancellation reaches."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from itertools import count
from typing import NamedTuple

from compact_chat.chat import JsonObject
from compact_chat.errors import TooLarge
from compact_chat.serve.asked import Asked
from compact_chat.serve.channel import Channel
from compact_chat.serve.messages import MessageId
from compact_chat.serve.offer import Desk, Offer
from compact_chat.serve.progress import Progress
from compact_chat.serve.questions import Questions, Refused
from compact_chat.serve.settings import Settings

MAX_CALLS = 1000
MAX_BYTES = 256 * 2**20  # of the requests under way


class Call(NamedTuple):
    """One operation under way: its request's id and size, where it reports, and its task."""

    id: MessageId
    size: int
    progress: Progress
    task: asyncio.Task[JsonObject]


class Calls:
    """Runs each operation as one task, answers it once however it ends, and cancels it by its id or its token.

    pygls 2.1.1 lets the coroutine of a cancelled command run to its end (no upstream issue known), and runs cancelled
    requests that were still queued (pygls#517); here nothing stands between a cancellation and the task.
    """

    def __init__(
        self,
        offer: Offer,
        desk: Desk,
        settings: Settings,
        channel: Channel,
        questions: Questions,
        sent: Callable[[JsonObject], object],
    ) -> None:
        self._offer, self._desk, self._settings, self._channel = offer, desk, settings, channel
        self._sent = sent  # is told each result that has gone out
        self._questions = questions
        self._numbers = count(1)
        self._calls: set[Call] = set()
        self._bytes = 0

    def start(self, under: MessageId, size: int, asked: Asked) -> None:
        """Start an operation."""
        if len(self._calls) >= MAX_CALLS or self._bytes + size > MAX_BYTES:
            raise TooLarge("Too many requests are under way; send the next one after an answer.")
        progress = Progress(f"Compact Chat: {asked.name}", asked.tokens, self._channel.tell)
        task = asyncio.get_running_loop().create_task(self._run(asked, progress))
        call = Call(under, size, progress, task)
        self._calls.add(call)
        self._bytes += size
        task.add_done_callback(lambda _: self._answer(call))

    def cancel(self, params: JsonObject) -> None:
        """Cancel the request that `$/cancelRequest` names, if it is still under way."""
        for call in self._calls:
            if call.id is not None and _same(call.id, params.get("id")):
                call.task.cancel()

    def cancel_progress(self, params: JsonObject) -> None:
        """Cancel the request whose progress `window/workDoneProgress/cancel` names."""
        for call in self._calls:
            if call.progress.token is not None and _same(call.progress.token, params.get("token")):
                call.task.cancel()

    def cancel_all(self) -> None:
        """Cancel whatever is under way."""
        for call in self._calls:
            call.task.cancel()

    async def answered(self) -> None:
        """Wait until nothing is under way, which after a cancellation is at once."""
        if self._calls:
            await asyncio.wait([call.task for call in self._calls])

    async def _run(self, asked: Asked, progress: Progress) -> JsonObject:
        """Perform an operation and report on it; where the task is cancelled, the work in its thread stops too."""
        await self._settings.settled()
        work = self._offer.work(progress.report, progress.text)
        showing = self._show(progress)
        try:
            return await self._offer.perform(asked.name, asked.params, self._desk, work)
        except asyncio.CancelledError:
            work.cancel()
            raise
        finally:
            if showing is not None:
                showing.cancel()
            progress.end()

    def _show(self, progress: Progress) -> asyncio.Task[None] | None:
        """Begin to report: at once where the client gave a token, later under one of ours where it shows those."""
        progress.begin()
        if progress.token is not None or not self._settings.shows_progress:
            return None

        async def later() -> None:
            with contextlib.suppress(Refused):
                await progress.begin_late(f"compact-chat-{next(self._numbers)}", self._questions.ask)

        return asyncio.get_running_loop().create_task(later())

    def _answer(self, call: Call) -> None:
        self._calls.discard(call)
        self._bytes -= call.size
        error = asyncio.CancelledError() if call.task.cancelled() else call.task.exception()
        if error is None:
            self._channel.answer(call.id, call.task.result())
            self._sent(call.task.result())
        else:
            self._channel.refuse(call.id, error)


def _same(one: object, other: object) -> bool:
    """Compare as JSON does: `true` is not 1."""
    return one == other and isinstance(one, bool) is isinstance(other, bool)
