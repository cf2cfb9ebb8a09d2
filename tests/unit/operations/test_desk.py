"""What one client's server remembers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from compact_chat.chat import Chat
from compact_chat.errors import PlanOutdated
from compact_chat.operations.desk import REMEMBERED_PLANS, Desk, Remembered
from compact_chat.operations.params import ChatRef
from compact_chat.options import Options


def remembered() -> Remembered:
    """A plan of some chat."""
    return Remembered(ChatRef(uri="file:///chat"), None, "digest", Options())


def test_settings_that_fit_are_taken_over() -> None:
    """A value of a wrong type is left out, the others count."""
    desk = Desk()

    desk.configure({"keepRecent": 3, "minKeep": -1, "redactEmails": True, "windows": {"m": 5}, "style": None})

    assert desk.chosen == {"keepRecent": 3, "redactEmails": True, "windows": {"m": 5}}
    assert desk.settings.redact_emails


@pytest.mark.parametrize("section", [None, [], "settings", 3])
def test_settings_of_no_shape_are_no_settings(section: object) -> None:
    """Whatever a client calls its settings, the defaults stand."""
    desk = Desk()

    desk.configure(section)

    assert desk.chosen == {}


def test_the_client_tells_its_abilities() -> None:
    """Abilities of `initialize` are kept; those of no shape are none."""
    desk = Desk()

    desk.greet({"capabilities": {"searchOlder": {"name": "findPast"}}})
    assert desk.capabilities
    assert desk.capabilities.search_older

    desk.greet({"capabilities": {"searchOlder": 5}})
    assert desk.capabilities is None


def test_the_last_hundred_plans_are_remembered() -> None:
    """The oldest plan is forgotten first, and says so."""
    desk = Desk()
    for number in range(REMEMBERED_PLANS + 1):
        desk.remember(str(number), remembered())

    assert desk.knows("1")
    with pytest.raises(PlanOutdated) as caught:
        desk.recall("0")
    assert caught.value.data == {"reason": "forgotten"}


def test_a_plan_shown_again_is_young_again() -> None:
    """Previewing a chat once more keeps its plan from being forgotten."""
    desk = Desk()
    for number in [*range(REMEMBERED_PLANS), 0, REMEMBERED_PLANS]:
        desk.remember(str(number), remembered())

    assert desk.knows("0")
    assert not desk.knows("1")


def test_plans_of_one_chat_share_it() -> None:
    """A chat that is previewed with other options is not kept twice."""
    desk = Desk()
    first, second = (Chat("text", "unknown", ()) for _ in range(2))
    for name, chat in (("one", first), ("two", second)):
        desk.remember(name, Remembered(None, chat, "digest", Options()))

    assert desk.recall("two").chat is first


def test_plans_are_remembered_from_many_threads() -> None:
    """Operations make their plans in worker threads, at the same time."""
    desk = Desk()

    def remember(start: int) -> None:
        for number in range(start, start + 2000):
            desk.remember(str(number), Remembered(None, Chat("text", "unknown", ()), str(number), Options()))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(remember, range(0, 8000, 2000)))

    assert sum(desk.knows(str(number)) for number in range(8000)) == REMEMBERED_PLANS
