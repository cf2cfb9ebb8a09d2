"""Numbers of tokens."""

from __future__ import annotations

import pytest

from compact_chat.read.loose import tokens


@pytest.mark.parametrize("value", [1, 258_400, 10**9])
def test_a_count_is_itself(value: int) -> None:
    """A plausible number of tokens stays."""
    assert tokens(value) == value


@pytest.mark.parametrize("value", [0, -1, True, False, None, "5", 5.0, [5], {}, 10**9 + 1, 10**400])
def test_anything_else_is_none(value: object) -> None:
    """Other types, truth values and figures that no model has counted are zero."""
    assert tokens(value) == 0
