"""Untrusted JSON is decoded as Structs: what has the wrong type gets its default."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct, field

from compact_chat.read import title_of
from compact_chat.read.loose import loose, tokens, whole_number


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
    content: list[Block] | str | None = None
    first: Block | None = None
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


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("uuid", 1),
        ("uuid", None),
        ("parentUuid", ["u0"]),
        ("isMeta", 1),
        ("count", True),
        ("count", 1.0),
        ("count", "3"),
        ("content", 3),
        ("first", "text"),
        ("names", ["a"]),
    ],
)
def test_a_field_of_the_wrong_type_gets_its_default(name: str, wrong: object) -> None:
    """The other fields of the record are read."""
    assert Record(next=Record("u2")) == loose(Record, {"next": {"uuid": "u2"}, name: wrong})


class Nested(Struct):
    """A record whose fields lie in objects."""

    model: str = field(default="", name="about.model.id")
    blocks: list[Nested] = []


@pytest.mark.parametrize("about", [{}, {"about": 1}, {"about": {"model": "m"}}, {"about": {"model": {"id": 1}}}])
def test_a_dot_in_a_name_leads_into_an_object(about: dict[str, Any]) -> None:
    """A record within a record is read like that too; what is not there gets its default."""
    sound = {"about": {"model": {"id": "m"}}}

    assert Nested("m", [Nested(), Nested("m")]) == loose(Nested, {**sound, "blocks": [about, sound]})


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


@pytest.mark.parametrize(
    ("value", "count", "number"),
    [
        *((1, 1, 1), (10**9, 10**9, 10**9), (10**9 + 1, 0, 10**9 + 1), (0, 0, 0), (-1, 0, -1)),
        *((True, 0, None), (None, 0, None), ("5", 0, None), (5.0, 0, None), ([5], 0, None)),
    ],
)
def test_numbers(value: object, count: int, number: int | None) -> None:
    """A count of tokens is plausible, else zero; a truth value is no number at all."""
    assert (tokens(value), whole_number(value)) == (count, number)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (" \n Mend it.\nnow", "Mend it."),
        (" \n", None),
        ("word " * 300, "word " * 299 + "word"),
        ("word " * 10**6, "word " * 399 + "word"),
        ("x" * 10**6, "x" * 2000),
    ],
)
def test_titles(text: str, title: str | None) -> None:
    """The first line that says something, for its secrets are masked later; of an endless one whole words are kept."""
    assert title_of(text) == title


def test_every_field_needs_a_default() -> None:
    """Else there is nothing that an absent one could be."""

    class Strict(Struct):
        name: str

    with pytest.raises(TypeError, match="needs a default"):
        loose(Strict, {})
