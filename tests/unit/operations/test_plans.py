"""The requests of the plans that were shown are remembered, in bounded room."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from compact_chat.operations import ChatRef
from compact_chat.operations.job import MOST_PLANS, PlanRequest, Plans
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


def test_a_chat_that_cannot_be_written_is_not_remembered() -> None:
    """No request that comes over the wire is nested so deeply; the plan can be carried out with the chat."""
    deep: dict[str, Any] = {}
    for _ in range(5000):
        deep = {"a": deep}
    plans = Plans()
    plans.remember("deep", of_chat([{"role": "user", "content": "x", "odd": deep}]))

    assert plans.recall("deep") is None
    assert plans.size == 0


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
