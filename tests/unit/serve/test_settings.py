"""Settings that are asked for: which answer counts, and who waits for it."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from compact_chat.operations import ClientState
from compact_chat.serve.client import PATIENCE, Settings
from tests.servers.clock import run_in_jumps


class Client:
    """A client's state, and the client, whose answers a test gives."""

    def __init__(self) -> None:
        self.sections: list[object] = []
        self.questions: list[asyncio.Future[Any]] = []
        self.settings = Settings(cast("ClientState", self), self._ask)
        self.settings.declare({"workspace": {"configuration": True}})

    def configure(self, section: object) -> None:
        """Keep the settings."""
        self.sections.append(section)

    async def _ask(self, _: str, __: Any) -> Any:
        self.questions.append(asyncio.get_running_loop().create_future())
        return await self.questions[-1]

    async def start(self) -> None:
        """Begin, and wait until the question is out."""
        self.settings.start({})
        await self.later()

    async def later(self) -> None:
        """Let all be done that can be done now."""
        for _ in range(10):
            await asyncio.sleep(0)

    def wait(self) -> asyncio.Task[None]:
        """Begin an operation that needs the settings."""
        return asyncio.get_running_loop().create_task(self.settings.settled())


def test_settings_that_are_sent_beat_an_answer_before_them() -> None:
    """Settings that come by themselves are newer than an answer that has come just before, and than all questions."""

    async def story() -> None:
        client = Client()
        await client.start()
        client.questions[0].set_result([1])
        client.settings.changed({"settings": None})
        client.settings.changed({"settings": {"compactChat": 2}})
        await client.later()
        assert (client.sections, len(client.questions)) == ([2], 1)

    run_in_jumps(story())


def test_operations_wait_for_the_question_that_took_the_place() -> None:
    """An operation that waits for an answer waits for the newer question's, where one takes its place."""

    async def story() -> None:
        client = Client()
        await client.start()
        waiting = client.wait()
        await client.later()
        client.settings.changed({"settings": None})
        await client.later()
        assert client.questions[0].cancelled()
        assert not waiting.done()
        client.questions[1].set_result([2])
        await waiting
        assert client.sections == [2]

    run_in_jumps(story())


def test_no_operation_waits_for_long() -> None:
    """A client that keeps silent is not waited for, however often it says that its settings have changed."""

    async def story() -> None:
        client = Client()
        await client.start()
        waiting = client.wait()
        for _ in range(12):
            await asyncio.sleep(PATIENCE / 10)
            client.settings.changed({"settings": None})
        assert waiting.done()
        client.settings.stop()
        await client.later()

    run_in_jumps(story())


def test_after_the_end_nothing_is_asked() -> None:
    """A question that was about to be asked is not asked once the client is leaving."""

    async def story() -> None:
        client = Client()
        await client.start()
        client.settings.changed({"settings": None})
        client.settings.stop()
        await client.later()
        assert len(client.questions) == 1
        assert client.questions[0].cancelled()

    run_in_jumps(story())
