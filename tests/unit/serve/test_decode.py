"""JSON from a client: the same values as the standard library's, within limits."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.errors import TooLarge
from compact_chat.serve.rpc import MAX_DEPTH, MAX_VALUES, decode

texts = st.text(st.characters(exclude_categories=()), max_size=20)
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(texts, inner, max_size=6),
)


@given(values, st.booleans())
def test_values_are_those_of_the_standard_library(value: Any, escaped: bool) -> None:
    """Each value comes as it was, half surrogate pairs too."""
    try:
        body = json.dumps(value, ensure_ascii=escaped).encode()
    except UnicodeEncodeError:
        body = json.dumps(value).encode()
    found = decode(body)
    assert found == value
    assert json.dumps(found) == json.dumps(value)


@given(st.binary(max_size=40) | texts.map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_what_is_no_json_is_a_value_error(body: bytes) -> None:
    """Any bytes give a value that the standard library gives too, or a ValueError."""
    try:
        found = decode(body)
    except ValueError:
        return
    assert found == json.loads(body)


@pytest.mark.parametrize("body", [b"[NaN]", b"[Infinity]", b"-Infinity", b'{"a": nan}', b"[1,]", b"", b"[1] x", b"01"])
def test_near_misses_are_no_json(body: bytes) -> None:
    """What some writers write, and readers forgive, is refused."""
    with pytest.raises(ValueError, match=r"^"):
        decode(body)


@pytest.mark.parametrize("pair", [b"[]", b'{"a":}'])
def test_depth_is_bounded(pair: bytes) -> None:
    """128 levels are read, one more is not, nor as many as no reader can take."""
    opening, closing = pair[:-1], pair[-1:]
    inner = b"1" if pair == b'{"a":}' else b""
    decode(opening * MAX_DEPTH + inner + closing * MAX_DEPTH)
    for depth in (MAX_DEPTH + 1, 500, 950, 2000, 100_000):
        with pytest.raises(TooLarge, match="nested too deeply"):
            decode(opening * depth + inner + closing * depth)


def test_many_brackets_are_no_depth() -> None:
    """Brackets within texts and beside each other do not count as levels."""
    for value in (["[" * 1000, [[]] * 1000], "[" * 1000):
        assert decode(json.dumps(value).encode()) == value


def test_the_number_of_values_is_bounded() -> None:
    """A small message cannot become a large memory: beyond four million values it is not even decoded."""
    with pytest.raises(TooLarge, match="too many values"):
        decode(b"[" + b"[]," * (MAX_VALUES // 2) + b"1]")
    many = MAX_VALUES // 100
    assert len(decode(b"[" + b"[]," * many + b"1]")) == many + 1
