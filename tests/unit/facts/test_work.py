"""Where the work stands."""

from __future__ import annotations

from compact_chat.facts import find_steps, requests, target, work_of
from tests.samples.chats import a, u
from tests.samples.tools import ran, used


def test_the_end_of_a_chat_is_its_newest_wish_words_and_steps() -> None:
    """The last request, what the assistant said last, and the last steps with different targets."""
    chat = (
        u("first"),
        a("on it"),
        *ran("ls"),
        *used("Edit", file_path="a"),
        *ran("make"),
        u("now b"),
        *ran("make"),
        *used("Grep", pattern="x"),
    )
    work = work_of(chat, requests(chat), find_steps(chat))

    assert work.wish is not None
    assert work.said is not None
    assert (work.wish.text, work.said.text) == ("now b", "on it")
    assert [target(step) for step in work.steps] == ["a", "make", "x"]


def test_an_empty_chat_has_no_state() -> None:
    """Nothing is made up."""
    work = work_of((), (), ())

    assert (work.wish, work.said, work.steps) == (None, None, ())
