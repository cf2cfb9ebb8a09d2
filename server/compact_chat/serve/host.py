"""The client as a host: what it declared that it answers, and the text that it streams while it is asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any, TypeAlias

from compact_chat.chat import JsonObject
from compact_chat.providers.host import HostRefused
from compact_chat.serve.messages import OURS
from compact_chat.serve.offer import Tell
from compact_chat.serve.questions import Refused
from compact_chat.serve.refusals import MethodNotFound
from compact_chat.serve.settings import member

Ask: TypeAlias = Callable[[str, JsonObject], Awaitable[Any]]
_OF_MODELS = frozenset({"compactChat/languageModels", "compactChat/languageModel"})
_OF_SECRETS = frozenset({"compactChat/secret"})


class ClientHost:
    """Asks one client, and for no more than it declared when it connected."""

    def __init__(self, ask: Ask) -> None:
        self.language_models = self.secrets = False
        self._ask = ask
        self._numbers = count(1)
        self._listeners: dict[str, Tell] = {}  # by the tokens under which text may come

    def meet(self, declared: Any) -> None:
        """Remember what the client can be asked."""
        self.language_models = member(declared, "languageModels") is True
        self.secrets = member(declared, "secrets") is True

    async def ask(self, method: str, params: JsonObject, tell: Tell | None = None) -> Any:
        """Give the client's result; text that it streams before its answer goes to `tell`, on the event loop."""
        if not self._answers(method):
            raise HostRefused(MethodNotFound.code, {})
        if tell is None:
            return await self._asked(method, params)
        token = f"{OURS}text-{next(self._numbers)}"
        self._listeners[token] = tell
        try:
            return await self._asked(method, {**params, "partialResultToken": token})
        finally:
            del self._listeners[token]

    def heard(self, told: JsonObject) -> None:
        """Pass on a piece of text that came as `$/progress`; what has no listener, or is no text, is dropped."""
        token, value = told.get("token"), told.get("value")
        tell = self._listeners.get(token) if isinstance(token, str) else None
        text = member(value, "text")
        if tell is not None and member(value, "kind") == "text" and isinstance(text, str):
            tell(text)

    def _answers(self, method: str) -> bool:
        return (self.language_models and method in _OF_MODELS) or (self.secrets and method in _OF_SECRETS)

    async def _asked(self, method: str, params: JsonObject) -> Any:
        try:
            return await self._ask(method, params)
        except Refused as refused:
            code, data = member(refused.error, "code"), member(refused.error, "data")
            raise HostRefused(code if type(code) is int else 0, data if isinstance(data, dict) else {}) from None
