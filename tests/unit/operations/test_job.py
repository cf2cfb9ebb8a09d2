"""An operation reports how far it is, runs off the event loop where it is work, and stops when it is cancelled."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import Struct

from compact_chat.errors import Cancelled
from compact_chat.operations import ClientState, Job, perform
from compact_chat.operations.job import HEAVY
from compact_chat.operations.table import OPERATIONS, SMALL, Operation, is_small

Messages = list[dict[str, Any]]
PATIENCE = 20  # seconds until a test that would wait for ever fails
SMALL_ONE = {"summary": "Summary:\nok"}


def test_each_item_is_reported_with_its_share() -> None:
    """Going through items reports the share done before each; a later phase goes on where the first ended."""
    told: list[tuple[str, int | None]] = []
    job = Job(ClientState(), lambda message, percentage: told.append((message, percentage)))

    assert list(job.each("abcd", "Counting")) == ["a", "b", "c", "d"]
    assert list(job.each("ab", "Masking")) == ["a", "b"]
    assert told == [
        *(("Counting", 0), ("Counting", 12), ("Counting", 25), ("Counting", 37)),
        *(("Masking", 50), ("Masking", 62)),
    ]


def test_cancelled_work_stops_at_the_next_item() -> None:
    """After a cancel no further item is handed out."""
    job = Job(ClientState())
    items = job.each(range(10), "Counting")
    seen = [next(items), next(items)]
    job.cancel()

    with pytest.raises(Cancelled):
        next(items)
    assert seen == [0, 1]


def test_settings_that_fit_are_taken_over() -> None:
    """A value of a wrong type is left out, the others count."""
    client = ClientState()

    client.configure({"keepRecent": 3, "minKeep": -1, "redactEmails": True, "windows": {"m": 5}, "style": None})

    assert client.chosen == {"keepRecent": 3, "redactEmails": True, "windows": {"m": 5}}
    assert client.settings.redact_emails


@pytest.mark.parametrize("section", [None, [], "settings", 3])
def test_settings_of_no_shape_are_no_settings(section: object) -> None:
    """Whatever a client calls its settings, the defaults stand."""
    client = ClientState()

    client.configure(section)

    assert client.chosen == {}


def test_the_client_tells_its_abilities() -> None:
    """Abilities of `initialize` are kept; those of no shape are none."""
    client = ClientState()

    client.greet({"capabilities": {"searchOlder": {"name": "findPast"}}})
    assert client.capabilities
    assert client.capabilities.search_older

    client.greet({"capabilities": {"searchOlder": 5}})
    assert client.capabilities is None


def threads_of(name: str, params: object, client: ClientState) -> set[int]:
    """Run an operation on an event loop and tell the threads that its steps ran on."""
    seen: set[int] = set()
    asyncio.run(perform(name, params, Job(client, lambda *_: seen.add(threading.get_ident()))))
    return seen


def test_work_runs_off_the_loop_until_all_is_loaded(messages: Messages) -> None:
    """The first count loads modules and vocabulary in a thread; a small one later stays where it is."""
    client, chat = ClientState(), {"messages": messages[:3]}

    first, second = (threads_of("countTokens", {"chat": chat}, client) for _ in range(2))

    assert threading.get_ident() not in first
    assert second == {threading.get_ident()}


def test_big_work_always_runs_off_the_loop(messages: Messages) -> None:
    """A big chat is counted in a thread, however often."""
    client, big = ClientState(), {"messages": messages * 5}

    for _ in range(2):
        assert threading.get_ident() not in threads_of("preview", {"chat": big}, client)


@pytest.mark.parametrize(
    ("params", "small"),
    [
        ({"chat": {"messages": [{"role": "user", "content": "hello"}]}}, True),
        ({"chat": {"messages": [{"role": "user", "content": "x" * SMALL}]}}, False),
        ({"chat": {"messages": [{}] * SMALL}}, False),
        ({"chat": {"uri": "file:///tmp/chat.jsonl"}}, False),
        ({"planId": "0123"}, False),
        (None, True),
    ],
    ids=["small", "long-text", "many-items", "file", "plan", "nothing"],
)
def test_small_params_are_told_apart(params: object, small: bool) -> None:
    """Little text is small; a file or a remembered plan may hold anything."""
    assert is_small(params) is small


class Params(Struct):
    """Params of any size."""

    chat: Any


class Item(dict[str, Any]):
    """A chat whose end can be seen."""


class Gate:
    """An operation that holds its thread until it is opened, cancelled or not."""

    def __init__(self) -> None:
        self.opened, self.lock = threading.Event(), threading.Lock()
        self.inside = self.most = self.ran = 0
        self.entered = threading.Semaphore(0)

    def run(self, asked: Params, _: Job) -> Params:
        """Enter, wait, and leave."""
        with self.lock:
            self.ran += 1
            self.inside += 1
            self.most = max(self.most, self.inside)
        self.entered.release()
        assert self.opened.wait(3 * PATIENCE)
        with self.lock:
            self.inside -= 1
        return asked


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    """A gate that stands in the table as `gate`, and is open in the end."""
    gate = Gate()
    monkeypatch.setitem(OPERATIONS, "gate", "")
    monkeypatch.setattr("compact_chat.operations.table.LOADED", {"gate": Operation(Params, Params, gate.run)})
    yield gate
    gate.opened.set()


def big() -> dict[str, Any]:
    """Params that are work."""
    return {"chat": Item(text="x" * SMALL)}


async def entered(gate: Gate, times: int) -> None:
    """Wait until so many operations are inside."""
    for _ in range(times):
        assert await asyncio.to_thread(gate.entered.acquire, timeout=PATIENCE)


def started(client: ClientState, params: dict[str, Any]) -> asyncio.Task[Any]:
    """Start the gate's operation."""
    return asyncio.create_task(perform("gate", params, Job(client)))


