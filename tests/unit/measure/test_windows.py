"""The windows of models, as of the table's date, and the user's own."""

from __future__ import annotations

import pytest

from compact_chat.measure.windows import CLAUDE, OTHERS, UNKNOWN, Window, window_of


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        ("claude-3-opus-20240229", 200_000),
        ("claude-haiku-4-5-20251001", 200_000),
        ("claude-sonnet-4-5", 200_000),
        ("claude-opus-4-6", 1_000_000),
        ("claude-haiku-5-5", 1_000_000),
        ("claude", 200_000),
        ("gpt-4o-2024-08-06", 128_000),
        ("openai/gpt-4.1-mini", 1_047_576),
        ("gpt-5.3-codex", 272_000),
        ("gpt-5.4", 922_000),
        ("gpt-6", 922_000),
        ("o3", 200_000),
        ("gemini-2.5-flash", 1_048_576),
        ("grok-4.6", 500_000),
        ("something else", 200_000),
        (None, 200_000),
    ],
)
def test_window_of(model: str | None, tokens: int) -> None:
    """The window is that of the prompt, not of prompt and reply together."""
    assert window_of(model, {}).input == tokens


def test_overrides_come_first() -> None:
    """A window that the user set beats the table; the reply stays as it is known."""
    assert window_of("copilot/claude-sonnet-4.5", {"claude-sonnet-4-5": 1_000_000}) == Window(1_000_000, 64_000)


def test_the_longest_override_holds() -> None:
    """Of two names that stand in the model's name, the more precise one counts."""
    assert window_of("gpt-5-mini", {"gpt-5": 1, "gpt-5-mini": 2, "gpt": 3}).input == 2
    assert window_of("gpt-5", {"gpt-5-mini": 2}).input == 272_000


def test_overrides_hold_for_unknown_models() -> None:
    """A model of the user's own can be given a window."""
    assert window_of("house-model", {"house-model": 32_768}) == Window(32_768, UNKNOWN.output)


@pytest.mark.parametrize("window", [UNKNOWN, *CLAUDE.values(), *OTHERS.values()])
def test_windows_are_sound(window: Window) -> None:
    """A window takes a prompt and gives a reply."""
    assert 0 < window.output <= window.input
