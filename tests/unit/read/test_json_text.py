"""JSON as it is found in files."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.read import parse
from compact_chat.read.document import MAX_DEPTH, TOO_DEEP, broken_line, parse_line

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=20,
)


def nested(levels: int) -> str:
    """An object in an object, so many levels deep, with a word in its middle."""
    return '{"a":' * levels + '"core"' + "}" * levels


def depth(value: object) -> int:
    """How many containers stand around the middle of `nested`."""
    levels = 0
    while isinstance(value, dict):
        value, levels = value["a"], levels + 1
    return levels


@given(JSON)
def test_any_value_comes_back_as_it_was(value: object) -> None:
    """What the standard library writes is read back, whatever characters it holds."""
    assert parse(json.dumps(value)) == value


@pytest.mark.parametrize(
    ("text", "value"), [('"\\ud800"', "\ud800"), ("[1e999]", [float("inf")]), ('"\ud800"', "\ud800")]
)
def test_what_the_strict_decoder_refuses_is_still_read(text: str, value: object) -> None:
    """Half a surrogate pair and numbers out of range come through the second decoder."""
    assert parse(text) == value


def test_nan_is_read() -> None:
    """NaN is no JSON, yet tools write it."""
    value = parse("[NaN]")
    assert isinstance(value, list)
    assert value[0] != value[0]


def test_a_hundred_levels_are_kept_and_no_more() -> None:
    """Deeper values become a short text, at the same level on every machine."""
    assert depth(parse(nested(MAX_DEPTH))) == MAX_DEPTH
    for levels in (MAX_DEPTH + 1, 300, 3000, 100_000):
        text = json.dumps(parse(nested(levels)))
        assert depth(json.loads(text)) == MAX_DEPTH
        assert TOO_DEEP in text
        assert "core" not in text


def test_brackets_in_strings_are_no_levels() -> None:
    """A text full of brackets, quotes and backslashes stays as it is."""
    value = {"code": '{["\\' * 500, "next": 1}
    assert parse(json.dumps(value)) == value


def test_values_beside_a_deep_one_stay() -> None:
    """Only what is too deep is replaced."""
    value = parse('{"before":"x","deep":' + nested(500) + ',"after":[1]}')
    assert isinstance(value, dict)
    assert (value["before"], value["after"]) == ("x", [1])


@pytest.mark.parametrize("text", ["", "{", '{"a":', "[" * 5000, "{" * 5000 + "}" * 5000, "nope", "1" * 5000])
def test_what_is_no_json_is_a_value_error(text: str) -> None:
    """Nothing but ValueError escapes."""
    with pytest.raises(ValueError):  # noqa: PT011 -- the decoders' own words differ
        parse(text)


def test_glued_records_are_parted() -> None:
    """Several records on one line are all read, with NULs and blanks between them."""
    assert parse_line('\0 {"a":1}{"b":2}\0 {"c":3}\r') == ([{"a": 1}, {"b": 2}, {"c": 3}], True)


def test_a_cut_line_gives_what_stands_before_the_cut() -> None:
    """A line cut in the middle gives the whole records before it and says that something is lost."""
    assert parse_line('{"a":1}{"b":"hal') == ([{"a": 1}], False)
    assert parse_line('{"a":"hal') == ([], False)


def test_glued_records_are_flattened_too() -> None:
    """The depth limit holds for records that share a line."""
    values, whole = parse_line(nested(500) + '{"b":2}')
    assert whole
    assert values[1] == {"b": 2}
    assert TOO_DEEP in json.dumps(values[0])


@pytest.mark.parametrize(
    ("line", "whole"), [("", True), (" \t\r", True), ("\0\0", False), ("42", False), ("[1]", False)]
)
def test_lines_without_a_record(line: str, whole: bool) -> None:
    """A blank line has lost nothing; NULs, scalars and arrays have."""
    assert parse_line(line) == ([], whole)


def test_the_line_of_a_break_is_known() -> None:
    """A document that breaks off names the line; a sound one names none."""
    assert broken_line('[\n1,\n{"a"') == 3
    assert broken_line("[1]") is None
    assert broken_line("[" * 100_000) is None
