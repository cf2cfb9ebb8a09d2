"""The meters of one client: the chats that it watches are looked at now and then, and what is new of them is told."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from math import inf
from typing import TypeAlias

from compact_chat.chat import JsonObject
from compact_chat.serve.rpc import Watches, log_failure

Notify: TypeAlias = Callable[[str, JsonObject], None]
Later: TypeAlias = Callable[[Callable[[], None]], object]
METER = "compactChat/meter"
AWAKE, ASLEEP = 0.25, 0.35  # seconds between two looks: soon after something grew, and else
LATELY = 10.0  # seconds for which that is soon


class Watching:
    """Looks on a thread of its own, which is there for as long as there is something to look at.

    A client gets the newest report of each chat, at most one between two looks, and none while it leaves others unread.
    """

    def __init__(self, watches: Watches, tell: Notify, is_behind: Callable[[], bool]) -> None:
        self._watches, self._tell, self._is_behind = watches, tell, is_behind
        self._unsent: dict[str, JsonObject] = {}
        self._due = self._stopped = self._is_ready = False
        self._lock = threading.Condition()
        self._thread: threading.Thread | None = None
        self._grew = 0.0  # when anything did
        self._told: dict[str, float] = {}  # when each watch had news
        watches.when_ready(self._hurry)

    def begin(self, result: JsonObject) -> None:
        """Begin with the watch that the client was just told of, if it was told of one."""
        name = result.get("watchId")
        if not isinstance(name, str) or not self._watches.begin(name):
            return
        with self._lock:
            if self._thread is None and not self._stopped:
                later = asyncio.get_running_loop().call_soon_threadsafe
                self._thread = threading.Thread(target=self._look_on, args=(later,), name="watch", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """End all watches, and what is done for them."""
        self._watches.clear()
        with self._lock:
            self._stopped = True
            self._lock.notify_all()

    def _look_on(self, later: Later) -> None:
        while self._goes_on():
            if not self._is_behind():
                self._look(later)
            pause = AWAKE if time.monotonic() - self._grew < LATELY else ASLEEP
            with self._lock:
                self._lock.wait_for(lambda: self._stopped or self._is_ready, pause)
                self._is_ready = False

    def _hurry(self) -> None:
        """End the pause: what was read aside is there, and a meter that waits for the next look would be late."""
        with self._lock:
            self._is_ready = True
            self._lock.notify_all()

    def _goes_on(self) -> bool:
        """Say whether there is anything to look at; where not, a watch that begins now gets a new thread."""
        with self._lock:
            if self._stopped or self._watches.is_idle:
                self._thread = None
            return self._thread is not None

    def _look(self, later: Later) -> None:
        begun = self._watches.begun()
        self._told = {name: self._told.get(name, -inf) for name, _ in begun}
        for name, look in begun:
            if time.monotonic() - self._told[name] < AWAKE:  # another one's news hurried this look
                continue
            try:
                told = look()
            except Exception as error:  # noqa: BLE001 -- one chat that we cannot cope with must not end the others
                log_failure("watch", error)
            else:
                if told is not None:
                    self._take(name, told, later)

    def _take(self, name: str, told: JsonObject, later: Later) -> None:
        """Have the loop send it, in place of what it has not sent yet; that stands there before the mark is read."""
        self._grew = self._told[name] = time.monotonic()
        self._unsent[name] = told
        if not self._due:
            self._due = True
            later(self._send)

    def _send(self) -> None:
        self._due = False
        while self._unsent:
            name, told = self._unsent.popitem()
            if self._watches.has(name):
                self._tell(METER, {"watchId": name, **told})
