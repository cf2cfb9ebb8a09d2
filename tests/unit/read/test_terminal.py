"""Turns copied from a terminal."""

from __future__ import annotations

import pytest

from compact_chat.read import Source, read_chat


@pytest.mark.parametrize(
    "text",
    [
        "# Bread\n\n> Bread is old.\n\nSo it is.\n\n> Jam is older.\n\nMaybe.",
        "> A quote.\n\n● one\n● two\n",
        "> A quote.\n\n- one\n- two\n",
        "> only what was typed\n\n> and again",
        "⏺ Only an answer.\n\n⏺ Bash(ls)\n  ⎿  a.py",
        "> A quote\n> of two lines.\n\n⏺ is a round button.",
        "```\n> hi\n\n⏺ Hello!\n```",
    ],
)
def test_what_is_no_terminal(text: str) -> None:
    """Quotes and bullets alone are Markdown, and so is a terminal that is only shown."""
    assert read_chat(Source.of_text(text)).format == "text"
