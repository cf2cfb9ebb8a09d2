"""An operation reports progress, runs off the event loop, and can be cancelled; plans are stored."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from compact_chat.errors import Cancelled
from compact_chat.operations import ChatRef, ClientState, Job, perform
from compact_chat.operations.job import HEAVY, MOST_PLANS, PlanRequest, Plans
from compact_chat.operations.table import OPERATIONS, SMALL, Operation, is_small
from compact_chat.resume import as_anthropic
from compact_chat.wire import Options, PruneOptions, Scope
from tests.samples.chats import anything
from tests.unit.operations.conftest import Messages

PATIENCE = 20  # seconds until a test that would wait forever fails
SMALL_ONE = {"summary": "Summary:\nok"}


def test_each_item_is_reported_with_its_share() -> None:
    """A later phase continues from the share at which the first ended; after a cancellation no item follows."""
    reports: list[tuple[str, int | None]] = []
    job = Job(ClientState(), lambda message, percentage: reports.append((message, percentage)))

    assert list(job.each("abcd", "Counting")) == ["a", "b", "c", "d"]
    items = job.each("abc", "Masking")
    assert [next(items), next(items)] == ["a", "b"]
    job.cancel()
    with pytest.raises(Cancelled):
        next(items)
    assert reports[:4] == [("Counting", 0), ("Counting", 12), ("Counting", 25), ("Counting", 37)]
    assert reports[4:] == [("Masking", 50), ("Masking", 58)]


def test_what_fits_is_taken_from_a_client() -> None:
    """Settings and capabilities of a wrong type are ignored, the others apply."""
    client = ClientState()

    sections: tuple[Any, ...] = (None, [], "settings")
    for section in sections:
        client.configure(section)
        assert client.chosen == {}
    client.configure({"keepRecent": 3, "minKeep": -1, "redactEmails": True, "windows": {"m": 5}, "style": None})
    assert client.chosen == {"keepRecent": 3, "redactEmails": True, "windows": {"m": 5}}
    assert client.settings.redact_emails
    client.greet({"capabilities": {"searchOlder": {"name": "findPast"}}})
    assert client.capabilities
    assert client.capabilities.search_older
    client.greet({"capabilities": {"searchOlder": 5}})
    assert client.capabilities is None


def threads_of(name: str, params: object, client: ClientState) -> set[int]:
    """Run an operation on an event loop and return the threads that its steps ran on."""
    seen: set[int] = set()
    asyncio.run(perform(name, params, Job(client, lambda *_: seen.add(threading.get_ident()))))
    return seen


def test_work_runs_off_the_loop_unless_it_is_small(messages: Messages) -> None:
    """The first count loads modules and vocabulary in a thread; a small one stays on the loop then, a big one never."""
    client, chat, big = ClientState(), {"messages": messages[:3]}, {"messages": messages * 5}

    first, second = (threads_of("countTokens", {"chat": chat}, client) for _ in range(2))

    assert threading.get_ident() not in first
    assert second == {threading.get_ident()}
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
    """Little text is small; a file or a stored plan may hold anything."""
    assert is_small(params) is small


class Params(Struct):
    """Params of any size."""

    chat: Any


class Item(dict[str, Any]):
    """A chat whose release can be observed."""


class Gate:
    """An operation that holds its thread until it is released, cancelled or not."""

    def __init__(self) -> None:
        self.permits, self.lock = threading.Semaphore(0), threading.Lock()
        self.inside = self.most = 0
        self.clients: list[ClientState] = []  # in the order of their turns
        self.entered = threading.Semaphore(0)

    def open(self) -> None:
        """Release all."""
        self.permits.release(1000)

    def run(self, asked: Params, job: Job) -> Params:
        """Enter, wait, and leave."""
        with self.lock:
            self.clients.append(job.client)
            self.inside += 1
            self.most = max(self.most, self.inside)
        self.entered.release()
        assert self.permits.acquire(timeout=3 * PATIENCE)
        with self.lock:
            self.inside -= 1
        return asked


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    """A gate registered in the table as `gate`, and released at the end."""
    gate = Gate()
    monkeypatch.setitem(OPERATIONS, "gate", "")
    monkeypatch.setattr("compact_chat.operations.table.LOADED", {"gate": Operation(Params, Params, gate.run)})
    yield gate
    gate.open()


def big() -> dict[str, Any]:
    """Params of a big operation."""
    return {"chat": Item(text="x" * SMALL)}


async def entered(gate: Gate, times: int) -> None:
    """Wait until so many operations have entered."""
    for _ in range(times):
        assert await asyncio.to_thread(gate.entered.acquire, timeout=PATIENCE)


def started(client: ClientState, params: dict[str, Any]) -> asyncio.Task[Any]:
    """Start the gate's operation."""
    return asyncio.create_task(perform("gate", params, Job(client)))


