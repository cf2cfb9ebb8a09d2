"""A cancelled operation ends at its next check, wherever it is, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import sys
import threading
import weakref
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from compact_chat.errors import Cancelled
from compact_chat.operations import ClientState, Job, draft, perform
from compact_chat.operations.archives import ArchiveEntry, entries
from tests.samples.alone import perform_alone
from tests.unit.operations.conftest import CUTS, Messages

SUMMARY = "Summary:\n1. Primary Request and Intent:\nCount the shelves."
HUGE = "\n".join(f"Shelf {n} holds {n * 7} trays; keep it below {n + 9}." for n in range(6000))


class Counted(Job):
    """Counts its checks, and is cancelled at the n-th."""

    def __init__(self, client: ClientState, last: int | None = None) -> None:
        super().__init__(client)
        self.checks, self.last = 0, last

    def check(self) -> None:
        """Count, and stop here or not."""
        self.checks += 1
        if self.checks == self.last:
            self.cancel()
        super().check()


def asked(name: str, messages: Sequence[dict[str, Any]], strategy: str = "summary") -> dict[str, Any]:
    """Params of an operation on these messages."""
    match name:
        case "continuation":
            return {"summary": SUMMARY, "messages": messages}
        case "format":
            text = "\n".join(str(message["content"]) for message in messages)
            return {"text": f"<summary>{text}</summary>"}
    params = {"chat": {"messages": messages}, "options": {"strategy": strategy, "minKeep": 4, **CUTS}}
    return params | ({"include": ["messages", "prompt", "raw"]} if name == "summarize" else {})


CASES = [
    *((name, "summary") for name in ("countTokens", "transcript", "continuation", "prompt", "format", "draft")),
    *((name, strategy) for name in ("preview", "summarize") for strategy in ("auto", "summary", "keep", "prune")),
]


@pytest.mark.usefixtures("state")
@pytest.mark.parametrize(("name", "strategy"), CASES)
def test_each_check_can_be_the_last(messages: Messages, name: str, strategy: str) -> None:
    """Cancelled at any check, an operation returns no result, and its client's state is unchanged."""
    params, whole = asked(name, messages[:13], strategy), Counted(ClientState())
    before = len(perform_alone("history", {}, Job(ClientState()))["compactions"])
    perform_alone(name, params, whole)

    for last in {*range(1, whole.checks, 1 + whole.checks // 80), whole.checks}:
        client = ClientState()
        with pytest.raises(Cancelled):
            perform_alone(name, params, Counted(client, last))
        assert client.plans.size == 0
    if name == "draft":  # the whole one alone is kept
        assert len(perform_alone("history", {}, Job(ClientState()))["compactions"]) == before + 1


@pytest.mark.usefixtures("state")
def test_a_draft_that_is_cancelled_while_others_are_looked_through_is_not_kept(
    messages: Messages, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once it is kept, it is answered."""
    looks, may_go_on = threading.Event(), threading.Event()

    def slow(client: ClientState) -> Iterator[ArchiveEntry]:
        looks.set()
        may_go_on.wait(60)
        return entries(client)

    async def story() -> None:
        task = asyncio.ensure_future(perform("draft", asked("draft", messages), Job(ClientState())))
        await asyncio.to_thread(looks.wait, 60)
        task.cancel()
        may_go_on.set()
        await asyncio.wait([task])
        assert task.cancelled()

    monkeypatch.setattr(draft, "entries", slow)
    asyncio.run(story())
    assert not perform_alone("history", {}, Job(ClientState()))["compactions"]


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_each_room_checks_on_its_way_through_a_huge_message(role: str) -> None:
    """A message of a third of a megabyte is counted and masked in slices, and read sentence by sentence."""
    rest = [{"role": ("user", "assistant")[n % 2], "content": f"Shelf {n}."} for n in range(8)]
    rooms: Counter[str] = Counter()

    class Seen(Job):
        def check(self) -> None:
            rooms[sys._getframe(2).f_globals["__name__"].split(".")[1]] += 1

    perform_alone("summarize", asked("summarize", [{"role": role, "content": HUGE}, *rest]), Seen(ClientState()))

    assert rooms["measure"] > len(HUGE) // 5_000  # a chunk has 16 KB, and is met twice
    assert rooms["redact"] > 3 * len(HUGE) // 70_000
    assert rooms["facts" if role == "user" else "offline"] >= HUGE.count("\n")


class Item(dict[str, Any]):
    """A message whose release can be observed."""


@pytest.mark.parametrize("name", ["countTokens", "preview", "prompt", "summarize", "continuation"])
@pytest.mark.parametrize("last", [None, 300])
def test_nothing_of_a_chat_is_kept_once_it_is_answered(messages: Messages, name: str, last: int | None) -> None:
    """Except for stored plans, a chat is freed with its answer, however it ends, without garbage collection."""
    items = [Item(message) for message in messages]
    seen = [weakref.ref(item) for item in items]
    client = ClientState()

    async def ask(params: dict[str, Any]) -> None:
        with contextlib.suppress(Cancelled):
            await perform(name, params, Counted(client, last))

    gc.disable()
    try:
        asyncio.run(ask(asked(name, items)))
        del items
        client.plans = type(client.plans)()
        assert [item() for item in seen] == [None] * len(seen)
    finally:
        gc.enable()
