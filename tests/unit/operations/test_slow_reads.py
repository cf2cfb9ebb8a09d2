"""Slow reads of watched chats run one at a time on a thread of their own, and leave nothing behind."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from compact_chat.chat import JsonObject
from compact_chat.operations import ClientState, Job
from compact_chat.operations.polling import SLOW_THREAD, TakesLong, Watches
from tests.servers.processes import within

PATIENCE = 20.0
DONE = {"done": True}


class Slow:
    """A chat that takes long to read until a test lets it end."""

    def __init__(self) -> None:
        self.may_end = threading.Event()
        self.quick = self.slow = 0
        self.result: Callable[[], JsonObject | None] = lambda: DONE

    def look(self, job: Job, at_once: bool = False) -> JsonObject | None:  # noqa: ARG002 -- it reports nothing
        """Refuse to be quick, and wait else."""
        if at_once:
            self.quick += 1
            raise TakesLong
        self.slow += 1
        assert self.may_end.wait(PATIENCE)
        return self.result()


class Quick:
    """A chat that is read at once."""

    def look(self, job: Job, at_once: bool = False) -> JsonObject | None:  # noqa: ARG002 -- it reports nothing
        """Say where it was read."""
        return {"at_once": at_once, "here": threading.current_thread() is threading.main_thread()}


@pytest.fixture
def slow() -> Iterator[Slow]:
    """One that ends with its test at last."""
    one = Slow()
    yield one
    one.may_end.set()
    within(PATIENCE, lambda: not slow_threads())


@pytest.fixture
def watches() -> Watches:
    """The watches of one client."""
    return Watches()


def slow_threads() -> list[threading.Thread]:
    """The threads of slow reads."""
    return [thread for thread in threading.enumerate() if thread.name == SLOW_THREAD]


def begun(watches: Watches, chat: Slow | Quick) -> Callable[[], JsonObject | None]:
    """Watch a chat, and return what polls it."""
    name = watches.add(chat, Job(ClientState()))
    assert watches.begin(name)
    return dict(watches.begun())[name]


def given(look: Callable[[], JsonObject | None]) -> JsonObject:
    """Poll until there is something."""
    found: list[JsonObject] = []

    def is_there() -> bool:
        found.extend(filter(None, [look()]))
        return bool(found)

    within(PATIENCE, is_there)
    return found[0]


def test_what_is_quick_is_read_at_once(watches: Watches) -> None:
    """It is read on the thread of who asks, and needs no other."""
    assert begun(watches, Quick())() == {"at_once": True, "here": True}
    assert slow_threads() == []


def test_what_takes_long_is_given_when_it_is_read(watches: Watches, slow: Slow) -> None:
    """Until then there is nothing to give, and it is not begun twice; its thread ends with it."""
    look = begun(watches, slow)
    assert [look() for _ in range(3)] == [None] * 3
    assert slow.quick == 1
    slow.may_end.set()
    assert given(look) == DONE
    assert slow.slow == 1
    within(PATIENCE, lambda: not slow_threads())


def test_one_chat_is_read_slowly_at_a_time(watches: Watches, slow: Slow) -> None:
    """Another that takes long waits for its turn; what is quick does not."""
    other = Slow()
    other.may_end.set()
    first, second, quick = (begun(watches, chat) for chat in (slow, other, Quick()))
    assert [first(), second()] == [None, None]
    assert quick()
    assert other.slow == 0
    slow.may_end.set()
    assert given(second) == DONE


def test_a_failure_is_raised_to_who_asks(watches: Watches, slow: Slow) -> None:
    """It ends that read alone."""

    def fail() -> JsonObject | None:
        raise ValueError("no")

    slow.result = fail
    slow.may_end.set()
    look = begun(watches, slow)
    with pytest.raises(ValueError, match="no"):
        given(look)
    slow.result = lambda: DONE
    assert given(look) == DONE


def test_the_end_of_a_slow_read_is_announced(watches: Watches, slow: Slow) -> None:
    """So that the next poll need not wait."""
    ended = threading.Event()
    watches.when_ready(ended.set)
    slow.may_end.set()
    begun(watches, slow)()
    assert ended.wait(PATIENCE)
