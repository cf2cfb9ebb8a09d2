"""Tool exchanges: who answers whom, and what belongs together."""

from __future__ import annotations

import pytest
from hypothesis import given

from compact_chat.chat import Message
from compact_chat.plan import find_exchanges, open_end
from tests.samples.chats import a, anything, call, res, s, u


@pytest.mark.parametrize(
    ("messages", "groups"),
    [
        pytest.param([u("q"), a(call("1")), u(res("1", "r")), a("done")], (0, 1, 1, 3), id="one call"),
        pytest.param([a(call("1"), call("2")), u(res("2", "r")), u(res("1", "r"))], (0, 0, 0), id="spread results"),
        pytest.param([a(call("1")), u("wait"), a("ok"), u(res("1", "r"))], (0, 1, 2, 0), id="late result"),
        pytest.param(
            [a(call("1")), u(res("1", "r")), a(call("1")), u(res("1", "r"))], (0, 0, 2, 2), id="id used again"
        ),
        pytest.param(
            [a(call("1")), a(call("2"), res("1", "r")), u(res("2", "r"))], (0, 0, 0), id="linked by way of another"
        ),
        pytest.param([u(res("1", "r")), a(call("1"))], (0, 1), id="result before its call"),
    ],
)
def test_exchanges_are_found_by_call_id(messages: list[Message], groups: tuple[int, ...]) -> None:
    """K8, S3: a call and all results for its ids are one exchange, however far apart they stand."""
    assert find_exchanges(messages).group == groups


def test_the_whole_of_some_messages_is_their_exchanges() -> None:
    """K8: one message of an exchange brings in all of it, and no others."""
    exchanges = find_exchanges([u("q"), a(call("1"), call("2")), u(res("1", "r")), u(res("2", "r")), a("done")])

    assert exchanges.whole([2]) == {1, 2, 3}
    assert exchanges.whole([0, 4]) == {0, 4}
    assert exchanges.whole([]) == frozenset()


@pytest.mark.parametrize(
    ("messages", "waiting", "end"),
    [
        pytest.param([u("q"), a(call("1"))], 1, 1, id="last message"),
        pytest.param([u("q"), a(call("1"), call("2")), u(res("1", "r"))], 1, 1, id="one of two results"),
        pytest.param([u("q"), a(call("1")), a(call("2")), u(res("2", "r"))], 1, 1, id="turn of two messages"),
        pytest.param([u("q"), a(call("1")), u("hello?")], 1, 3, id="words behind it"),
        pytest.param([u("q"), a(call("1")), s("note")], 1, 3, id="a system message behind it"),
        pytest.param([u("q"), a(call("1")), s()], 1, 3, id="an empty one"),
        pytest.param([u("q"), a(call("1")), u("never mind"), a("ok")], 4, 3, id="given up"),
        pytest.param([u("q")], 1, 1, id="no assistant"),
    ],
)
def test_only_calls_of_the_last_turn_wait(messages: list[Message], waiting: int, end: int) -> None:
    """S6, V7: a call waits until a later turn begins; its end is open while only results follow."""
    assert find_exchanges(messages).waiting == waiting
    assert open_end(messages) == end


@given(anything())
def test_clean_cuts_part_no_exchange(messages: tuple[Message, ...]) -> None:
    """S3: a cut is clean exactly if no exchange has messages on both sides, or none that a link spans."""
    exchanges = find_exchanges(messages)
    links = (exchanges.links.answers | exchanges.links.repeats).items()

    for cut, clean in enumerate(exchanges.clean):
        assert clean == (not any(asked[0] < cut <= result[0] for result, asked in links))
