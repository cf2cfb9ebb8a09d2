"""Progress of one operation, from any thread to the client."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from compact_chat.chat import JsonObject
from compact_chat.errors import InvalidParams
from compact_chat.serve.offer import Report, Tell

Token: TypeAlias = str | int
Notify: TypeAlias = Callable[[str, JsonObject], None]
PAUSE = 0.05  # seconds between two reports of one operation


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
    """Passes on what an operation tells: the newest state and all of the text, at most every 50 ms, until it ends."""

    def __init__(self, tokens: Tokens, notify: Notify) -> None:
        self._tokens, self._notify = tokens, notify
        self._loop = asyncio.get_running_loop()
        self._state: tuple[str, int | None] | None = None
        self._pieces: deque[str] = deque()
        self._due = self._ended = False
        self._last = 0.0

    @property
    def report(self) -> Report | None:
        """Where an operation tells its state, from any thread; None where nobody listens."""
        return None if self._tokens.work_done is None else self._report

    @property
    def text(self) -> Tell | None:
        """Where an operation streams text, from any thread; None where nobody listens."""
        return None if self._tokens.partial_result is None else self._tell_text

    def begin(self, title: str) -> None:
        """Say that the work begins; a percentage must stand here for clients to show later ones."""
        self._tell(self._tokens.work_done, {"kind": "begin", "title": title, "cancellable": True, "percentage": 0})

    def end(self) -> None:
        """Send what is left and say that the work ended; whatever a thread still tells is dropped."""
        self._send()
        self._ended = True
        self._tell(self._tokens.work_done, {"kind": "end"})

    def _report(self, message: str, percentage: int | None) -> None:
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
        state, self._state = self._state, None
        if state is not None:
            self._tell(self._tokens.work_done, _reported(*state))
        if text := "".join(self._pieces.popleft() for _ in range(len(self._pieces))):
            self._tell(self._tokens.partial_result, {"kind": "text", "text": text})

    def _tell(self, token: Token | None, value: JsonObject) -> None:
        if token is not None:
            self._notify("$/progress", {"token": token, "value": value})


def _reported(message: str, percentage: int | None) -> JsonObject:
    share = {} if percentage is None else {"percentage": percentage}
    return {"kind": "report", "message": message, **share}
