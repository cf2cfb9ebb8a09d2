"""Scope, pins and drops."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Message
from compact_chat.errors import InvalidParams, MessageNotFound
from compact_chat.plan import find_exchanges, find_marks
from compact_chat.plan.plan import Marks, Reason, Stretch, find_stretch
from compact_chat.wire import Options, Scope
from tests.samples.chats import a, call, conversations, res, s, talk, turns, u

EXCHANGE = talk(u("q"), a(call("1"), call("2")), u(res("1", "r")), u(res("2", "r")), a("x"), u("y"))


def stretch(messages: tuple[Message, ...], options: Options) -> Stretch:
    """The part that a summary of this chat would replace."""
    exchanges = find_exchanges(messages)
    return find_stretch(messages, options, [1] * len(messages), exchanges, find_marks(messages, options, exchanges))


@pytest.mark.parametrize(
    ("messages", "scope", "start", "end"),
    [
        pytest.param(turns(6), Scope("from", "m2"), 2, 6, id="Z1 from"),
        pytest.param(turns(6), Scope("upTo", "m3"), 0, 4, id="Z1 up to"),
        pytest.param(turns(10), Scope("all"), 0, 6, id="Z1 all before the tail"),
        pytest.param(EXCHANGE, Scope("from", "m3"), 1, 6, id="Z1 from, widened"),
        pytest.param(EXCHANGE, Scope("upTo", "m1"), 0, 4, id="Z1 up to, widened"),
        pytest.param(talk(s("rules"), *turns(3)), Scope("from", "m0"), 1, 4, id="S8 from"),
        pytest.param(talk(s("rules"), *turns(3)), Scope("upTo", "m1"), 1, 2, id="S8 up to"),
        pytest.param(talk(u("q"), a("x"), u("y"), a(call("1"))), Scope("from", "m1"), 1, 3, id="S6 from"),
        pytest.param(talk(u("q"), a("x"), u("y"), a(call("1"))), Scope("upTo", "m3"), 0, 3, id="S6 up to"),
    ],
)
def test_the_scope_names_a_stretch(messages: tuple[Message, ...], scope: Scope, start: int, end: int) -> None:
    """Z1: a scope from or up to a message covers it whatever min_keep says, and widens to clean bounds."""
    assert stretch(messages, Options(scope=scope)) == Stretch(start, end)


@pytest.mark.parametrize(
    ("messages", "scope", "place", "reason"),
    [
        pytest.param(talk(s("rules"), *turns(3)), Scope("upTo", "m0"), 1, "front", id="S8"),
        pytest.param(talk(u("q"), a("x"), u("y"), a(call("1"))), Scope("from", "m3"), 3, "waiting", id="S6 from"),
        pytest.param(talk(a(call("1")), u("y")), Scope("upTo", "m1"), 0, "waiting", id="S6 up to"),
    ],
)
def test_a_scope_that_has_to_stay_is_empty(
    messages: tuple[Message, ...], scope: Scope, place: int, reason: Reason
) -> None:
    """S6, S8: neither system messages that open the chat nor a waiting call is summarised, and why is known."""
    assert stretch(messages, Options(scope=scope)) == Stretch(place, place, reason)


def test_dropped_messages_do_not_count_for_the_tail() -> None:
    """Z3, S1: the newest messages that stay are counted without those that go."""
    assert stretch(turns(10), Options(min_keep=4, drop=("m8", "m9"))) == Stretch(0, 4)


def test_pins_and_drops_take_their_exchange_along() -> None:
    """Z3: the whole exchange of a pinned or dropped message shares its fate."""
    messages = talk(*EXCHANGE, a(call("3")), u(res("3", "r")))
    marks = find_marks(messages, Options(pin=("m2",), drop=("m6",)), find_exchanges(messages))

    assert marks == Marks(frozenset({1, 2, 3}), frozenset({6, 7}), frozenset({2, 6}))


@pytest.mark.parametrize(
    ("pin", "drop"),
    [
        pytest.param(("m0",), ("m4", "m0"), id="one id"),
        pytest.param(("m1",), ("m4", "m3"), id="two parts of one exchange"),
    ],
)
def test_no_message_is_both_pinned_and_dropped(pin: tuple[str, ...], drop: tuple[str, ...]) -> None:
    """Z3: a pin and a drop of one exchange are refused, with the place of the drop."""
    with pytest.raises(InvalidParams) as caught:
        stretch(EXCHANGE, Options(pin=pin, drop=drop))

    assert caught.value.data["problems"][0]["path"] == "$.options.drop[1]"


@pytest.mark.parametrize(
    ("options", "path"),
    [
        (Options(pin=("m0", "m9")), "$.options.pin[1]"),
        (Options(drop=("m9",)), "$.options.drop[0]"),
        (Options(scope=Scope("from", "m9")), "$.options.scope.message"),
        (Options(scope=Scope("upTo", "m9")), "$.options.scope.message"),
    ],
    ids=["pin", "drop", "from", "up to"],
)
def test_a_message_that_is_not_there_is_named(options: Options, path: str) -> None:
    """Z1: an id that no message has is an error that tells its place, and not the id, which is the caller's own."""
    with pytest.raises(MessageNotFound) as caught:
        stretch(EXCHANGE, options)

    assert caught.value.payload() == {"kind": "messageNotFound", "path": path}
    assert "m9" not in caught.value.sentence


@pytest.mark.parametrize("kind", ["from", "upTo"])
def test_a_scope_needs_its_message(kind: str) -> None:
    """G4: a scope that begins or ends at a message has to name it."""
    with pytest.raises(InvalidParams, match=r"\$\.options\.scope\.message"):
        stretch(EXCHANGE, Options(scope=Scope(kind)))  # type: ignore[arg-type]  # a parametrised literal


@given(conversations(), st.sampled_from(["all", "from", "upTo"]), st.data())
def test_every_stretch_has_clean_ends(messages: tuple[Message, ...], kind: str, data: st.DataObject) -> None:
    """Z1, S3, S6: no end parts an exchange, and no waiting call is summarised."""
    wanted = data.draw(st.sampled_from(messages))
    scope = Scope(kind, wanted.id)  # type: ignore[arg-type]  # a drawn literal
    found = stretch(messages, Options(scope=scope, min_keep=2))
    exchanges = find_exchanges(messages)

    assert found.start <= found.end
    if found.start < found.end:
        assert exchanges.clean[found.start]
        assert exchanges.clean[found.end]
        assert found.end <= exchanges.waiting
