"""The client's settings: asked for where it can be asked, taken where it sends them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from compact_chat.chat import JsonObject
from compact_chat.serve.rpc import ClientState, log_failure

Ask: TypeAlias = Callable[[str, Any], Awaitable[Any]]
SECTION = "compactChat"
PULL, CHANGED = "workspace/configuration", "workspace/didChangeConfiguration"
REGISTER = "client/registerCapability"
PATIENCE = 2.0  # seconds that operations wait for settings that were asked for


class Settings:
    """Keeps the settings as the client has them."""

    def __init__(self, client: ClientState, ask: Ask) -> None:
        self._client, self._ask = client, ask
        self._started = False
        self._can_pull = self._can_register = self.shows_progress = False
        self._pull: asyncio.Task[None] | None = None
        self._next_pull: asyncio.Handle | None = None
        self._registering: asyncio.Task[None] | None = None
        self._patience_ends = 0.0

    def meet(self, capabilities: JsonObject) -> None:
        """Remember what the client can be asked."""
        self.shows_progress = member(capabilities, "window", "workDoneProgress") is True
        self._can_pull = member(capabilities, "workspace", "configuration") is True
        self._can_register = member(capabilities, "workspace", "didChangeConfiguration", "dynamicRegistration") is True

    def start(self, _: JsonObject) -> None:
        """Ask for the settings, and to be told of changes; once is enough."""
        if self._started:
            return
        self._started = True
        if self._can_pull:
            self._pull_now()
        if self._can_register:
            told = {"id": CHANGED, "method": CHANGED, "registerOptions": {"section": SECTION}}
            self._registering = self._begin(REGISTER, {"registrations": [told]}, lambda _: None)

    def changed(self, told: JsonObject) -> None:
        """Take over settings that were sent along, or ask for them."""
        if (section := member(told, "settings", SECTION)) is not None:
            self.stop()
            self._client.configure(section)
        elif self._can_pull:
            self._pull_soon()

    async def settled(self) -> None:
        """Wait for settings that were asked for, but not for a client that keeps silent."""
        now = asyncio.get_running_loop().time
        latest = now() + PATIENCE
        while self._pull is not None and not self._pull.done():  # a newer question may take its place
            patience = min(latest, self._patience_ends) - now()
            if patience <= 0:
                break
            await asyncio.wait({self._pull}, timeout=patience)

    def stop(self) -> None:
        """Ask no more."""
        for asking in (self._next_pull, self._pull):
            if asking is not None:
                asking.cancel()

    def _pull_soon(self) -> None:
        """Ask behind what is to be done now: an answer that has come counts, whatever comes of the next question."""
        if self._next_pull is not None:
            self._next_pull.cancel()
        self._next_pull = asyncio.get_running_loop().call_soon(self._pull_now)

    def _pull_now(self) -> None:
        self.stop()
        self._pull = self._begin(PULL, {"items": [{"section": SECTION}]}, self._configure)
        self._patience_ends = asyncio.get_running_loop().time() + PATIENCE

    def _configure(self, sections: Any) -> None:
        if isinstance(sections, list) and sections:
            self._client.configure(sections[0])

    def _begin(self, method: str, params: JsonObject, take: Callable[[Any], None]) -> asyncio.Task[None]:
        """Ask the client beside everything else; a refusal leaves all as it is."""

        async def story() -> None:
            try:
                take(await self._ask(method, params))
            except Exception as error:  # noqa: BLE001 -- nobody waits for this task
                log_failure(method, error)

        return asyncio.get_running_loop().create_task(story())


def member(value: Any, *names: str) -> Any:
    """Look into nested objects; None where one is missing or no object."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value
