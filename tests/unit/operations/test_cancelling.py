"""A cancelled operation ends at its next check, wherever it is, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import sys
import weakref
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from compact_chat.errors import Cancelled
from compact_chat.operations import ClientState, Job, perform
from tests.samples.alone import perform_alone

Messages = list[dict[str, Any]]
SUMMARY = "Summary:\n1. Primary Request and Intent:\nCount the shelves."
HUGE = "\n".join(f"Shelf {n} holds {n * 7} trays; keep it below {n + 9}." for n in range(6000))
STRATEGIES = ("auto", "summary", "keep", "prune")


class Counted(Job):
    """Work that counts its checks, and is cancelled at the one of a number."""

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
    cuts = {"keepRecent": 4, "keepToolResults": False, "prune": {"maxChars": 300, "head": 50, "tail": 50}}
    params = {"chat": {"messages": messages}, "options": {"strategy": strategy, "minKeep": 4, **cuts}}
    return params | ({"include": ["messages", "prompt", "raw"]} if name == "summarize" else {})


CASES = [
    ("countTokens", "summary"),
    ("transcript", "summary"),
    ("continuation", "summary"),
    ("prompt", "summary"),
    *((name, strategy) for name in ("preview", "summarize") for strategy in STRATEGIES),
]


@pytest.mark.parametrize(("name", "strategy"), [*CASES, ("format", "summary")])
def test_each_check_can_be_the_last(messages: Messages, name: str, strategy: str) -> None:
    """Cancelled at any check an operation gives no result, and its client is as it was."""
    params, whole = asked(name, messages[:13], strategy), Counted(ClientState())
    perform_alone(name, params, whole)

    for last in {*range(1, whole.checks, 1 + whole.checks // 80), whole.checks}:
        client = ClientState()
        with pytest.raises(Cancelled):
            perform_alone(name, params, Counted(client, last))
        assert client.plans.size == 0


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_each_room_checks_on_its_way_through_a_huge_message(role: str) -> None:
    """A message of a third of a megabyte is counted and masked in slices, and read sentence by sentence."""
    rest = [{"role": ("user", "assistant")[n % 2], "content": f"Shelf {n}."} for n in range(8)]
    rooms: Counter[str] = Counter()

    class Seen(Job):
        def check(self) -> None:
            rooms[sys._getframe(2).f_globals["__name__"].removeprefix("compact_chat.")] += 1

    perform_alone("summarize", asked("summarize", [{"role": role, "content": HUGE}, *rest]), Seen(ClientState()))

    slices, lines = len(HUGE) // 70_000, HUGE.count("\n")
    assert rooms["measure.tokens"] > slices
    assert rooms["redact.finders"] > 3 * slices
    assert sum(n for name, n in rooms.items() if name.startswith("facts." if role == "user" else "offline.")) >= lines


def test_a_cancelled_preview_leaves_no_plan(messages: Messages) -> None:
    """Only what was shown is remembered, whole: a cancelled preview changes no plan, and a later one works."""
    client, params = ClientState(), asked("preview", messages)
    again = Counted(client)
    shown = perform_alone("preview", params, Job(client))
    perform_alone("preview", params, again)
    size = client.plans.size
    with pytest.raises(Cancelled):
        perform_alone("preview", params, Counted(client, again.checks))

    assert client.plans.size == size
    assert perform_alone("summarize", {"planId": shown["planId"]}, Job(client))["planId"] == shown["planId"]


class Item(dict[str, Any]):
    """A message whose end can be seen."""


@pytest.mark.parametrize("name", ["countTokens", "preview", "prompt", "summarize", "continuation"])
@pytest.mark.parametrize("last", [None, 20, 300, 600])
def test_nothing_of_a_chat_is_kept_once_it_is_answered(messages: Messages, name: str, last: int | None) -> None:
    """But for remembered plans a chat is freed with its answer, by whatever end, without the help of the collector."""
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


def test_a_file_is_previewed_for_next_to_nothing(messages: Messages, tmp_path: Path) -> None:
    """The plan of a file remembers where it is, and nothing of what it holds."""
    client, file = ClientState(), tmp_path / "chat.json"
    file.write_text(json.dumps({"messages": messages * 9}), "utf-8")

    perform_alone("preview", {"chat": {"uri": file.as_uri()}}, Job(client))

    assert 0 < client.plans.size < 5000
