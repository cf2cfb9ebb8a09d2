"""Arguments of tool calls as text that can be counted."""

from __future__ import annotations

from typing import Any

from compact_chat.measure import json_text


def test_compact_json() -> None:
    """JSON has no blanks, and other scripts stay as they are."""
    assert json_text({"q": "é\ud83d", "n": [1, None]}) == '{"q":"é\ud83d","n":[1,null]}'


def test_deep_nesting() -> None:
    """A value nested beyond what a JSON writer takes still gives all its names and words."""
    deep: Any = "the end"
    for level in range(100_000):
        deep = {"name": deep} if level % 2 else [deep, level]

    words = json_text(deep).split("\n")
    assert words.count("name") == 50_000
    assert words[-1] == "the end"
