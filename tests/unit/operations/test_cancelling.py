"""A cancelled operation ends at its next check, wherever it is, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import sys
import time
import weakref
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
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


class Stretches(Job):
    """Work that counts the calls of functions between two checks, which no other load changes."""

    def __init__(self, client: ClientState) -> None:
        super().__init__(client)
        self.checks = self.calls = self.since = self.longest = 0

    def count(self, _: FrameType, event: str, __: object) -> None:
        """Count a call."""
        if event in ("call", "c_call"):
            self.calls += 1

    def check(self) -> None:
        """End a stretch."""
        self.longest, self.since = max(self.longest, self.calls - self.since), self.calls
        self.checks += 1


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


def longest_share(name: str, params: dict[str, Any]) -> float:
    """The longest stretch between two checks, as a share of the whole."""
    perform_alone(name, params, Job(ClientState()))  # so that what is loaded and compiled once is there
    client = ClientState()
    job = Stretches(client)
    client.counter("o200k_base").count("all is loaded")
    sys.setprofile(job.count)
    try:
        perform_alone(name, params, job)
    finally:
        sys.setprofile(None)
    job.check()
    return job.longest / job.calls


@pytest.mark.parametrize(("name", "strategy"), CASES)
def test_no_phase_is_without_checks(messages: Messages, name: str, strategy: str) -> None:
    """No stretch between two checks is more than a part of the whole: of a second's work, a fraction of a second."""
    assert longest_share(name, asked(name, messages * 12, strategy)) < 0.3


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
    assert rooms["facts.user" if role == "user" else "offline.gather"] >= lines


def test_a_huge_reply_is_masked_in_slices() -> None:
    """A reply may be cancelled while it is looked through for secrets, which takes longest."""
    job = Counted(ClientState())

    perform_alone("format", {"text": f"<summary>{HUGE}</summary>"}, job)

    assert job.checks > len(HUGE) / 50_000


def told(text: str) -> Messages:
    """A user who says this four times."""
    return [{"role": ("user", "assistant")[n % 2], "content": text} for n in range(8)]


def run_in_shell(command: str) -> Messages:
    """An assistant that runs this two hundred times, in vain."""
    calls = [{"type": "tool_use", "id": f"c{n}", "name": "Bash", "input": {"command": command}} for n in range(200)]
    results = [{"type": "tool_result", "tool_use_id": f"c{n}", "content": "no", "is_error": True} for n in range(200)]
    return [{"role": "assistant", "content": calls}, {"role": "user", "content": results}, *told("go on")]


@pytest.mark.parametrize(
    "chat", [told(f"use {'a' * 60} {'ü ' * 100}ü"), run_in_shell(f"a{' ' * 1990}b")], ids=["order", "command"]
)
def test_no_pattern_goes_astray_between_two_checks(chat: Messages) -> None:
    """An order that never ends, or a command of blanks, is read once and not in every way there is."""
    began = time.process_time()

    perform_alone("preview", asked("preview", chat), Job(ClientState()))

    assert time.process_time() - began < 3


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
