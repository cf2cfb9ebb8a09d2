"""The biggest things in the context."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compact_chat.chat import Message
from compact_chat.measure import Meter, Name, Owner, Piece, break_down, divided, read_meter, weigh
from compact_chat.measure.breakdown import FIXED
from compact_chat.measure.families import UNKNOWN
from compact_chat.wire import Breakdown, Thing
from tests.samples.chats import anything, chat, s, talk, turns, u

owners = st.builds(
    Owner,
    st.sampled_from(["", "Read", "Bash"]),
    st.lists(st.sampled_from(["a.py", "b.py", "c.py"]), max_size=3).map(tuple),
)


def meter_of(messages: Sequence[Message], fixed: int = 0) -> Meter:
    """The meter of these messages, a character counting as a token."""
    weights = [weigh(message, len, UNKNOWN) for message in messages]
    return read_meter(chat(messages), weights, UNKNOWN, fixed)


def named(name: Name) -> str:
    """The name as it is."""
    return name.name


def lists(found: Breakdown) -> list[tuple[Thing, ...]]:
    """All lists of a breakdown."""
    return [found.biggest, found.messages, found.tools, found.files]


@given(anything(), st.integers(0, 500), st.integers(1, 9), st.data())
def test_each_list_sums_to_what_is_used(
    messages: tuple[Message, ...], fixed: int, most: int, data: st.DataObject
) -> None:
    """Whatever belongs to what, every list holds every token once, its biggest things first and what is left last."""
    meter = meter_of(messages, fixed)
    pieces: list[Piece] = []
    for index, tokens in enumerate(meter.tokens):
        whose = data.draw(st.lists(owners, max_size=3))
        pieces += divided(
            index, tokens, data.draw(st.lists(st.floats(0, 99), min_size=len(whose), max_size=len(whose))), whose
        )

    for things in lists(break_down(messages, meter, pieces, most, named)):
        sizes = [thing.tokens for thing in things if thing.kind != "rest"]
        assert sum(thing.tokens for thing in things) == meter.used
        assert len(sizes) <= most
        assert sizes == sorted(sizes, reverse=True)
        assert [thing.kind for thing in things[len(sizes) :]] in ([], ["rest"])
        assert all(thing.tokens > 0 for thing in things)


@given(st.integers(0, 1000), st.lists(st.tuples(st.floats(0, 99), owners), max_size=5))
def test_a_message_is_divided_without_a_rest(tokens: int, parts: list[tuple[float, Owner]]) -> None:
    """The pieces of a message add up to its tokens, also where nothing in it weighs anything."""
    pieces = list(divided(3, tokens, [size for size, _ in parts], [owner for _, owner in parts]))

    assert sum(piece.tokens for piece in pieces) == tokens
    assert {piece.message for piece in pieces} <= {3}


def test_what_tells_most_takes_the_tokens() -> None:
    """A file comes before its tool, and a tool before its message; each token stands in one place."""
    messages = turns(3)
    meter = replace(meter_of(messages), used=100, fixed=10, tokens=(50, 25, 15))
    pieces = [Piece(0, 30, "Read", "a.py"), Piece(0, 20, "Read"), Piece(1, 25, "", "a.py"), Piece(2, 15)]

    found = break_down(messages, meter, pieces, 9, named)

    assert found.biggest == (
        Thing("file", "a.py", 55, 55.0, ("m0", "m1")),
        Thing("tool", "Read", 20, 20.0, ("m0",)),
        Thing("message", "m2", 15, 15.0, ("m2",)),
        Thing("fixed", FIXED, 10, 10.0, ()),
    )
    assert found.messages[:2] == (Thing("message", "m0", 50, 50.0, ("m0",)), Thing("message", "m1", 25, 25.0, ("m1",)))
    assert found.tools == (Thing("tool", "Read", 50, 50.0, ("m0",)), Thing("rest", "all else", 50, 50.0, ()))
    assert [(thing.name, thing.tokens) for thing in found.files] == [("a.py", 55), ("all else", 45)]


def test_the_rest_holds_what_is_not_told() -> None:
    """With a list of two, the third and smaller ones are one line."""
    messages = turns(3)
    meter = replace(meter_of(messages), used=100, fixed=0, tokens=(50, 30, 20))
    pieces = [Piece(index, tokens) for index, tokens in enumerate(meter.tokens)]

    found = break_down(messages, meter, pieces, 2, named)

    assert [(thing.kind, thing.tokens) for thing in found.messages] == [("message", 50), ("message", 30), ("rest", 20)]


def test_a_summary_is_told_as_one() -> None:
    """What stands for an earlier part of the chat is no message like others."""
    messages = talk(replace(u("what was"), is_summary=True), s("Be brief."))
    pieces = [Piece(0, 8), Piece(1, 9)]

    found = break_down(messages, replace(meter_of(messages), used=17, fixed=0), pieces, 9, named)

    assert [thing.kind for thing in found.biggest] == ["fixed", "summary"]


@given(anything(), st.integers(0, 500), st.data())
def test_what_is_fixed_is_the_part_of_that_name(messages: tuple[Message, ...], fixed: int, data: st.DataObject) -> None:
    """System messages, and what the chat does not hold, are one thing, of the size that the report's part has."""
    meter = meter_of(messages, fixed)
    pieces: list[Piece] = []
    for index, tokens in enumerate(meter.tokens):
        pieces += divided(index, tokens, [1.0], [data.draw(owners)])

    found = break_down(messages, meter, pieces, 1000, named)

    for things in (found.messages, found.biggest):
        assert sum(thing.tokens for thing in things if thing.kind == "fixed") == meter.parts.fixed


def test_a_file_that_a_system_prompt_shows_is_fixed() -> None:
    """Whatever stands in a system message, it is sent with every call."""
    messages = talk(s("Be brief."), u("go"))
    meter = meter_of(messages)
    pieces = [Piece(0, meter.tokens[0], "", "a.py"), Piece(1, meter.tokens[1])]

    found = break_down(messages, meter, pieces, 9, named)

    assert [thing.kind for thing in found.biggest] == ["fixed", "message"]
    assert found.biggest[0].messages == ("m0",)
    assert [thing.kind for thing in found.files] == ["file", "rest"]


@pytest.mark.parametrize("files", [1, 2, 3])
def test_files_of_one_piece_share_it(files: int) -> None:
    """A call about several files counts for each of them alike."""
    pieces = list(divided(0, 30, [1.0], [Owner("Read", tuple("abc"[:files]))]))

    assert [(piece.file, piece.tokens) for piece in pieces] == [(name, 30 // files) for name in "abc"[:files]]
