"""Texts, arguments and transcripts that are too long keep as much as fits."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import astuple

from compact_chat.chat import Thinking, ToolCall
from compact_chat.prompt import DEFAULT_LIMITS, arguments_json, clip, fit, write_transcript
from compact_chat.prompt.transcript import ROLE_HEADS, Limits, shrinking, squeezing
from tests.samples.chats import a, res, s, u

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**9), 10**9), st.floats(), st.text(), st.just('\x00\n"\\' * 300)
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)), max_leaves=30
)
OBJECTS = st.dictionaries(st.text(), VALUES)
CHAT = [
    u("U" * 9000),
    a(Thinking("T" * 900), "A" * 9000, ToolCall("k", "look", {"q": "J" * 900})),
    u(res("k", "R" * 9000)),
]
STEPS = shrinking(Limits())


@pytest.mark.parametrize(("limit", "head", "tail"), [(500, 375, 125), (10, 7, 3), (0, 0, 0)])
def test_a_cut_keeps_three_quarters_and_the_end(limit: int, head: int, tail: int) -> None:
    """T6: a text over the limit keeps its first three quarters and its end, and says how much is missing."""
    text = "a" * head + "漢" * 4000 + "z" * tail
    assert clip(text, limit) == "a" * head + "\n[... 4000 characters omitted ...]\n" + "z" * tail


@pytest.mark.parametrize(("length", "limit"), [(0, 500), (500, 500), (533, 500), (100_000, None)])
def test_a_cut_that_does_not_shorten_is_not_made(length: int, limit: int | None) -> None:
    """T6: a text within the limit, or not shortened by truncation, stays."""
    assert clip("x" * length, limit) == "x" * length


@given(st.text(max_size=300), st.integers(min_value=0, max_value=300))
def test_a_cut_never_grows_and_keeps_both_ends(text: str, limit: int) -> None:
    """T6: the result is never longer than the text, and its ends are those of the text."""
    clipped = clip(text, limit)
    assert len(clipped) <= len(text)
    assert clipped.startswith(text[: limit * 3 // 4])
    assert clipped == text or clipped.endswith(text[len(text) - (limit - limit * 3 // 4) :])


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"q": "é", "a": [1, None, True, {"b": 2.5}]}, '{"q":"é","a":[1,null,true,{"b":2.5}]}'),
        ({}, "{}"),
        ({"a": "x" * 492}, '{"a":"' + "x" * 492 + '"}'),
        ({"a": float("nan"), "b": [float("inf")]}, '{"a":null,"b":[null]}'),
        ({"a": 10**5000}, '{"a":null}'),
    ],
    ids=["compact", "none", "at the limit", "no number", "too large a number"],
)
def test_arguments_are_json(arguments: dict[str, Any], text: str) -> None:
    """T4: without blanks, in their order, up to the limit; numbers that JSON lacks become null."""
    assert arguments_json(arguments, 500) == text


def test_the_longest_strings_are_clipped_first() -> None:
    """T4: short values stay whole; long ones keep their ends, in inner objects and as keys too."""
    edits = [{"old": "o" * 4000, "new": "n" * 40}]
    given_ = {"path": "a.py", "content": "b" * 3000 + "e" * 3000, "edits": edits, "k" * 5000: 3}
    shown = json.loads(arguments_json(given_, 800))
    assert (shown["path"], shown["edits"][0]["new"], next(reversed(shown.values()))) == ("a.py", "n" * 40, 3)
    assert shown["content"].startswith("b" * 50)
    assert shown["content"].endswith("e" * 20)
    assert "characters omitted" in shown["edits"][0]["old"]


@pytest.mark.parametrize("character", ["\n", "\x00", '"', "\\", "漢", "\ud800"])
def test_no_escape_is_cut_in_half(character: str) -> None:
    """T4, G2: strings are cut before they are written as JSON, and the JSON keeps the limit."""
    shown = arguments_json({"text": character * 5000}, 500)
    assert set(json.loads(shown)["text"].partition("[...")[0]) <= {character, "\n"}
    assert len(shown) <= 500


def test_many_values_leave_the_last_out() -> None:
    """T4: the first entries stay, outer ones before inner ones, with the number of those that are missing."""
    wide = json.loads(arguments_json({f"key{number}": number for number in range(5000)}, 500))
    assert wide["key0"] == 0
    assert wide["..."] == f"[... {5000 - len(wide) + 1} entries omitted ...]"
    entries = json.loads(arguments_json({"at": {"path": "a.py"}, "items": list(range(9000)), "n": 1}, 500))
    assert (entries["items"][0], entries["at"]["path"], entries["n"]) == (0, "a.py", 1)
    assert "entries omitted" in entries["items"][-1]


def test_deep_nesting_is_no_danger() -> None:
    """T4: a value nested as deep as the wire and the readers let it be is still shown as valid JSON."""
    value: dict[str, Any] = {}
    for _ in range(250):
        value = {"a": value}
    shown = arguments_json(value, 500)
    assert json.loads(shown)["a"]
    assert len(shown) <= 500


@given(OBJECTS, st.sampled_from([60, 200, 500]))
def test_arguments_are_valid_and_within_the_limit(given_: dict[str, Any], limit: int) -> None:
    """T4: whatever the input, the result is valid JSON of no more than the limit, and the input is unchanged."""
    before = repr(given_)
    shown = arguments_json(given_, limit)
    assert isinstance(json.loads(shown, parse_constant=pytest.fail), dict)
    assert len(shown) <= limit
    assert repr(given_) == before


def test_the_five_steps() -> None:
    """T8: results to 500, thinking out, arguments to 200, assistant to 2,000, user to 4,000, in this order."""
    assert (
        Limits(),
        Limits(tool_result=500),
        Limits(tool_result=500, thinking=0),
        Limits(tool_result=500, thinking=0, arguments=200, edits=200),
        Limits(tool_result=500, thinking=0, arguments=200, edits=200, assistant=2000),
        Limits(tool_result=500, thinking=0, arguments=200, edits=200, assistant=2000, user=4000),
    ) == STEPS


@pytest.mark.parametrize("usual", [DEFAULT_LIMITS, ROLE_HEADS.usual, Limits(tool_result=100, user=50)])
def test_no_limit_ever_grows(usual: Limits) -> None:
    """T8: a limit that a style sets below a step's limit stays; in a squeezed portion every kind has a limit."""
    steps = (*shrinking(usual), *squeezing(shrinking(usual)[-1]))
    for before, after in pairwise(steps):
        for old, new in zip(astuple(before), astuple(after), strict=True):
            assert old is None or (new is not None and new <= old)
    assert None not in astuple(steps[-1])
    assert steps[-1].other == min(60, usual.other or 60)


def test_each_role_has_its_limit() -> None:
    """T8: user, assistant and system texts are limited each for themselves."""
    text = write_transcript([s("s" * 900), u("u" * 900), a("a" * 900)], Limits(user=100, assistant=200, other=300))
    assert [text.count(letter) for letter in ("ssss", "uuuu", "aaaa")] == [74, 24, 49]


@pytest.mark.parametrize("step", range(6))
def test_a_transcript_takes_the_first_step_that_fits(step: int) -> None:
    """T8: one character less takes the next step; after the last one, the shortest is returned as too long."""
    wanted = write_transcript(CHAT, STEPS[step])
    assert fit(CHAT, len(wanted)) == (wanted, True)
    assert fit(CHAT, len(wanted) - 1) == (write_transcript(CHAT, STEPS[min(step + 1, 5)]), step < 5)
