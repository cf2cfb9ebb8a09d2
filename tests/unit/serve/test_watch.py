"""The meters of one client: what is told when, and on which thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import cast

import pytest

from compact_chat.chat import JsonObject
from compact_chat.operations import ClientState, Job, TakesLong
from compact_chat.operations.job import Watches
from compact_chat.serve import client as module
from compact_chat.serve.client import METER, Watching
from compact_chat.serve.client import Client as ChatClient
from tests.servers.processes import within

PATIENCE = 20


class Chat:
    """A chat that has news when a test says so, and counts how often it is looked at."""

    def __init__(self) -> None:
        self.news: list[JsonObject] = []
        self.looks = 0
        self.looked = threading.Semaphore(0)

    def look(self, job: Job) -> JsonObject | None:
        """Give the next news."""
        job.check()
        self.looks += 1
        self.looked.release()
        return self.news.pop(0) if self.news else None


class LargeChat:
    """A chat whose read takes until a test ends it."""

    def __init__(self) -> None:
        self.may_end = threading.Event()
        self.reads = 0

    def look(self, job: Job) -> JsonObject | None:
        """Give the news, but not at once."""
        job.check()
        if job.at_once:
            raise TakesLong
        self.reads += 1
        assert self.may_end.wait(PATIENCE)
        return {"uri": "large"}


class Client:
    """What a client is told, and whether it reads."""

    def __init__(self) -> None:
        self.reported: list[JsonObject] = []
        self.reads = True
        self.asked = 0
        self.watches = Watches()
        self.watching = Watching(cast("ClientState", self), cast("ChatClient", self))

    def notify(self, method: str, params: JsonObject) -> None:
        """Take a notification."""
        assert method == METER
        self.reported.append(params)

    async def asked_again(self) -> None:
        """Wait until it was asked twice whether it reads."""
        before = self.asked
        await until(lambda: self.asked >= before + 2)

    @property
    def is_behind(self) -> bool:
        """Whether it leaves messages unread."""
        self.asked += 1
        return not self.reads

    def watch(self, chat: Chat | LargeChat) -> str:
        """Have a chat watched."""
        name = self.watches.add(chat, Job(ClientState()))
        self.watching.begin({"watchId": name})
        return name


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look often."""
    monkeypatch.setattr(module, "EVERY", 0.005)


@asynccontextmanager
async def client() -> AsyncIterator[Client]:
    """Make a client that ends with the test."""
    one = Client()
    try:
        yield one
    finally:
        one.watching.stop()


async def until(wanted: Callable[[], bool]) -> None:
    """Wait until something is so."""
    await asyncio.to_thread(within, PATIENCE, wanted)


async def looked_at(chat: Chat, times: int = 1) -> None:
    """Wait until a chat was looked at so many times more."""
    for _ in range(times):
        assert await asyncio.to_thread(chat.looked.acquire, timeout=PATIENCE)


def lookers() -> list[str]:
    """Name the threads that look."""
    return [thread.name for thread in threading.enumerate() if thread.name == "watch"]


async def test_news_are_told_under_the_id_of_the_watch() -> None:
    """Each report goes out as a notification, on the loop."""
    async with client() as one:
        chat = Chat()
        chat.news = [{"uri": "a", "report": 1}]
        name = one.watch(chat)
        await until(lambda: bool(one.reported))
        assert one.reported == [{"watchId": name, "uri": "a", "report": 1}]


async def test_large_chats_hold_up_no_other() -> None:
    """While one is read the others are polled and told of; large ones take turns, and end with their client."""
    async with client() as one:
        larges, chat = [LargeChat() for _ in range(3)], Chat()
        for large in larges:
            one.watch(large)
        chat.news = [{"uri": "small"}]
        one.watch(chat)
        await until(lambda: bool(one.reported))
        await looked_at(chat, 3)
        assert [reported["uri"] for reported in one.reported] == ["small"]
        await until(lambda: [large.reads for large in larges] == [1, 0, 0])
        for large in larges:
            large.may_end.set()
        await until(lambda: min(large.reads for large in larges) > 2)
        assert max(large.reads for large in larges) - min(large.reads for large in larges) <= 1
        assert {reported["uri"] for reported in one.reported} == {"small", "large"}
    await until(lambda: all(thread.name != "watch-slow_0" for thread in threading.enumerate()))


async def test_who_does_not_read_gets_no_more() -> None:
    """Nothing is even looked at for a client that leaves messages unread, and all is told when it reads again."""
    async with client() as one:
        chat = Chat()
        one.watch(chat)
        await looked_at(chat)
        one.reads = False
        await one.asked_again()
        chat.news, looks = [{"report": 1}], chat.looks
        await one.asked_again()
        assert (chat.looks, one.reported) == (looks, [])
        one.reads = True
        await until(lambda: bool(one.reported))


async def test_a_watch_that_ended_is_told_of_no_more() -> None:
    """What was found while a client ended its watch does not go out."""
    async with client() as one:

        class Leaving(Chat):
            def look(self, job: Job) -> JsonObject | None:
                one.watches.remove(name)
                return {"report": 1}

        name = one.watch(Leaving())
        await until(lambda: not one.watches.begun())
        later = Chat()
        one.watch(later)
        await looked_at(later)
        assert one.reported == []


async def test_one_thread_looks_and_goes_with_its_client() -> None:
    """There is one thread for all watches of a client; without any it waits for the next, and it ends with all."""
    async with client() as one:
        names = [one.watch(Chat()) for _ in range(5)]
        await until(lambda: len(lookers()) == 1)
        for name in names:
            one.watches.remove(name)
        chat = Chat()
        one.watch(chat)
        await looked_at(chat)
        assert len(lookers()) == 1
        one.watching.stop()
        assert not one.watches.begun()
        await until(lambda: lookers() == [])
        one.watch(Chat())
        assert lookers() == []


async def test_a_failure_ends_no_other_watch(caplog: pytest.LogCaptureFixture) -> None:
    """A chat that we cannot cope with is logged by its place alone, and the others go on."""

    class Broken(Chat):
        def look(self, job: Job) -> JsonObject | None:
            raise ValueError("secret")

    async with client() as one:
        chat = Chat()
        one.watch(Broken())
        one.watch(chat)
        await looked_at(chat, 3)
    assert "watch failed: ValueError" in caplog.text
    assert "secret" not in caplog.text
