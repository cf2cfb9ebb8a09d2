"""The client's settings: pulled where it can be asked, taken where it sends them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from compact_chat.chat import JsonObject
from compact_chat.operations import ClientState
from compact_chat.serve.log import log_failure
from compact_chat.serve.rpc import member

Ask: TypeAlias = Callable[[str, Any], Awaitable[Any]]
SECTION = "compactChat"
CHANGED = "workspace/didChangeConfiguration"
PATIENCE = 2.0  # seconds that operations wait for settings that were asked for


class Settings:
    """Keeps the client's settings in its state."""

    def __init__(self, state: ClientState, ask: Ask) -> None:
        self._state, self._ask = state, ask
        self._started = False
        self._can_pull = self._can_register = self.shows_progress = False
        self._pull: asyncio.Task[None] | None = None
        self._next_pull: asyncio.Handle | None = None
        self._registering: asyncio.Task[None] | None = None
        self._patience_ends = 0.0

    def declare(self, capabilities: JsonObject) -> None:
        """Remember what the client can be asked."""
        self.shows_progress = member(capabilities, "window", "workDoneProgress") is True
        self._can_pull = member(capabilities, "workspace", "configuration") is True
        self._can_register = member(capabilities, "workspace", "didChangeConfiguration", "dynamicRegistration") is True

    def start(self, _: JsonObject) -> None:
        """Ask for the settings, and to be notified of changes; once is enough."""
        if self._started:
            return
        self._started = True
        if self._can_pull:
            self._pull_now()
        if self._can_register:
            wanted = {"id": CHANGED, "method": CHANGED, "registerOptions": {"section": SECTION}}
            registration = self._request("client/registerCapability", {"registrations": [wanted]}, lambda _: None)
            self._registering = asyncio.get_running_loop().create_task(registration)

    def changed(self, params: JsonObject) -> None:
        """Take over settings that were sent along, or ask for them."""
        if (section := member(params, "settings", SECTION)) is not None:
            self.stop()
            self._state.configure(section)
        elif self._can_pull:
            # Not at once: an answer that has come already counts, whatever comes of the next question.
            if self._next_pull is not None:
                self._next_pull.cancel()
            self._next_pull = asyncio.get_running_loop().call_soon(self._pull_now)

    async def settled(self) -> None:
        """Wait for settings that were asked for, but not for a client that keeps silent."""
        now = asyncio.get_running_loop().time
        latest = now() + PATIENCE
        while self._pull is not None and not self._pull.done():  # a newer question may replace it
            patience = min(latest, self._patience_ends) - now()
            if patience <= 0:
                break
            await asyncio.wait({self._pull}, timeout=patience)

    def stop(self) -> None:
        """Ask no more."""
        for asking in (self._next_pull, self._pull):
            if asking is not None:
                asking.cancel()

    def _pull_now(self) -> None:
        self.stop()
        loop = asyncio.get_running_loop()
        pull = self._request("workspace/configuration", {"items": [{"section": SECTION}]}, self._configure)
        self._pull = loop.create_task(pull)
        self._patience_ends = loop.time() + PATIENCE

    def _configure(self, sections: Any) -> None:
        if isinstance(sections, list) and sections:
            self._state.configure(sections[0])

    async def _request(self, method: str, params: JsonObject, take: Callable[[Any], None]) -> None:
        """Ask the client; a refusal leaves all as it is."""
        try:
            take(await self._ask(method, params))
        except Exception as error:  # noqa: BLE001 -- this task is never awaited
            log_failure(method, error)
