"""What takes long is done aside, one thing at a time, and nothing of it is left behind."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from compact_chat.operations.desk import Aside, TakesLong, Turns
from tests.fakes.processes import within

PATIENCE = 20.0


class Slow:
    """Takes long until a test lets it end."""

    def __init__(self) -> None:
        self.may_end = threading.Event()
        self.quick = self.slow = 0
        self.result: Callable[[], str | None] = lambda: "done"

    def __call__(self, at_once: bool) -> str | None:
        """Refuse to be quick, and wait else."""
        if at_once:
            self.quick += 1
            raise TakesLong
        self.slow += 1
        assert self.may_end.wait(PATIENCE)
        return self.result()


@pytest.fixture
def slow() -> Iterator[Slow]:
    """One that ends with its test at last."""
    one = Slow()
    yield one
    one.may_end.set()
    within(PATIENCE, lambda: not asides())


def asides() -> list[threading.Thread]:
    """The threads of what is done aside."""
    return [thread for thread in threading.enumerate() if thread.name == "watch-aside"]


def given(turns: Turns[str]) -> str:
    """Take turns until there is something."""
    found: list[str] = []

    def is_there() -> bool:
        found.extend(filter(None, [turns.take(1)]))
        return bool(found)

    within(PATIENCE, is_there)
    return found[0]


def test_what_is_quick_is_done_at_once() -> None:
    """It is done on the thread of who asks, and needs no other."""
    turns = Turns(lambda at_once: f"{at_once} {threading.current_thread() is threading.main_thread()}", Aside())
    assert turns.take(1) == "True True"
    assert (turns.had, asides()) == (0, [])


def test_what_takes_long_is_given_when_it_is_done(slow: Slow) -> None:
    """Until then there is nothing to give, and it is not begun twice; its thread ends with it."""
    turns = Turns(slow, Aside())
    assert [turns.take(number) for number in (3, 4, 5)] == [None] * 3
    assert (slow.quick, turns.had) == (1, 3)
    slow.may_end.set()
    assert given(turns) == "done"
    assert slow.slow == 1
    within(PATIENCE, lambda: not asides())


def test_one_thing_is_done_at_a_time(slow: Slow) -> None:
    """Another that takes long waits for its turn; what is quick does not."""
    aside, other = Aside(), Slow()
    other.may_end.set()
    first, second, quick = Turns(slow, aside), Turns(other, aside), Turns(lambda _: "quick", aside)
    assert [first.take(1), second.take(1), quick.take(1)] == [None, None, "quick"]
    assert (other.slow, second.had) == (0, 0)
    slow.may_end.set()
    assert given(second) == "done"


def test_a_failure_is_raised_to_who_asks(slow: Slow) -> None:
    """It ends that turn alone."""

    def fail() -> str | None:
        raise ValueError("no")

    slow.result = fail
    slow.may_end.set()
    turns = Turns(slow, Aside())
    with pytest.raises(ValueError, match="no"):
        given(turns)
    slow.result = lambda: "done"
    assert given(turns) == "done"
