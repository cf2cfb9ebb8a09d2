"""The operation log of VS Code."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.samples.vscode_sessions import replayed

STATE = {"title": "a", "parts": ["a", "b", "c"], "in": {"deep": [{"x": 1}]}}
FIRST = {"kind": 0, "v": STATE}


@pytest.mark.parametrize(
    ("entry", "changed"),
    [
        ({"kind": 1, "k": ["title"], "v": "b"}, {"title": "b"}),
        ({"kind": 1, "k": ["title"]}, {"title": None}),
        ({"kind": 1, "k": ["new"], "v": {"y": 2}}, {"new": {"y": 2}}),
        ({"kind": 1, "k": ["in", "deep", 0, "x"], "v": 7}, {"in": {"deep": [{"x": 7}]}}),
        ({"kind": 1, "k": ["parts", 1], "v": "B"}, {"parts": ["a", "B", "c"]}),
        ({"kind": 1, "k": ["parts", 3], "v": "d"}, {"parts": ["a", "b", "c", "d"]}),
        ({"kind": 2, "k": ["parts"], "v": ["d"]}, {"parts": ["a", "b", "c", "d"]}),
        ({"kind": 2, "k": ["parts"], "i": 1, "v": ["x", "y"]}, {"parts": ["a", "x", "y"]}),
        ({"kind": 2, "k": ["parts"], "i": 0}, {"parts": []}),
        ({"kind": 2, "k": ["parts"], "i": 9, "v": ["d"]}, {"parts": ["a", "b", "c", "d"]}),
        ({"kind": 2, "k": ["parts"]}, {}),
        ({"kind": 2, "k": ["in", "more"], "v": [1]}, {"in": {"deep": [{"x": 1}], "more": [1]}}),
        ({"kind": 3, "k": ["in"]}, {"in": None}),
        ({"kind": 3, "k": ["parts", 0]}, {"parts": [None, "b", "c"]}),
    ],
)
def test_a_change_sets_appends_or_takes_away(entry: dict[str, Any], changed: dict[str, Any]) -> None:
    """Kind 1 sets what is at a path, 2 cuts a list there to `i` and appends, 3 deletes; items keep their places."""
    assert replayed(f"{json.dumps(FIRST)}\n{json.dumps(entry)}\n") == ({**STATE, **changed}, None)


@pytest.mark.parametrize(
    "bad",
    [
        {"kind": 4, "k": ["title"], "v": "x"},
        {"kind": []},
        {"kind": 0, "v": []},
        {"kind": 1, "k": [], "v": "x"},
        {"kind": 1, "k": "title", "v": "x"},
        {"kind": 1, "k": ["nowhere", "x"], "v": 1},
        {"kind": 1, "k": ["in", "deep", 5, "x"], "v": 1},
        {"kind": 1, "k": ["in", "deep", 1, "x"], "v": 1},
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
    titles = [{"kind": 1, "k": ["title"], "v": title} for title in ("before", "behind")]
    text = "\n".join(json.dumps(entry) for entry in (FIRST, titles[0], bad, titles[1]))
    assert replayed(text) == ({**STATE, "title": "before"}, 3)


def test_lines_may_be_blank_glued_or_end_in_crlf() -> None:
    """What an editor or a hasty write does to line ends costs nothing, and a rewritten log sets the state again."""
    first, second = json.dumps(FIRST), json.dumps({"kind": 0, "v": {"title": "b"}})
    for text in (f"{first}\r\n\r\n{second}\r\n", f"\n{first}{second}\n", f"{first}\n \n{second}"):
        assert replayed(text) == ({"title": "b"}, None)


@pytest.mark.parametrize("text", ["", "\n", '{"kind":1,"k":["a"],"v":1}\n', '{"kind":0,"v":{"cu', "[]", "\0\0"])
def test_without_a_state_there_is_nothing(text: str) -> None:
    """Changes of nothing give nothing."""
    assert replayed(text)[0] is None
