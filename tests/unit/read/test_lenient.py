"""Values of JSON that nobody vouches for."""

from __future__ import annotations

import pytest

from compact_chat.read import fields, objects, word


@pytest.mark.parametrize("value", [None, 1, True, [], {}, [1, "a", None], "", "a", {"a": 1}, [{"a": 1}, 2, {}]])
def test_what_is_not_of_the_type_is_empty(value: object) -> None:
    """A value is given back where it is of the type, and of a list the objects."""
    assert word(value) == (value if isinstance(value, str) else "")
    assert fields(value) == (value if isinstance(value, dict) else {})
    assert objects(value) == ([{"a": 1}, {}] if value == [{"a": 1}, 2, {}] else [])
