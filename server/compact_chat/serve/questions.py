"""Requests from the server to its client."""

from __future__ import annotations

import asyncio
from itertools import count
from typing import Any

from compact_chat.serve.channel import Channel
from compact_chat.serve.messages import OURS, MessageId, Reply


class Refused(Exception):
    """The client answered with an error."""

    def __init__(self, error: Any) -> None:
        super().__init__("the client refused")
        self.error = error


class Questions:
    """Asks the client and waits for its answer.

    In pygls 2.1.1 a cancelled request is neither cancelled in the client nor forgotten, and its late answer raises
    (pygls#621, cured by pygls#628 after 2.1.1); results come as namedtuples that rename keys.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._numbers = count(1)
        self._waiting: dict[MessageId, asyncio.Future[Any]] = {}

    async def ask(self, method: str, params: Any) -> Any:
        """Give the client's result; raise `Refused` where it answers with an error."""
        number = f"{OURS}{next(self._numbers)}"
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        self._channel.ask(number, method, params)
        try:
            return await answer
        except asyncio.CancelledError:
            self._channel.tell("$/cancelRequest", {"id": number})
            raise
        finally:
            del self._waiting[number]

    def answered(self, reply: Reply) -> None:
        """Pass on an answer; one that nobody waits for any more is dropped."""
        answer = self._waiting.get(reply.id)
        if answer is None or answer.done():
            return
        if reply.error is None:
            answer.set_result(reply.result)
        else:
            answer.set_exception(Refused(reply.error))
