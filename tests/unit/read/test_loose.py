"""Untrusted JSON is decoded as Structs: what has the wrong type gets its default."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from compact_chat.read.loose import loose


class Block(Struct):
    """A nested record."""

    type: str = ""
    text: str | None = None


class Record(Struct, rename="camel"):
    """A record with a field of every supported type."""

    uuid: str = ""
    parent_uuid: str | None = None
    is_meta: bool = False
    count: int = 0
    cost: float = 0.0
    role: Literal["user", "assistant", ""] = ""
    content: list[Block] | str | None = None
    first: Block | None = None
    ids: tuple[str, ...] = ()
    names: dict[str, int] = {}
    next: Record | None = None
    input: Any = None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 10**20) | st.floats() | st.sampled_from(["", "user", "\ud800"]),
    lambda values: (
        st.lists(values, max_size=3)
        | st.dictionaries(
            st.sampled_from([*Record.__struct_encode_fields__, "type", "text", "\ud800"]), values, max_size=6
        )
    ),
)


def test_a_sound_record_is_decoded() -> None:
    """Names are renamed as the Struct says, and members that it does not name are ignored."""
    found = loose(Record, {"uuid": "u1", "parentUuid": "u0", "isMeta": True, "count": 3, "other": [1]})

    assert Record("u1", "u0", True, 3) == found


@pytest.mark.parametrize("value", [None, True, 7, 1.5, "x", [], [{"uuid": "u1"}]])
def test_what_is_no_object_reads_as_an_empty_one(value: object) -> None:
    """The Struct is given with its defaults."""
    assert Record() == loose(Record, value)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("uuid", 1),
        ("uuid", None),
        ("parentUuid", ["u0"]),
        ("isMeta", 1),
        ("isMeta", "true"),
        ("count", True),
        ("count", 1.0),
        ("count", "3"),
        ("cost", True),
        ("cost", 10**400),
        ("role", "system"),
        ("content", 3),
        ("first", "text"),
        ("ids", "u1"),
        ("names", ["a"]),
    ],
)
def test_a_field_of_the_wrong_type_gets_its_default(name: str, wrong: object) -> None:
    """The other fields of the record are read."""
    found = loose(Record, {"next": {"uuid": "u2"}, name: wrong})

    assert Record(next=Record("u2")) == found


def test_members_of_the_wrong_type_are_left_out() -> None:
    """A list and an object keep what fits, and so does a record within a record."""
    found = loose(
        Record,
        {
            "content": [{"type": "text", "text": 7}, None, "words", {"type": 1}],
            "ids": ["a", 1, "b"],
            "names": {"a": 1, "b": "2"},
            "first": {"type": "text", "text": "words"},
        },
    )

    assert (
        Record(content=[Block("text"), Block()], ids=("a", "b"), names={"a": 1}, first=Block("text", "words")) == found
    )


def test_a_union_takes_the_first_type_that_fits() -> None:
    """Content may be a string or blocks."""
    assert Record(content="words", count=0) == loose(Record, {"content": "words", "count": "x"})


def test_an_int_is_a_float() -> None:
    """JSON does not tell them apart."""
    assert loose(Record, {"cost": 3, "count": "x"}).cost == 3.0


def test_what_may_be_anything_is_taken_over_as_it_is() -> None:
    """However deep it is nested."""
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]

    assert deep is loose(Record, {"input": deep}).input
    assert deep is loose(Record, {"input": deep, "uuid": 1}).input


@given(JSON)
def test_any_value_can_be_decoded(value: object) -> None:
    """A Struct comes out, which holds what a strict decoder finds there where it finds something."""
    found = loose(Record, value)

    assert isinstance(found, Record)
    try:
        strict = msgspec.convert(value, Record)
    except ValueError:
        return
    spoiled = {**value, "isMeta": 0} if isinstance(value, dict) else value
    lax = loose(Record, spoiled)
    lax.is_meta = strict.is_meta
    assert repr(strict) == repr(lax)


def test_every_field_needs_a_default() -> None:
    """Else there is nothing that an absent one could be."""

    class Strict(Struct):
        name: str

    with pytest.raises(TypeError, match="needs a default"):
        loose(Strict, {})