async def cancelled(tasks: list[asyncio.Task[Any]]) -> None:
    """Cancel tasks, which answer at once although their threads continue."""
    for task in tasks:
        task.cancel()
    done = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), PATIENCE)
    assert all(isinstance(one, asyncio.CancelledError) for one in done)


def test_a_storm_of_cancels_never_takes_a_third_thread(gate: Gate) -> None:
    """A cancelled operation is answered at once and keeps its thread until it ends; queued ones wait."""

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

        gate.open()
        done = await asyncio.wait_for(asyncio.gather(*tasks[4:], *later[:5]), PATIENCE)
        assert len(done) == 7

    asyncio.run(storm())
    assert gate.most == HEAVY
    assert len(gate.clients) <= 7 + HEAVY


def test_what_was_cancelled_in_the_queue_never_runs_and_is_freed(gate: Gate) -> None:
    """While both threads are busy, a request that was cancelled in the queue holds nothing of its chat."""

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
        await asyncio.sleep(0)  # the loop releases tasks in its next turn
        assert [chat() for chat in seen] == [None] * len(seen)
        gate.open()
        await asyncio.wait_for(asyncio.gather(*busy), PATIENCE)
        await asyncio.wait_for(started(clients[1], big()), PATIENCE)
        return seen

    asyncio.run(queue())
    assert len(gate.clients) == HEAVY + 1


@pytest.mark.parametrize("cancel", [False, True], ids=["busy", "cancelled"])
def test_small_ones_do_not_wait_behind_big_ones(gate: Gate, cancel: bool) -> None:
    """With every heavy thread busy and more in the queue, the first small request and the next are answered."""

    async def siblings() -> None:
        client = ClientState()
        tasks = [started(client, big()) for _ in range(60)]
        await entered(gate, HEAVY)
        if cancel:
            await cancelled(tasks)
        for _ in range(2):
            answer = await asyncio.wait_for(perform("continuation", SMALL_ONE, Job(client)), PATIENCE)
            assert "Summary:" in str(answer)
        gate.open()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(siblings())


def test_a_client_takes_its_turn_among_others(gate: Gate) -> None:
    """Fifty requests of one client do not all run before another client's first."""
    greedy, other = ClientState(), ClientState()

    async def two() -> None:
        many = [started(greedy, big()) for _ in range(50)]
        await entered(gate, HEAVY)
        one = started(other, big())
        await asyncio.sleep(0)
        gate.permits.release()
        await entered(gate, 1)
        gate.open()
        await asyncio.wait_for(asyncio.gather(one, *many), PATIENCE)

    asyncio.run(two())
    assert gate.clients.index(other) < 25


SMALL_ROOM = 20_000


def of_chat(messages: Messages, **options: Any) -> PlanRequest:
    """A plan request with these messages."""
    return PlanRequest(ChatRef(messages=messages), Options(**options))


def test_which_plans_are_remembered() -> None:
    """The last hundred, with all options."""
    options = Options(scope=Scope("from", "m3"), prune=PruneOptions(max_chars=5), pin=("m1",), budget=0)
    whole = PlanRequest(ChatRef(text="Count.", format="text", tool="cline"), options)
    plans = Plans()
    for number in range(MOST_PLANS + 1):
        plans.remember(str(number), whole)

    assert plans.recall("0") is None
    assert plans.recall("1") == whole


@given(st.lists(st.tuples(st.sampled_from("abcdef"), anything().map(as_anthropic), st.integers(0, 3)), max_size=12))
def test_what_is_recalled_is_what_was_remembered(shown: list[tuple[str, Messages, int]]) -> None:
    """The remaining plans are the newest ones, each complete, within the memory limit."""
    plans = Plans(SMALL_ROOM)
    known: dict[str, PlanRequest] = {}
    for plan_id, messages, keep in shown:
        known.pop(plan_id, None)
        known[plan_id] = of_chat(messages, keep_recent=keep)
        plans.remember(plan_id, known[plan_id])

    left = [plan_id for plan_id in known if plans.recall(plan_id)]
    assert left == list(known)[len(known) - len(left) :]
    assert all(repr(plans.recall(plan_id)) == repr(known[plan_id]) for plan_id in left)
    assert plans.size <= SMALL_ROOM or len(left) == 1
    fresh = Plans(SMALL_ROOM)
    for plan_id in left:
        fresh.remember(plan_id, known[plan_id])
    assert fresh.size == plans.size


def test_the_newest_plan_is_always_remembered() -> None:
    """A chat larger than the limit can still be carried out, alone; it is evicted by the next one."""
    small, large, later = (of_chat([{"role": "user", "content": text}]) for text in ("a", "b" * 2 * SMALL_ROOM, "c"))
    plans = Plans(SMALL_ROOM)
    plans.remember("small", small)
    plans.remember("large", large)

    assert plans.recall("small") is None
    assert plans.recall("large") == large
    plans.remember("next", later)
    assert plans.recall("large") is None
    assert plans.size < SMALL_ROOM
