"""Plain values as JSON text."""

from __future__ import annotations

from compact_chat.text import json_text


def test_no_number_is_written_that_json_does_not_know() -> None:
    """Infinity is null, and half a surrogate pair stays an escape."""
    assert json_text({"x": float("inf"), "y": ["\ud800", 1.5]}) == '{"x":null,"y":["\\ud800",1.5]}'
