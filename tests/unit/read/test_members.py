"""Objects and lists that are decoded member by member."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from compact_chat.read.document import is_list, members_of, opened, value_of

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text('aé\n"\\', max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text("abc", max_size=3), JSON, max_size=4))
def test_members_are_what_decoding_all_gives(document: dict[str, Any]) -> None:
    """Each member comes to the value that it has in the whole."""
    members = members_of(json.dumps(document, ensure_ascii=False, indent=1).encode())

    assert {key: value_of(member) for key, member in members.items()} == document
    lists = {key for key, member in members.items() if is_list(member)}
    assert lists == {key for key, value in document.items() if isinstance(value, list)}


@given(JSON)
def test_opening_decodes_one_level(value: Any) -> None:
    """What is opened is an object or a list of what is still to be decoded, or the value itself."""
    found: Any = opened(Raw(json.dumps(value).encode()))

    assert type(found) is type(value)
    items = found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()
    assert all(isinstance(item, Raw) for item in items)
    assert opened(found) is found


@pytest.mark.parametrize(
    "data", [b"", b"[1]", b'{"a":1', b'{"a":"\xff"}', b'{"a":1}{}', b'{"a":' + b"[" * 99_999, b"5"]
)
def test_what_is_no_sound_object_has_no_members(data: bytes) -> None:
    """Damage, deep nesting and bytes that are not UTF-8 are left to who decodes the whole."""
    assert members_of(data) == {}


def test_numbers_that_nobody_can_hold() -> None:
    """They are nothing, and no failure."""
    assert value_of(Raw(b"9" * 5000)) is None
    assert not is_list(None)
