"""The arguments of a tool call stay valid JSON, however long, wide or deep they are."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.prompt import arguments_json

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**9), 10**9), st.floats(), st.text(), st.just('\x00\n"\\' * 300)
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)), max_leaves=30
)
OBJECTS = st.dictionaries(st.text(), VALUES)


def deep(levels: int) -> dict[str, Any]:
    """An object nested so many levels."""
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"a": value}
    return value


def test_compact_and_in_the_given_order() -> None:
    """T4: no blanks, non-ASCII kept, keys as they came."""
    assert arguments_json({"q": "é", "a": [1, None, True, {"b": 2.5}]}, 500) == '{"q":"é","a":[1,null,true,{"b":2.5}]}'


def test_no_input_is_an_empty_object() -> None:
    """T4: missing input is `{}`."""
    assert arguments_json({}, 500) == "{}"


def test_at_the_limit_nothing_is_cut() -> None:
    """T4: the limit counts the JSON text, and exactly the limit is within it."""
    given_ = {"a": "x" * 492}
    assert arguments_json(given_, 500) == json.dumps(given_, separators=(",", ":"))
    assert len(arguments_json(given_, 500)) == 500


def test_the_longest_string_is_clipped_first() -> None:
    """T4: short values stay whole, the long one keeps its beginning and its end."""
    shown = json.loads(arguments_json({"path": "src/a.py", "content": "b" * 3000 + "e" * 3000, "n": 3}, 500))
    assert (shown["path"], shown["n"]) == ("src/a.py", 3)
    assert shown["content"].startswith("b" * 150)
    assert shown["content"].endswith("e" * 50)
    assert "characters omitted" in shown["content"]


def test_nested_strings_are_clipped_too() -> None:
    """T4: strings in lists and inner objects count like others."""
    shown = arguments_json({"edits": [{"old": "o" * 4000, "new": "n" * 40}]}, 500)
    edit = json.loads(shown)["edits"][0]
    assert edit["new"] == "n" * 40
    assert "characters omitted" in edit["old"]
    assert len(shown) <= 500


@pytest.mark.parametrize("character", ["\n", "\x00", '"', "\\", "漢", "\ud800"])
def test_no_escape_is_cut_in_half(character: str) -> None:
    """T4, G2: strings are cut before they are written as JSON, and the JSON keeps the limit."""
    shown = arguments_json({"text": character * 5000}, 500)
    assert set(json.loads(shown)["text"].partition("[...")[0]) <= {character, "\n"}
    assert len(shown) <= 500


def test_many_keys_leave_the_last_out() -> None:
    """T4: an object too wide keeps its first entries and says how many are missing."""
    shown = arguments_json({f"key{number}": number for number in range(5000)}, 500)
    entries = json.loads(shown)
    assert len(shown) <= 500
    assert entries["key0"] == 0
    assert entries["..."] == f"[... {5000 - len(entries) + 1} entries omitted ...]"


def test_a_long_list_leaves_its_last_out_and_keeps_later_keys() -> None:
    """T4: outer values come before inner ones, so that a path behind a long list is still named."""
    entries = json.loads(arguments_json({"items": list(range(9000)), "path": "a.py"}, 500))
    assert entries["path"] == "a.py"
    assert entries["items"][0] == 0
    assert "entries omitted" in entries["items"][-1]
    nested = json.loads(arguments_json({"at": {"path": "a.py"}, "all": {"items": list(range(9000))}}, 500))
    assert nested["at"]["path"] == "a.py"


def test_a_long_key_is_clipped() -> None:
    """T4: keys count like strings, so that one key cannot crowd out the rest."""
    entries = json.loads(arguments_json({"k" * 5000: 1, "path": "a.py"}, 500))
    assert entries["path"] == "a.py"
    assert next(iter(entries)).startswith("k" * 100)


def test_deep_nesting_is_no_danger() -> None:
    """T4: a value nested deeper than Python can follow is still shown as valid JSON."""
    shown = arguments_json(deep(100_000), 500)
    assert json.loads(shown)["a"]
    assert len(shown) <= 500


def test_numbers_that_json_lacks_become_null() -> None:
    """T4: the result is JSON, not Python's dialect of it."""
    assert arguments_json({"a": float("nan"), "b": [float("inf")]}, 500) == '{"a":null,"b":[null]}'
    assert arguments_json({"a": 10**5000}, 500) == '{"a":null}'


@given(OBJECTS, st.sampled_from([60, 200, 500]))
def test_always_valid_and_within_the_limit(given_: dict[str, Any], limit: int) -> None:
    """T4: whatever the input, the result is valid JSON of no more than the limit, and the input is unchanged."""
    before = repr(given_)
    shown = arguments_json(given_, limit)
    assert isinstance(json.loads(shown, parse_constant=pytest.fail), dict)
    assert len(shown) <= limit
    assert repr(given_) == before
