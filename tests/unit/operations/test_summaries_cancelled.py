"""A compaction that is cancelled while its original is kept, or straight after, leaves nothing behind."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Literal

import pytest

from compact_chat.operations import ClientState, Job, perform, summarize
from compact_chat.operations import archives as kept

Messages = list[dict[str, Any]]
Story = Callable[["asyncio.Task[Any]"], Awaitable[None]]
PATIENCE = 20  # seconds for what comes at once, on a machine that others use too


class Store:
    """Stands around the writing of the original: tells when it begins, and that it is done, and holds it up."""

    def __init__(self) -> None:
        self.store = kept.store
        self.begun, self.may_go_on = threading.Event(), threading.Event()
        self.done: Callable[[], object] = lambda: None

    def __call__(self, *things: Any) -> Any:
        """Store, once it may."""
        self.begun.set()
        assert self.may_go_on.wait(PATIENCE)
        stored = self.store(*things)
        self.done()
        return stored


class Room(asyncio.Event):
    """What is set while the client takes its answers; it tells when somebody waits for that."""

    def __init__(self) -> None:
        super().__init__()
        self.waited_for = asyncio.Event()

    async def wait(self) -> Literal[True]:
        """Wait, and tell."""
        if not self.is_set():
            self.waited_for.set()
        return await super().wait()


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Store:
    """The writing of originals, as a test wants it."""
    store = Store()
    monkeypatch.setattr(summarize, "store", store)
    return store


@pytest.fixture
def archive(client: ClientState, tmp_path: Path) -> Path:
    """Where originals are kept."""
    client.configure({"archive": str(tmp_path / "archive")})
    return tmp_path / "archive"


def files_of(archive: Path) -> list[Path]:
    """The files of an archive, but for its lock."""
    return [path for path in archive.rglob("*") if path.is_file() and path.name != "lock"]


def run(client: ClientState, messages: Messages, story: Story) -> bool:
    """Compact a chat while a story happens, and tell whether it was cancelled."""

    async def both() -> bool:
        params = {"chat": {"messages": messages}, "provider": "offline"}
        task = asyncio.ensure_future(perform("summarize", params, Job(client)))
        await story(task)
        done, _ = await asyncio.wait([task], timeout=PATIENCE)
        assert done
        return task.cancelled()

    return asyncio.run(both())


@pytest.mark.parametrize("times", [1, 2, 3])
def test_what_was_being_written_is_taken_back(
    client: ClientState, messages: Messages, store: Store, archive: Path, times: int
) -> None:
    """However often it is cancelled, by a client and then by its leaving, nothing is left when the answer comes."""

    async def story(task: asyncio.Task[Any]) -> None:
        await asyncio.to_thread(store.begun.wait, PATIENCE)
        for _ in range(times):
            task.cancel()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        assert not task.done()
        store.may_go_on.set()

    assert run(client, messages, story)
    assert files_of(archive) == []


def test_what_waits_for_its_turn_ends_at_once(
    client: ClientState, messages: Messages, store: Store, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cancelled compaction does not wait until other big ones, or the client, leave it room to write."""
    finish, room = summarize.finish, Room()
    client.room = room
    room.set()

    def finish_and_close(*things: Any) -> Any:
        room.clear()
        return finish(*things)

    async def story(task: asyncio.Task[Any]) -> None:
        await room.waited_for.wait()
        task.cancel()

    monkeypatch.setattr(summarize, "finish", finish_and_close)
    store.may_go_on.set()

    assert run(client, messages * 9, story)
    assert not store.begun.is_set()
    assert files_of(archive) == []


@pytest.mark.parametrize("turns", range(12))
def test_there_is_a_result_with_its_archive_or_neither(
    client: ClientState, messages: Messages, store: Store, archive: Path, turns: int
) -> None:
    """However soon after the writing a cancellation comes, it comes too late, or what was written is taken back."""
    store.may_go_on.set()

    async def story(task: asyncio.Task[Any]) -> None:
        written, loop = asyncio.Event(), asyncio.get_running_loop()
        store.done = lambda: loop.call_soon_threadsafe(written.set)
        await written.wait()
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()

    was_cancelled = run(client, messages, story)

    assert was_cancelled is (files_of(archive) == [])
