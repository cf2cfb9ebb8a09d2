"""The plans that were shown are remembered, each message once, in bounded room."""

from __future__ import annotations

import gc
import json
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.operations import ChatRef
from compact_chat.operations.desk import MOST_PLANS, ROOM_PLANS, Plans, RememberedPlans
from compact_chat.resume import as_anthropic
from compact_chat.wire import Options
from tests.fakes.chats import anything

SMALL_ROOM = 20_000
FILE = RememberedPlans(ChatRef(uri="file:///chat"), Options())
Messages = list[dict[str, Any]]


def of_chat(messages: Messages, **options: Any) -> RememberedPlans:
    """What a plan of these messages is made of."""
    return RememberedPlans(ChatRef(messages=messages), Options(**options))


def of_texts(*texts: str) -> RememberedPlans:
    """What a plan of a chat of these texts is made of, read anew, so that nothing is shared yet."""
    messages = [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(texts)]
    return of_chat(json.loads(json.dumps(messages)))


def recalled(plans: Plans, plan_id: str) -> Messages:
    """The messages of a remembered chat."""
    known = plans.recall(plan_id)
    assert known
    assert known.ref.messages is not None
    return known.ref.messages


def test_the_last_hundred_plans_are_remembered() -> None:
    """The oldest plan is forgotten first."""
    plans = Plans()
    for number in range(MOST_PLANS + 1):
        plans.remember(str(number), FILE)

    assert plans.recall("0") is None
    assert plans.recall("1") == FILE


def test_a_plan_shown_again_is_young_again() -> None:
    """Previewing a chat once more keeps its plan from being forgotten."""
    plans = Plans()
    for number in [*range(MOST_PLANS), 0, MOST_PLANS]:
        plans.remember(str(number), FILE)

    assert plans.recall("0") == FILE
    assert plans.recall("1") is None


@given(st.lists(st.tuples(st.sampled_from("abcdef"), anything().map(as_anthropic), st.integers(0, 3)), max_size=12))
def test_what_is_recalled_is_what_was_remembered(shown: list[tuple[str, Messages, int]]) -> None:
    """Whatever chats share, the plans that are left are the newest ones, each whole, within the room and counted."""
    plans = Plans(SMALL_ROOM)
    known: dict[str, RememberedPlans] = {}
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


def test_versions_of_a_chat_share_their_messages() -> None:
    """A chat that grows, or is previewed with other options, is kept once, however often it was sent."""
    plans, texts = Plans(), [f"{n}: " + "rye bread " * 200 for n in range(120)]
    for length in range(20, 120):
        plans.remember(str(length), of_texts(*texts[:length]))

    assert all(plans.recall(str(length)) for length in range(20, 120))
    assert plans.size < 3 * len("".join(texts))
    first, second = recalled(plans, "50"), recalled(plans, "119")
    assert all(old is new for old, new in zip(first, second, strict=False))


def test_a_message_in_the_middle_may_change() -> None:
    """What stands behind a message that was edited is still shared."""
    plans = Plans()
    plans.remember("one", of_texts("a", "b", "c"))
    plans.remember("two", of_texts("a", "x", "c"))

    one, two = recalled(plans, "one"), recalled(plans, "two")

    assert [old is new for old, new in zip(one, two, strict=True)] == [True, False, True]


@pytest.mark.parametrize("values", [[1, 1.0, True, "1"], [None, {}, []]], ids=["numbers", "nothing"])
def test_only_what_is_the_same_is_shared(values: list[Any]) -> None:
    """Python takes 1 for True; a chat never gets back what was another's."""
    plans, messages = Plans(), [{"role": "user", "content": "a", "n": value} for value in values]
    for number, message in enumerate(messages):
        plans.remember(str(number), of_chat([message]))

    assert [repr(recalled(plans, str(n))[0]) for n in range(len(messages))] == list(map(repr, messages))


def test_a_text_is_remembered_whole() -> None:
    """A chat that came as text is kept as it came, and counted."""
    plans = Plans()
    plans.remember("text", RememberedPlans(ChatRef(text="rye bread " * 1000), Options()))

    known = plans.recall("text")

    assert known
    assert known.ref.text == "rye bread " * 1000
    assert plans.size > 10_000


def test_old_plans_make_room() -> None:
    """Chats beyond the bound let the oldest plans go; plans of files cost next to nothing."""
    plans = Plans()
    plans.remember("file", FILE)
    for number in range(9):
        plans.remember(str(number), of_texts(f"{number}" * (ROOM_PLANS // 5)))
        assert plans.size <= ROOM_PLANS

    assert [number for number in range(9) if plans.recall(str(number))] == [5, 6, 7, 8]
    assert plans.recall("file") is None
    for number in range(MOST_PLANS):
        plans.remember(f"file {number}", FILE)
    assert plans.size < 100_000


def test_the_newest_plan_is_always_remembered() -> None:
    """A chat larger than all the room can still be carried out, alone; it goes with the next one."""
    plans = Plans(SMALL_ROOM)
    plans.remember("small", of_texts("a"))
    plans.remember("large", of_texts("b" * 2 * SMALL_ROOM))

    assert plans.recall("small") is None
    assert recalled(plans, "large")[0]["content"] == "b" * 2 * SMALL_ROOM
    plans.remember("next", of_texts("c"))
    assert plans.recall("large") is None
    assert plans.size < SMALL_ROOM


@pytest.mark.parametrize(
    "make",
    [
        lambda n: {"role": "user", "content": f"{n}"},
        lambda n: {"role": "user", "content": f"{n} хлеб " * 50},
        lambda n: {
            "role": "user",
            "content": [{"type": "text", "text": f"{n}"}, {"type": "odd", "more": [[], {}] * 40}],
        },
    ],
    ids=["tiny", "cyrillic", "nested"],
)
def test_the_size_is_that_of_the_memory(make: Callable[[int], dict[str, Any]]) -> None:
    """What is taken for the size of a chat is what the process holds for it, whatever the chat is made of."""
    body = json.dumps({"messages": [make(number) for number in range(2000)]})
    plans = Plans()
    gc.collect()
    tracemalloc.start()
    plans.remember("one", of_chat(json.loads(body)["messages"]))
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert 0.7 * held < plans.size < 1.5 * held


def test_hostile_chats_are_remembered_too() -> None:
    """Half a surrogate pair and a nesting that no JSON writer takes are kept, if not shared."""
    deep: dict[str, Any] = {}
    for _ in range(5000):
        deep = {"a": deep}
    messages: Messages = [{"role": "user", "content": "\ud800"}, {"role": "user", "content": "x", "odd": deep}]
    plans = Plans()
    for name in ("one", "two"):
        plans.remember(name, of_chat(messages))

    assert all(new is old for new, old in zip(recalled(plans, "two"), messages, strict=True))


def test_plans_are_remembered_from_many_threads() -> None:
    """Operations make their plans in worker threads, at the same time; nothing is lost or counted twice."""
    plans, texts = Plans(), [f"text {n % 7}" for n in range(2000)]

    def remember(start: int) -> None:
        for number in range(start, start + 500):
            plans.remember(str(number), of_texts(texts[number]))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(remember, range(0, 2000, 500)))

    left = [number for number in range(2000) if plans.recall(str(number))]
    assert len(left) == MOST_PLANS
    fresh = Plans()
    for number in left:
        fresh.remember(str(number), of_texts(texts[number]))
    assert fresh.size == plans.size
