"""Phrases of sentences: which announce a step, and which give a reason."""

from __future__ import annotations

import pytest

from compact_chat.facts.words import ANNOUNCES, ANNOUNCES_EDIT, ANNOUNCES_WORK, BEGINS_STEP, COMES_NEXT


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("**Now, let’s** bake.", {ANNOUNCES, ANNOUNCES_WORK, BEGINS_STEP, COMES_NEXT}),
        ("I'm going to update `a.py`.", {ANNOUNCES, ANNOUNCES_EDIT, ANNOUNCES_WORK, BEGINS_STEP, COMES_NEXT}),
        ("We will bake.", {ANNOUNCES}),
        ("I need to wait for the oven.", {ANNOUNCES_WORK, COMES_NEXT}),
        ("I've baked them.", {BEGINS_STEP}),
        ("It is hot, so I'll also fix the lid.", {ANNOUNCES_EDIT, COMES_NEXT}),
        ("The outlet makes it hot.", set()),
    ],
)
def test_which_sentences_announce_a_step(sentence: str, found: set[object]) -> None:
    """H8: at their beginning, or anywhere in the last ones."""
    at_start = {one for one in (ANNOUNCES, ANNOUNCES_WORK, BEGINS_STEP) if one.match(sentence)}

    assert at_start | {one for one in (ANNOUNCES_EDIT, COMES_NEXT) if one.search(sentence)} == found
