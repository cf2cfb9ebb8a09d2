"""Operations run off the event loop where they are work, and stop when they are cancelled."""

from __future__ import annotations

import asyncio
import itertools
import threading
from typing import Any

import pytest

from compact_chat.errors import Cancelled
from compact_chat.operations import ClientState, Job, operation, perform
from compact_chat.operations.table import OPERATIONS, SMALL, is_small
from tests.samples.alone import perform_alone

Messages = list[dict[str, Any]]


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


@pytest.mark.parametrize("name", ["countTokens", "preview", "prompt", "summarize"])
def test_each_step_can_be_the_last(messages: Messages, name: str) -> None:
    """Wherever an operation is cancelled, it ends there with `cancelled`."""
    steps: list[str] = []
    perform_alone(name, {"chat": {"messages": messages}}, Job(ClientState(), lambda message, _: steps.append(message)))

    for last in range(0, len(steps), 10):
        with pytest.raises(Cancelled):
            perform_alone(name, {"chat": {"messages": messages}}, job_until(last))


def job_until(last: int) -> Job:
    """Make a job that is cancelled at the step of this number."""
    numbers = itertools.count()

    def report(_: str, __: int | None) -> None:
        if next(numbers) >= last:
            job.cancel()

    job = Job(ClientState(), report)
    return job


@pytest.mark.parametrize("name", OPERATIONS)
def test_each_operation_has_its_types(name: str) -> None:
    """The table leads from a name to params, result and function; only `unwatch` has nothing to tell."""
    story = operation(name)

    assert callable(story.run)
    assert story.params.__struct_encode_fields__
    assert bool(story.result.__struct_encode_fields__) is (name != "unwatch")


def test_progress_never_goes_back(messages: Messages) -> None:
    """Over all phases of an operation the share done only grows."""
    told: list[tuple[str, int | None]] = []
    perform_alone("preview", {"chat": {"messages": messages}}, Job(ClientState(), lambda *step: told.append(step)))

    shares = [share for _, share in told if share is not None]
    assert shares == sorted(shares)
    assert shares
