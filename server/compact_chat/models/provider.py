"""The interface of every provider: an assignment in, an answer or a failure of a known kind out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Literal, Protocol

from msgspec import Struct

from compact_chat.chat import JsonObject
from compact_chat.styles import MaskedRequest, Summary
from compact_chat.wire import TokensSpent


class Host(Protocol):
    """What a client declared when it connected, and how to send it a request."""

    language_models: bool
    secrets: bool

    async def ask(self, method: str, params: JsonObject, tell: Callable[[str], None] | None = None) -> Any:
        """Return the client's result; partial text goes to `tell`. A cancellation reaches the client."""


FailureKind = Literal[
    "auth",
    "quota",
    "rateLimit",
    "overloaded",
    "server",
    "network",
    "timeout",
    "protocol",
    "tooLong",
    "badRequest",
    "modelNotFound",
    "truncated",
    "refusal",
    "empty",
    "noModel",
    "noConsent",
    "blocked",
]
Tell = Callable[[str], None]


class Failure(Exception):
    """Why there is no answer, in a sentence without a key or a word of the chat."""

    def __init__(self, kind: FailureKind, sentence: str, retry_after: float | None = None) -> None:
        super().__init__(sentence)
        self.kind, self.sentence, self.retry_after = kind, sentence, retry_after


class Access(Struct, frozen=True):
    """What a provider may use: the client, if there is one, and the timeouts."""

    host: Host | None
    idle_timeout: float
    total_timeout: float
    user_initiated: bool
    off_loop: Callable[[Callable[[], Any]], Awaitable[Any]]  # runs a call off the event loop


class Choice(Struct, frozen=True):
    """A model that can be called; `window` is its input limit, if its provider reports it."""

    model: str | None
    window: int | None = None


class Assignment(Struct, frozen=True):
    """One request to one model; the offline provider gets a writer instead."""

    model: str | None
    max_output_tokens: int
    request: MaskedRequest | None = None
    offline: Callable[[], Summary | None] | None = None  # writes the summary without a model
    cache: bool = False  # whether the first part of the request is likely to be sent again


class Answer(Struct, frozen=True):
    """The text of a reply as it came, and why it ended; None if unknown."""

    text: str
    model: str | None
    stop_reason: str | None = None
    usage: TokensSpent | None = None
    summary: Summary | None = None  # the offline writer's summary, which needs no parsing
