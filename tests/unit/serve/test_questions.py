"""Questions to the client: answered, refused, cancelled; nothing is left over."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from compact_chat.serve.client import Channel, Questions, Refused
from compact_chat.serve.log import Journal
from compact_chat.serve.rpc import Reply


class Wire:
    """Keeps the messages that go out."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.questions = Questions(Channel(self._write, Journal(1)))

    def _write(self, data: bytes) -> None:
        self.sent.append(json.loads(data.partition(b"\r\n\r\n")[2]))

    async def asked(self) -> asyncio.Task[Any]:
        """Ask a question and wait until it is out."""
        task = asyncio.get_running_loop().create_task(self.questions.ask("m", {"jsonrpc": 1}))
        await asyncio.sleep(0)
        return task


def test_the_clients_answer_comes_as_it_is() -> None:
    """The result is the client's own, keys and all; the second answer under the id is dropped."""

    async def story() -> None:
        wire = Wire()
        task = await wire.asked()
        wire.questions.answered(Reply(wire.sent[0]["id"], {"class": 1}, None))
        wire.questions.answered(Reply(wire.sent[0]["id"], "late", None))
        assert await task == {"class": 1}
        assert wire.sent[0] == {"jsonrpc": "2.0", "id": wire.sent[0]["id"], "method": "m", "params": {"jsonrpc": 1}}
        assert wire.questions._waiting == {}

    asyncio.run(story())


def test_the_clients_error_is_raised() -> None:
    """An error answer raises, with the error."""

    async def story() -> None:
        wire = Wire()
        task = await wire.asked()
        wire.questions.answered(Reply(wire.sent[0]["id"], None, {"code": -1}))
        with pytest.raises(Refused) as caught:
            await task
        assert caught.value.error == {"code": -1}

    asyncio.run(story())


def test_a_cancelled_question_is_cancelled_in_the_client() -> None:
    """Cancelling tells the client, leaves nothing behind, and a late answer is harmless (pygls#621)."""

    async def story() -> None:
        wire = Wire()
        task = await wire.asked()
        number = wire.sent[0]["id"]
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert wire.sent[1:] == [{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": number}}]
        assert wire.questions._waiting == {}
        wire.questions.answered(Reply(number, "late", None))

    asyncio.run(story())


def test_an_answer_on_its_way_while_cancelling_is_harmless() -> None:
    """An answer between the cancellation and its arrival at the task raises nothing."""

    async def story() -> None:
        wire = Wire()
        task = await wire.asked()
        task.cancel()
        wire.questions.answered(Reply(wire.sent[0]["id"], "crossed", None))
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(story())


@pytest.mark.parametrize("under", ["unknown", None, 1])
def test_an_answer_to_nothing_is_dropped(under: Any) -> None:
    """An answer under an id that was never given away is not taken for the answer that is waited for."""

    async def story() -> None:
        wire = Wire()
        task = await wire.asked()
        wire.questions.answered(Reply(under, "stray", None))
        wire.questions.answered(Reply(wire.sent[0]["id"], "right", None))
        assert await task == "right"

    asyncio.run(story())
