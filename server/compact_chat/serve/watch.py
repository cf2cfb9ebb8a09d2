"""The meters of one client: the chats that it watches are polled on a thread, and it is notified of new reports."""

from __future__ import annotations

import asyncio
import contextlib
import time
from concurrent.futures import ThreadPoolExecutor
from math import inf

from compact_chat.chat import JsonObject
from compact_chat.errors import Cancelled
from compact_chat.operations import ClientState
from compact_chat.serve.client import Client
from compact_chat.serve.log import log_failure

METER = "compactChat/meter"
AWAKE, ASLEEP = 0.25, 0.35  # seconds between two polls: soon after something grew, and else
LATELY = 10.0  # seconds for which that is soon


class Watching:
    """Polls as long as there is something to poll.

    A client gets the newest report of each chat, at most one between two polls, and none while it leaves others unread.
    """

    def __init__(self, state: ClientState, client: Client) -> None:
        self._watches, self._client = state.watches, client
        self._loop = asyncio.get_running_loop()
        self._polling: asyncio.Task[None] | None = None
        self._ready = asyncio.Event()  # set once a large chat was read, which is done apart from the polls
        self._watches.when_ready(self._end_pause)
        self._stopped = False
        self._grew = 0.0  # when any chat did
        self._reported: dict[str, float] = {}  # when each watch had news

    def begin(self, result: JsonObject) -> None:
        """Begin with the watch that the client just got the id of, if this result holds one."""
        name = result.get("watchId")
        if self._stopped or not isinstance(name, str) or not self._watches.begin(name):
            return
        if self._polling is None or self._polling.done():
            self._polling = self._loop.create_task(self._poll_all())

    def stop(self) -> None:
        """End all watches, and what is done for them."""
        self._stopped = True
        self._watches.clear()
        if self._polling is not None:
            self._polling.cancel()

    async def _poll_all(self) -> None:
        thread = ThreadPoolExecutor(1, "watch")
        try:
            while not self._watches.is_idle:
                if not self._client.is_behind:
                    await self._loop.run_in_executor(thread, self._poll)
                pause = AWAKE if time.monotonic() - self._grew < LATELY else ASLEEP
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._ready.wait(), pause)
                self._ready.clear()
        finally:
            thread.shutdown(wait=False)

    def _poll(self) -> None:
        """Look at each chat once, and have the client notified of what is new."""
        begun = self._watches.begun()
        self._reported = {name: self._reported.get(name, -inf) for name, _ in begun}
        for name, look in begun:
            if time.monotonic() - self._reported[name] < AWAKE:  # another chat's news ended the pause early
                continue
            try:
                news = look()
            except Cancelled:  # it ended meanwhile
                continue
            except Exception as error:  # noqa: BLE001 -- a chat that cannot be read must not end the others
                log_failure("watch", error)
                continue
            if news is not None:
                self._grew = self._reported[name] = time.monotonic()
                self._loop.call_soon_threadsafe(self._notify, name, news)

    def _end_pause(self) -> None:
        self._loop.call_soon_threadsafe(self._ready.set)

    def _notify(self, name: str, news: JsonObject) -> None:
        if self._watches.has(name):
            self._client.notify(METER, {"watchId": name, **news})