async def cancelled(tasks: list[asyncio.Task[Any]]) -> None:
    """Cancel tasks, which answer at once although their threads go on."""
    for task in tasks:
        task.cancel()
    done = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), PATIENCE)
    assert all(isinstance(one, asyncio.CancelledError) for one in done)


def test_a_storm_of_cancels_never_takes_a_third_thread(gate: Gate) -> None:
    """A cancelled operation is answered at once and keeps its thread until it has ended; those behind it wait."""

    async def storm() -> None:
        clients = [ClientState(), ClientState(), ClientState()]
        await cancelled([started(clients[n % 3], big()) for n in range(9)])
        tasks = [started(clients[n % 3], big()) for n in range(6)]
        await entered(gate, HEAVY)
        await cancelled(tasks[:4])
        later = [started(client, big()) for client in clients for _ in range(40)]
        await asyncio.sleep(0)
        await cancelled(later[5:])
        assert gate.inside == gate.most == HEAVY

        gate.opened.set()
        done = await asyncio.wait_for(asyncio.gather(*tasks[4:], *later[:5]), PATIENCE)
        assert len(done) == 7

    asyncio.run(storm())
    assert gate.most == HEAVY
    assert gate.ran <= 7 + HEAVY


def test_what_was_cancelled_in_the_queue_never_runs_and_is_freed(gate: Gate) -> None:
    """While both threads are busy, a request that was cancelled before its turn holds nothing of its chat."""

    async def queue() -> list[weakref.ref[Item]]:
        clients = [ClientState(), ClientState()]
        busy = [started(clients[0], big()) for _ in range(HEAVY)]
        await entered(gate, HEAVY)
        chats = [big() for _ in range(20)]
        seen = [weakref.ref(chat["chat"]) for chat in chats]
        waiting = [started(clients[n % 2], chat) for n, chat in enumerate(chats)]
        await asyncio.sleep(0)
        await cancelled(waiting)
        del chats, waiting
        await asyncio.sleep(0)  # the loop lets go of what it woke in its next turn
        assert [chat() for chat in seen] == [None] * len(seen)
        gate.opened.set()
        await asyncio.wait_for(asyncio.gather(*busy), PATIENCE)
        await asyncio.wait_for(started(clients[1], big()), PATIENCE)
        return seen

    asyncio.run(queue())
    assert gate.ran == HEAVY + 1


@pytest.mark.parametrize("cancel", [False, True], ids=["busy", "cancelled"])
def test_small_ones_do_not_wait_behind_big_ones(gate: Gate, cancel: bool) -> None:
    """With every heavy thread taken and more in the queue, the first small request and the next one are answered."""

    async def beside() -> None:
        client = ClientState()
        tasks = [started(client, big()) for _ in range(60)]
        await entered(gate, HEAVY)
        if cancel:
            await cancelled(tasks)
        for _ in range(2):
            answer = await asyncio.wait_for(perform("continuation", SMALL_ONE, Job(client)), PATIENCE)
            assert "Summary:" in str(answer)
        gate.opened.set()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(beside())


def test_a_client_takes_its_turn_among_others(gate: Gate) -> None:
    """Fifty requests of one client do not all stand before the first one of another."""

    async def two() -> int:
        greedy, other = ClientState(), ClientState()
        many = [started(greedy, big()) for _ in range(50)]
        await entered(gate, HEAVY)
        one = started(other, big())
        still: list[int] = []
        one.add_done_callback(lambda _: still.append(sum(not task.done() for task in many)))
        await asyncio.sleep(0)
        gate.opened.set()
        await asyncio.wait_for(asyncio.gather(one, *many), PATIENCE)
        return still[0]

    assert asyncio.run(two()) > 10
