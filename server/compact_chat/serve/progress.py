"""Progress of one operation, from any thread to the client."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, TypeAlias

from compact_chat.chat import JsonObject
from compact_chat.errors import InvalidParams
from compact_chat.serve.offer import Tell

Token: TypeAlias = str | int
State: TypeAlias = tuple[str, int | None]
Notify: TypeAlias = Callable[[str, JsonObject], None]
Ask: TypeAlias = Callable[[str, JsonObject], Awaitable[Any]]
PAUSE = 0.025  # seconds between two reports of one operation; half of what text may take on its way
LONG = 0.5  # seconds after which a client shows work that it gave no token for


class Tokens(NamedTuple):
    """Where the client wants to hear of an operation; nothing is sent that it did not ask for."""

    work_done: Token | None
    partial_result: Token | None


def tokens_of(*places: JsonObject) -> Tokens:
    """Find the tokens in the first place that has them."""
    return Tokens(_token(places, "workDoneToken"), _token(places, "partialResultToken"))


def _token(places: tuple[JsonObject, ...], name: str) -> Token | None:
    for place in places:
        if (token := place.get(name)) is not None:
            if not isinstance(token, str | int) or isinstance(token, bool):
                raise InvalidParams.at(f"$.{name}", "expected a string or an integer")
            return token
    return None


class Progress:
    """Passes on what an operation tells: the newest state and all of the text, at most every 25 ms, until it ends."""

    def __init__(self, title: str, tokens: Tokens, notify: Notify) -> None:
        self._title, self._tokens, self._notify = title, tokens, notify
        self._loop = asyncio.get_running_loop()
        self._state: State = ("", None)
        self._sent: State = self._state
        self._pieces: deque[str] = deque()
        self._due = self._ended = False
        self._last = 0.0

    @property
    def token(self) -> Token | None:
        """Where the state is shown, if it is."""
        return self._tokens.work_done

    @property
    def text(self) -> Tell | None:
        """Where an operation streams text, from any thread; None where nobody listens."""
        return None if self._tokens.partial_result is None else self._tell_text

    def begin(self) -> None:
        """Say that the work begins; a percentage must stand here for clients to show later ones."""
        begun = {"kind": "begin", "title": self._title, "cancellable": True, "percentage": 0}
        self._tell(self._tokens.work_done, begun)

    async def begin_late(self, token: Token, ask: Ask) -> None:
        """Have the client show the work under a token of ours, once it has become long."""
        await asyncio.sleep(LONG)
        await ask("window/workDoneProgress/create", {"token": token})
        self._tokens = Tokens(token, self._tokens.partial_result)
        self.begin()

    def end(self) -> None:
        """Send what is left and say that the work ended; whatever a thread still tells is dropped."""
        self._send()
        self._ended = True
        self._tell(self._tokens.work_done, {"kind": "end"})

    def report(self, message: str, percentage: int | None) -> None:
        """Take an operation's state, from any thread; where nobody listens it goes no further."""
        self._state = (message, percentage)
        self._wake()

    def _tell_text(self, text: str) -> None:
        self._pieces.append(text)
        self._wake()

    def _wake(self) -> None:
        """Have the loop send soon; called from any thread, so the news stands before the mark is looked at."""
        if not self._due and not self._ended:
            self._due = True
            self._loop.call_soon_threadsafe(self._send_in_time)

    def _send_in_time(self) -> None:
        self._loop.call_at(self._last + PAUSE, self._send)

    def _send(self) -> None:
        if self._ended:
            return
        self._due, self._last = False, self._loop.time()
        if self._state != self._sent:
            self._sent = self._state
            self._tell(self._tokens.work_done, _reported(*self._sent))
        if text := "".join(self._pieces.popleft() for _ in range(len(self._pieces))):
            self._tell(self._tokens.partial_result, {"kind": "text", "text": text})

    def _tell(self, token: Token | None, value: JsonObject) -> None:
        if token is not None:
            self._notify("$/progress", {"token": token, "value": value})


def _reported(message: str, percentage: int | None) -> JsonObject:
    share = {} if percentage is None else {"percentage": percentage}
    return {"kind": "report", "message": message, **share}
