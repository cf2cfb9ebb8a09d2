"""JSON as it is found in files: odd, too deep, glued, cut."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.read import parse
from compact_chat.read.loose import (
    MAX_DEPTH,
    TOO_DEEP,
    before_the_break,
    broken_line,
    parse_line,
)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def nested(levels: int) -> str:
    """An object in an object, so many levels deep, with a word in its middle."""
    return '{"a":' * levels + '"core"' + "}" * levels


def depth(value: object) -> int:
    """How many containers are around the middle of `nested`."""
    levels = 0
    while isinstance(value, dict):
        value, levels = value["a"], levels + 1
    return levels


@given(VALUES)
def test_any_value_comes_back_as_it_was(value: object) -> None:
    """What the standard library writes is read back, whatever characters it holds."""
    assert parse(json.dumps(value)) == value


@pytest.mark.parametrize("text", ["", "{", '{"a":', "[" * 5000, "{" * 5000 + "}" * 5000, "nope", "1" * 5000])
def test_what_is_no_json_is_a_value_error(text: str) -> None:
    """Nothing but ValueError escapes."""
    with pytest.raises(ValueError):  # noqa: PT011 -- the two decoders word it differently
        parse(text)


def test_a_hundred_levels_are_kept_and_no_more() -> None:
    """Deeper values become a short text, at the same level on every machine; brackets in strings are no levels."""
    assert depth(parse(nested(MAX_DEPTH))) == MAX_DEPTH
    for levels in (MAX_DEPTH + 1, 300, 3000, 100_000):
        text = json.dumps(parse(nested(levels)))
        assert depth(json.loads(text)) == MAX_DEPTH
        assert TOO_DEEP in text
        assert "core" not in text
    value = {"before": '{["\\' * 500, "after": [1]}
    deep = parse(json.dumps(value)[:-1] + f', "deep": {nested(500)}}}')
    assert isinstance(deep, dict)
    assert depth(deep.pop("deep")) == MAX_DEPTH - 1
    assert deep == value


@pytest.mark.parametrize(
    ("line", "records", "whole"),
    [
        ('\0 {"a":1}{"b":2}\0 {"c":3}\r', [{"a": 1}, {"b": 2}, {"c": 3}], True),
        ('{"a":1}{"b":"hal', [{"a": 1}], False),
        ('{"a":"hal', [], False),
        ("", [], True),
        (" \t\r", [], True),
        ("\0\0", [], False),
        ("42", [], False),
        ("[1]", [], False),
    ],
)
def test_the_records_of_a_line(line: str, records: list[object], whole: bool) -> None:
    """Glued records are parted; a cut line gives what is before the cut; NULs, scalars and arrays are damage."""
    assert parse_line(line) == (records, whole)


def test_glued_records_are_cut_too() -> None:
    """The depth limit holds for records that share a line."""
    values, whole = parse_line(nested(500) + '{"b":2}')
    assert whole
    assert values[1] == {"b": 2}
    assert TOO_DEEP in json.dumps(values[0])


@pytest.mark.parametrize(("text", "line"), [('[\n1,\n{"a"', 3), ("[1]", None), ("[" * 100_000, None)])
def test_the_line_of_a_break(text: str, line: int | None) -> None:
    """A document that breaks off names the line; a sound or a bottomless one names none."""
    assert broken_line(text) == line


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
        ("]", None),
        ("", None),
    ],
)
def test_what_was_whole_before_a_break_is_kept(text: str, value: object) -> None:
    """Values before the last comma or bracket are kept; a document that is whole, or no document, gives none."""
    assert before_the_break(text) == value
