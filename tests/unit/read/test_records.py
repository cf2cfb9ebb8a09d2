"""What the records of tools have in common."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.read import title_of
from compact_chat.read.loose import left_out, stable_ids, whole_number


@given(st.lists(st.sampled_from(["", "a", "b", "m1", "m2", "m2+"])), st.lists(st.sampled_from(["", "a", "m3"])))
def test_ids_are_unique_and_stay_while_a_file_grows(first: list[str], more: list[str]) -> None:
    """What comes later changes no id that was given, and the tool's own is kept where it is free."""
    names = stable_ids(first)
    assert len(set(names)) == len(first)
    assert stable_ids([*first, *more])[: len(first)] == names
    assert all(
        name == wanted for name, wanted in zip(names, first, strict=True) if first.count(wanted) == 1 and wanted == "a"
    )


@pytest.mark.parametrize(("value", "number"), [(5, 5), (-1, -1), (True, None), (1.0, None), ("1", None), (None, None)])
def test_whole_numbers(value: object, number: int | None) -> None:
    """A truth value is no number."""
    assert whole_number(value) == number


def test_titles() -> None:
    """The first line that says something, whole, for its secrets are masked later; blanks are none."""
    assert title_of(" \n Mend it.\nnow") == "Mend it."
    assert title_of(" \n") is None
    assert title_of("word " * 300) == "word " * 299 + "word"


def test_an_endless_title_is_bounded() -> None:
    """Of a first line of any length a few thousand characters are kept, and of these whole words only."""
    assert title_of("word " * 10**6) == "word " * 399 + "word"
    assert title_of("x" * 10**6) == "x" * 2000


def test_many_faults_are_shortened() -> None:
    """A hundred warnings are enough."""
    assert len(left_out(["$[1] is no message"] * 500)) == 101
    assert left_out([]) == ()
