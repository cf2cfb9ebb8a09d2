"""Ids are shortened as far as each still names one message."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from compact_chat.cli.views import shortest


def test_ids_that_begin_alike_are_shown_longer() -> None:
    """Eight characters are enough for most; those that share them get as many as it takes."""
    assert shortest(["a1b2c3d4e5", "request_10", "request_11", "m0"]) == ["a1b2c3d4", "request_10", "request_11", "m0"]


@given(st.lists(st.text(alphabet="ab", min_size=1, max_size=14), unique=True))
def test_each_names_one_message(ids: list[str]) -> None:
    """A shortened id is the beginning of its own, and of no other but where it is the whole of it."""
    for id, short in zip(ids, shortest(ids), strict=True):
        assert id.startswith(short)
        assert short == id or [one for one in ids if one.startswith(short)] == [id]
