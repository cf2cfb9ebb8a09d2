"""The requests of the plans that were shown are remembered, in bounded room."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.operations import ChatRef
from compact_chat.operations.job import MOST_PLANS, ROOM_PLANS, PlanRequest, Plans
from compact_chat.resume import as_anthropic
from compact_chat.wire import ContinuationOptions, Options, PruneOptions, Scope
from tests.samples.chats import anything

SMALL_ROOM = 20_000
FILE = PlanRequest(ChatRef(uri="file:///chat"), Options())
Messages = list[dict[str, Any]]


def of_chat(messages: Messages, **options: Any) -> PlanRequest:
    """A plan's request with these messages."""
    return PlanRequest(ChatRef(messages=messages), Options(**options))


def of_text(text: str) -> PlanRequest:
    """A plan's request with a chat of one message."""
    return of_chat([{"role": "user", "content": text}])


def test_the_last_hundred_plans_are_remembered() -> None:
    """The oldest plan is forgotten first."""
    plans = Plans()
    for number in range(MOST_PLANS + 1):
        plans.remember(str(number), FILE)

    assert plans.recall("0") is None
    assert plans.recall("1") == FILE


def test_a_plan_shown_again_is_not_forgotten_yet() -> None:
    """Previewing a chat once more makes its plan the newest."""
    plans = Plans()
    for number in [*range(MOST_PLANS), 0, MOST_PLANS]:
        plans.remember(str(number), FILE)

    assert plans.recall("0") == FILE
    assert plans.recall("1") is None


@given(st.lists(st.tuples(st.sampled_from("abcdef"), anything().map(as_anthropic), st.integers(0, 3)), max_size=12))
def test_what_is_recalled_is_what_was_remembered(shown: list[tuple[str, Messages, int]]) -> None:
    """The plans that are left are the newest ones, each whole, within the room and counted."""
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


def test_all_options_are_remembered() -> None:
    """Also those that hold others."""
    options = Options(
        scope=Scope("from", "m3"),
        prune=PruneOptions(max_chars=5),
        pin=("m1",),
        keep_keywords=("shelf",),
        budget=0,
        continuation=ContinuationOptions(kind="manual", silent=True),
    )
    plans, asked = Plans(), PlanRequest(ChatRef(text="Count.", format="text", tool="cline"), options)
    plans.remember("one", asked)

    assert plans.recall("one") == asked


@pytest.mark.parametrize("value", [1, 1.0, True, "1", None, {}, [], 2**70, "\ud800", "\ud83d\ude00", "\0"])
def test_any_value_of_a_message_is_remembered(value: Any) -> None:
    """Numbers of any size, halves of surrogate pairs, and what Python takes for equal."""
    plans = Plans()
    plans.remember("one", of_chat([{"role": "user", "content": "a", "n": value}]))

    known = plans.recall("one")

    assert known
    assert repr(known.ref.messages) == repr([{"role": "user", "content": "a", "n": value}])


def test_a_chat_that_cannot_be_written_is_not_remembered() -> None:
    """No request that comes over the wire is nested so deeply; the plan can be carried out with the chat."""
    deep: dict[str, Any] = {}
    for _ in range(5000):
        deep = {"a": deep}
    plans = Plans()
    plans.remember("deep", of_chat([{"role": "user", "content": "x", "odd": deep}]))

    assert plans.recall("deep") is None
    assert plans.size == 0


def test_old_plans_make_room() -> None:
    """Chats beyond the bound let the oldest plans go; plans of files cost next to nothing."""
    plans = Plans()
    plans.remember("file", FILE)
    for number in range(9):
        plans.remember(str(number), of_text(f"{number}" * (ROOM_PLANS // 5)))
        assert plans.size <= ROOM_PLANS

    assert [number for number in range(9) if plans.recall(str(number))] == [5, 6, 7, 8]
    assert plans.recall("file") is None
    for number in range(MOST_PLANS):
        plans.remember(f"file {number}", FILE)
    assert plans.size < 200_000


def test_the_newest_plan_is_always_remembered() -> None:
    """A chat larger than all the room can still be carried out, alone; it goes with the next one."""
    plans = Plans(SMALL_ROOM)
    plans.remember("small", of_text("a"))
    plans.remember("large", of_text("b" * 2 * SMALL_ROOM))

    assert plans.recall("small") is None
    assert plans.recall("large") == of_text("b" * 2 * SMALL_ROOM)
    plans.remember("next", of_text("c"))
    assert plans.recall("large") is None
    assert plans.size < SMALL_ROOM


def test_plans_are_remembered_from_many_threads() -> None:
    """Operations make their plans in worker threads, at the same time; nothing is lost or counted twice."""
    plans = Plans()

    def remember(start: int) -> None:
        for number in range(start, start + 500):
            plans.remember(str(number), of_text(f"text {number % 7}"))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(remember, range(0, 2000, 500)))

    left = [number for number in range(2000) if plans.recall(str(number))]
    assert len(left) == MOST_PLANS
    fresh = Plans()
    for number in left:
        fresh.remember(str(number), of_text(f"text {number % 7}"))
    assert fresh.size == plans.size
