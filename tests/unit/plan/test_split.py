"""Where a chat is cut."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compact_chat.chat import Message
from compact_chat.plan import find_exchanges, front_length
from compact_chat.plan.exchanges import Split, holds_news, split_point
from tests.samples.chats import a, anything, call, conversations, res, s, talk, turns, u

SUMMARY = replace(u("[Previous conversation summary]\nold"), is_summary=True)
WRAPPED = u("[Previous conversation summary]\nold\n[End of summary]")


@pytest.mark.parametrize(
    ("messages", "min_keep", "split"),
    [
        pytest.param(turns(3), 4, Split(0, "too_short"), id="S1 too short"),
        pytest.param(turns(4), 4, Split(0, "too_short"), id="S1 exactly"),
        pytest.param(turns(3), 0, Split(3, "wanted"), id="S1 keeps nothing"),
        pytest.param((), 0, Split(0, "too_short"), id="S1 no message"),
        pytest.param(turns(9), 4, Split(5, "wanted"), id="S2 candidate"),
        pytest.param(
            [u("q"), a(call("1"), call("2")), u(res("1", "r")), u(res("2", "r")), a("x"), u("y")],
            3,
            Split(1, "stepped_back"),
            id="S3 parallel results",
        ),
        pytest.param(
            [u("q"), a(call("1")), u("b"), a("c"), u("d"), a("e"), u(res("1", "r")), a("f")],
            3,
            Split(1, "stepped_back"),
            id="S3 a late result",
        ),
        pytest.param([a(call("1")), u(res("1", "r")), a("x"), u("y")], 3, Split(2, "kept_fewer"), id="S4 forward"),
        pytest.param([a(call("1")), u("b"), u(res("1", "r"))], 1, Split(0, "no_boundary"), id="S4 no boundary"),
        pytest.param([u("q"), a("x"), u(res("gone", "r")), a("y"), u("z")], 3, Split(2, "wanted"), id="S5 orphan"),
        pytest.param([u("q"), a("x"), u("y"), a(call("1"))], 0, Split(3, "stepped_back"), id="S6 open call"),
        pytest.param(
            [u("q"), a(call("1"), call("2")), u(res("1", "r"))], 1, Split(1, "stepped_back"), id="S6 one of two"
        ),
        pytest.param([a(call("1"))], 0, Split(0, "no_boundary"), id="S6 nothing else"),
        pytest.param(
            [u("q"), a(call("1")), u("no"), a("ok"), u("y"), a("z")], 2, Split(4, "wanted"), id="S6 a call given up"
        ),
        pytest.param([s("rules"), s("more"), *turns(9)], 4, Split(7, "wanted"), id="S8 front apart"),
        pytest.param([s("rules"), s("more"), *turns(3)], 4, Split(0, "too_short"), id="S8 does not count"),
    ],
)
def test_the_split_by_rule(messages: list[Message], min_keep: int, split: Split) -> None:
    """S1 to S8: the cut stands before the kept tail, moved so that no exchange is parted."""
    assert split_point(messages, min_keep, 0, [1] * len(messages)) == split


@pytest.mark.parametrize(
    ("min_keep", "room", "index"),
    [
        pytest.param(2, 0, 8, id="no room asked for"),
        pytest.param(2, 39, 7, id="whole messages only"),
        pytest.param(2, 40, 6, id="exactly"),
        pytest.param(5, 40, 5, id="the longer tail counts"),
        pytest.param(0, 9, 10, id="not even one fits"),
        pytest.param(0, 1000, 0, id="all fits"),
    ],
)
def test_the_tail_grows_by_tokens(min_keep: int, room: int, index: int) -> None:
    """S1: the tail grows backwards by whole messages while they fit, if that makes it longer."""
    assert split_point(turns(10), min_keep, room, [10] * 10).index == index


def test_no_room_keeps_nothing() -> None:
    """S1: without a room in tokens not even messages that weigh nothing make the tail longer."""
    assert split_point(turns(5), 1, 0, [0] * 5).index == 4


@given(conversations() | anything(), st.integers(0, 5), st.integers(0, 60))
def test_every_split_is_clean(messages: tuple[Message, ...], min_keep: int, room: int) -> None:
    """S3, S6: a split parts no exchange, leaves no waiting call behind, and keeps what it was asked to where it can."""
    split = split_point(messages, min_keep, room, [9] * len(messages))
    front = front_length(messages)
    exchanges = find_exchanges(messages)
    kept = max(min_keep, min(room // 9, len(messages) - front))

    assert exchanges.clean[split.index]
    assert split.index <= exchanges.waiting
    assert split.index == 0 or split.index > front
    if split.index and split.reason != "kept_fewer":
        assert len(messages) - split.index >= kept
        assert not any(
            exchanges.clean[cut] and cut <= exchanges.waiting
            for cut in range(split.index + 1, len(messages) - kept + 1)
        )


@given(conversations())
def test_a_chat_with_a_clean_cut_and_news_is_always_split(messages: tuple[Message, ...]) -> None:
    """S4: step-back never gives up a chat that can be cut anywhere."""
    split = split_point(messages, 1, 0, [1] * len(messages))
    rest = messages[front_length(messages) :]
    exchanges = find_exchanges(rest)

    if split.reason == "no_boundary":
        assert not any(exchanges.clean[cut] for cut in range(1, len(rest)) if cut <= exchanges.waiting)


def test_news_is_what_can_be_seen() -> None:
    """S7: blank messages, thinking without words and earlier summaries are no news; a call and joined words are."""
    assert not holds_news([u(" "), a(""), SUMMARY, WRAPPED])
    assert holds_news([a(call("1"))])
    assert holds_news([replace(u("summary", "new words"), is_summary=True)])
    assert holds_news([replace(u("new words", *WRAPPED.parts), is_summary=True)])


def test_long_chats_are_split_in_linear_time() -> None:
    """G5: a step-back over tens of thousands of messages takes a moment."""
    messages = talk(u("q"), a(call("1")), *turns(40_000), u(res("1", "r")), a("done"))

    begin = time.process_time()
    assert split_point(messages, 4, 0, [1] * len(messages)).index == 1
    assert not holds_news([replace(u(*[" "] * 20_000), is_summary=True), u(*WRAPPED.parts * 20_000)])
    assert time.process_time() - begin < 3
