"""Limits only tighten, step by step."""

from __future__ import annotations

from itertools import pairwise

import pytest
from msgspec.structs import astuple

from compact_chat.prompt import DEFAULT_LIMITS, write_transcript
from compact_chat.prompt.transcript import ROLE_HEADS, Limits, shrinking, squeezing
from tests.samples.chats import a, s, u


def test_the_five_steps() -> None:
    """T8: results to 500, thinking out, arguments to 200, assistant to 2,000, user to 4,000, in this order."""
    assert shrinking(Limits()) == (
        Limits(),
        Limits(tool_result=500),
        Limits(tool_result=500, thinking=0),
        Limits(tool_result=500, thinking=0, arguments=200),
        Limits(tool_result=500, thinking=0, arguments=200, assistant=2000),
        Limits(tool_result=500, thinking=0, arguments=200, assistant=2000, user=4000),
    )


@pytest.mark.parametrize("usual", [DEFAULT_LIMITS, ROLE_HEADS.usual, Limits(tool_result=100, user=50)])
def test_no_limit_ever_grows(usual: Limits) -> None:
    """T8: what a style keeps shorter than a step asks for stays as short."""
    steps = shrinking(usual)
    for before, after in pairwise((*steps, *squeezing(steps[-1]))):
        for old, new in zip(astuple(before), astuple(after), strict=True):
            assert old is None or (new is not None and new <= old)


def test_squeezing_leaves_nothing_without_a_limit() -> None:
    """T8, T6: for an exchange that fits nothing, system texts and earlier summaries are cut too."""
    assert all(None not in astuple(limits) for limits in squeezing(DEFAULT_LIMITS))
    assert squeezing(DEFAULT_LIMITS)[-1].other == 60


def test_each_role_has_its_limit() -> None:
    """T8: user, assistant and system texts are limited each for themselves."""
    text = write_transcript([s("s" * 900), u("u" * 900), a("a" * 900)], Limits(user=100, assistant=200, other=300))
    assert [text.count(letter) for letter in ("ssss", "uuuu", "aaaa")] == [74, 24, 49]
