"""A cut JSON document keeps what was written whole before the break."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.read.document import before_the_break, last_whole

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1, "b": tr', {"a": 1}),
        ('{"a": [1, 2, {"c": "d"', {"a": [1, 2]}),
        ('[{"a": "x"}, {"b": "y, z]', [{"a": "x"}]),
        ('{"a": {"b": []}}, "c', None),
        ('{"a": 1, "b": {"c": 2]', {"a": 1}),
        ('["a\\"], [", "b"', ['a"], [']),
        ('["a", nonsense, "b"]', None),
        ('{"a"', None),
        ("[1", None),
        ("]", None),
        ("", None),
    ],
)
def test_what_was_whole_is_kept(text: str, value: object) -> None:
    """Values before the last comma or bracket are kept; a document that is whole, or no document, gives none."""
    assert before_the_break(text) == value


@given(st.lists(VALUES, min_size=1), st.data())
def test_a_cut_list_is_a_beginning_of_it(values: list[object], data: st.DataObject) -> None:
    """All values but the last that was begun are there unchanged, wherever the break is."""
    text = json.dumps(values)
    kept = before_the_break(text[: data.draw(st.integers(0, len(text) - 1))])
    whole = kept[:-1] if isinstance(kept, list) else []
    assert whole == values[: len(whole)]


@given(st.text(alphabet='[]{}",: a1\\\n'))
def test_any_text_is_taken(text: str) -> None:
    """Nothing that looks like JSON from afar raises, and there is an end."""
    end, closing = last_whole(text)
    assert 0 <= end <= len(text)
    assert set(closing) <= set("]}")
