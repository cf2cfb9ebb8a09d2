"""The operation log of VS Code."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.samples.oplogs import replayed as replayed_text

FIRST = {"kind": 0, "v": {"title": "a", "parts": ["a", "b", "c"], "in": {"deep": [{"x": 1}]}}}


def replayed(*entries: dict[str, Any]) -> tuple[Any, int | None]:
    """The state behind these entries, and where the replay stopped."""
    return replayed_text("".join(json.dumps(entry) + "\n" for entry in (FIRST, *entries)))


def test_the_first_line_is_the_whole_state() -> None:
    """Kind 0 sets everything, and again where a log was rewritten."""
    assert replayed() == (FIRST["v"], None)
    assert replayed({"kind": 0, "v": {"title": "b"}}) == ({"title": "b"}, None)


@pytest.mark.parametrize(
    ("path", "value", "where"),
    [
        (["title"], "b", lambda state: state["title"]),
        (["new"], {"y": 2}, lambda state: state["new"]),
        (["in", "deep", 0, "x"], 7, lambda state: state["in"]["deep"][0]["x"]),
        (["parts", 1], "B", lambda state: state["parts"][1]),
        (["parts", 3], "d", lambda state: state["parts"][3]),
    ],
)
def test_kind_1_sets(path: list[Any], value: Any, where: Any) -> None:
    """A property or an item is set, and may be new."""
    state, stopped = replayed({"kind": 1, "k": path, "v": value})
    assert (where(state), stopped) == (value, None)


def test_kind_1_without_a_value_and_kind_3_take_away() -> None:
    """Nothing is there afterwards; the items of a list keep their places."""
    state, stopped = replayed({"kind": 1, "k": ["title"]}, {"kind": 3, "k": ["in"]}, {"kind": 3, "k": ["parts", 0]})
    assert stopped is None
    assert (state.get("title"), state.get("in"), state["parts"]) == (None, None, [None, "b", "c"])


@pytest.mark.parametrize(
    ("entry", "parts"),
    [
        ({"v": ["d"]}, ["a", "b", "c", "d"]),
        ({"i": 1, "v": ["x", "y"]}, ["a", "x", "y"]),
        ({"i": 2}, ["a", "b"]),
        ({"i": 0}, []),
        ({"i": 9, "v": ["d"]}, ["a", "b", "c", "d"]),
        ({}, ["a", "b", "c"]),
    ],
)
def test_kind_2_cuts_and_then_appends(entry: dict[str, Any], parts: list[str]) -> None:
    """An array is cut to `i` where that is there, and only then gets the new items."""
    state, stopped = replayed({"kind": 2, "k": ["parts"], **entry})
    assert (state["parts"], stopped) == (parts, None)


def test_kind_2_makes_an_array_that_is_not_there() -> None:
    """The first items of an array may come before the array."""
    state, _ = replayed({"kind": 2, "k": ["in", "more"], "v": [1]})
    assert state["in"]["more"] == [1]


@pytest.mark.parametrize(
    "bad",
    [
        {"kind": 4, "k": ["title"], "v": "x"},
        {"kind": None},
        {"kind": []},
        {"kind": 0, "v": []},
        {"kind": 1, "k": [], "v": "x"},
        {"kind": 1, "k": "title", "v": "x"},
        {"kind": 1, "k": ["nowhere", "x"], "v": 1},
        {"kind": 1, "k": ["in", "deep", 5, "x"], "v": 1},
        {"kind": 1, "k": ["parts", 9], "v": 1},
        {"kind": 1, "k": ["parts", -1], "v": 1},
        {"kind": 1, "k": ["parts", True], "v": 1},
        {"kind": 1, "k": [["title"]], "v": 1},
        {"kind": 2, "k": ["title"], "v": ["x"]},
        {"kind": 2, "k": ["parts"], "v": "x"},
        {"kind": 2, "k": ["parts"], "i": -1},
        {"kind": 2, "k": ["parts"], "i": "1"},
    ],
)
def test_a_bad_line_stops_the_replay(bad: dict[str, Any]) -> None:
    """What was replayed before it stays; neither it nor what is behind it counts."""
    behind = {"kind": 1, "k": ["title"], "v": "behind"}
    state, stopped = replayed({"kind": 1, "k": ["title"], "v": "before"}, bad, behind)
    assert (state["title"], state["parts"], stopped) == ("before", ["a", "b", "c"], 3)


def test_lines_may_be_blank_glued_or_end_in_crlf() -> None:
    """What an editor or a hasty write does to line ends costs nothing."""
    first, second = json.dumps(FIRST), json.dumps({"kind": 1, "k": ["title"], "v": "b"})
    for text in (f"{first}\r\n\r\n{second}\r\n", f"\n{first}{second}\n", f"{first}\n \n{second}"):
        state, stopped = replayed_text(text)
        assert (state or {}).get("title") == "b"
        assert stopped is None


@pytest.mark.parametrize("text", ["", "\n", '{"kind":1,"k":["a"],"v":1}\n', '{"kind":0,"v":{"cu', "[]", "\0\0"])
def test_without_a_state_there_is_nothing(text: str) -> None:
    """Changes of nothing give nothing."""
    assert replayed_text(text)[0] is None
