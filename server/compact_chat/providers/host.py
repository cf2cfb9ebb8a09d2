"""The program at the other end of the wire, as far as a provider needs it: an editor that may be asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from compact_chat.chat import JsonObject


class HostRefused(Exception):
    """The host answered with an error."""

    def __init__(self, code: int, data: JsonObject) -> None:
        super().__init__("the host refused")
        self.code, self.data = code, data


class Host(Protocol):
    """What a client declared when it connected, and how it is asked."""

    language_models: bool
    secrets: bool

    async def ask(self, method: str, params: JsonObject, tell: Callable[[str], None] | None = None) -> Any:
        """Give the host's result; partial text goes to `tell`. A cancellation reaches the host."""
