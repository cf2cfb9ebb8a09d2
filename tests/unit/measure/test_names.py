"""Model names are understood however they are written."""

from __future__ import annotations

import pytest

from compact_chat.measure.families import claude_version, lookup

TABLE = {"gpt-4": 1, "gpt-4.1": 2, "gpt-5": 3, "o1": 4, "": 5, "--": 6}


@pytest.mark.parametrize(
    ("model", "found"),
    [
        ("gpt-4", 1),
        ("gpt-4-0613", 1),
        ("gpt-4-1106-preview", 1),
        ("openai/GPT-4.1-mini-2025-04-14", 2),
        ("gpt_4_1", 2),
        ("gpt-5.3-codex", 3),
        ("azure:gpt-5", 3),
        ("gpt-50", None),
        ("gpt-4o", None),
        ("demo1", None),
        ("", None),
    ],
)
def test_lookup(model: str, found: int | None) -> None:
    """The longest key that stands in a name as a whole word holds; a blank key holds for nothing."""
    assert lookup(TABLE, model) == found


@pytest.mark.parametrize(
    ("model", "version"),
    [
        ("claude-3-5-sonnet-20241022", (3, 5)),
        ("claude-3-opus-20240229", (3, 0)),
        ("claude-sonnet-4-20250514", (4, 0)),
        ("us.anthropic.claude-sonnet-4-20250514-v1:0", (4, 0)),
        ("claude-opus-4@20250514", (4, 0)),
        ("claude-haiku-4-5-20251001", (4, 5)),
        ("copilot/claude-opus-4.7", (4, 7)),
        ("anthropic/claude-sonnet-5", (5, 0)),
        ("claude-haiku-5-5", (5, 5)),
        ("claude-sonnet-4-5[1m]", (4, 5)),
        ("claude-opus-41", (4, 1)),
        ("copilot/claude-37-sonnet", (3, 7)),
        ("claude-opus-10-1", (10, 1)),
        ("claude-saga-12", (12, 0)),
        ("claude-sonnet-4-1m", (4, 0)),
        ("claude-instant-100k", (0, 0)),
        ("claude-sonnet-20250514", (0, 0)),
        ("claude-mythos-preview", (0, 0)),
        ("Claude", (0, 0)),
        ("gpt-5", None),
    ],
)
def test_claude_version(model: str, version: tuple[int, int] | None) -> None:
    """A Claude version is read off any order of words, and no date is taken for one."""
    assert claude_version(model) == version
