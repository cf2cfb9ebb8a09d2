"""The client's settings: asked for where it can be asked, taken where it sends them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from compact_chat.chat import JsonObject
from compact_chat.serve.offer import Desk
from compact_chat.serve.questions import Refused

Ask: TypeAlias = Callable[[str, Any], Awaitable[Any]]
SECTION = "compactChat"
CHANGED = "workspace/didChangeConfiguration"
PATIENCE = 2.0  # seconds that operations wait for settings that were asked for


class Settings:
    """Keeps the desk's settings as the client has them."""

    def __init__(self, desk: Desk, ask: Ask) -> None:
        self._desk, self._ask = desk, ask
        self._can_pull = self._can_register = False
        self._pull: asyncio.Task[None] | None = None
        self._registering: asyncio.Task[None] | None = None
        self._patience_ends = 0.0

    def meet(self, capabilities: JsonObject) -> None:
        """Remember what the client can be asked."""
        self._can_pull = member(capabilities, "workspace", "configuration") is True
        self._can_register = member(capabilities, "workspace", "didChangeConfiguration", "dynamicRegistration") is True

    def start(self, _: JsonObject) -> None:
        """Ask for the settings, and to be told of changes."""
        if self._can_pull:
            self._pull_again()
        if self._can_register:
            self._registering = asyncio.get_running_loop().create_task(self._register())

    def changed(self, told: JsonObject) -> None:
        """Take over settings that were sent along, or ask for them."""
        if (section := member(told, "settings", SECTION)) is not None:
            self.stop()
            self._desk.configure(section)
        elif self._can_pull:
            self._pull_again()

    async def settled(self) -> None:
        """Wait for settings that were asked for, but not for a client that keeps silent."""
        patience = self._patience_ends - asyncio.get_running_loop().time()
        if self._pull is not None and patience > 0:
            await asyncio.wait({self._pull}, timeout=patience)

    def stop(self) -> None:
        """Ask no more."""
        if self._pull is not None:
            self._pull.cancel()

    def _pull_again(self) -> None:
        self.stop()
        loop = asyncio.get_running_loop()
        self._pull, self._patience_ends = loop.create_task(self._take()), loop.time() + PATIENCE

    async def _take(self) -> None:
        with contextlib.suppress(Refused):
            match await self._ask("workspace/configuration", {"items": [{"section": SECTION}]}):
                case [section]:
                    self._desk.configure(section)

    async def _register(self) -> None:
        told = {"id": CHANGED, "method": CHANGED, "registerOptions": {"section": SECTION}}
        with contextlib.suppress(Refused):
            await self._ask("client/registerCapability", {"registrations": [told]})


def member(value: Any, *names: str) -> Any:
    """Look into nested objects; None where one is missing or no object."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value
