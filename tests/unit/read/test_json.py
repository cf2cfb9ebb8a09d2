"""JSON as it is found in files: odd, too deep, glued, cut."""

from __future__ import annotations

import json
from pathlib import Path

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
from tests.oracles.snapshots import check_functions

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


def test_what_is_whole_around_a_break_is_kept(accept: bool) -> None:
    """The records of a line, and the values of a document that breaks off."""
    functions = {"parse_line": parse_line, "before_the_break": before_the_break}
    check_functions(Path(__file__).with_name("breaks.txt"), functions, accept=accept)


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
