"""Every model has a family and a window, whatever its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from compact_chat.measure import Window, families, family_of, window_of
from compact_chat.measure.families import (
    CLAUDE,
    GPT_OLD,
    UNKNOWN,
    lookup,
    plain_name,
    table,
    version_of,
)
from compact_chat.measure.families import UNKNOWN_WINDOW as DEFAULT
from tests.oracles.snapshots import check_parts

HERE = Path(__file__).parent
ROOT = Path(__file__).resolve().parents[3]
TABLE = {"gpt-4": 1, "gpt-4-1": 2, "gpt-5": 3, "o1": 4, "": 5}


@pytest.mark.parametrize(
    ("model", "found"),
    [
        ("gpt-4", 1),
        ("gpt-4-1106-preview", 1),
        ("openai/GPT-4.1-mini-2025-04-14", 2),
        ("gpt_4_1", 2),
        ("gpt-5.3-codex", 3),
        ("gpt-50", None),
        ("demo1", None),
        ("", None),
    ],
)
def test_lookup(model: str, found: int | None) -> None:
    """The longest key that occurs in a name as a whole word wins; a blank key never matches."""
    assert lookup(TABLE, model) == found


def known(line: str) -> str:
    """What is known of a model, whose line ends in `/` and its tool."""
    model, _, tool = line.partition("/ ") if "/ " in line else (line.removesuffix("/"), "", "")
    family, window = family_of(model.strip() or None, tool), window_of(model.strip() or None, {}, tool=tool)
    name = next((name for name, one in vars(families).items() if one == family), family.name)
    sizes = f"{window.input}+{window.output} of {window.basis} {window.possible or ''}"
    return f"{line}: {name} {version_of(model, 'claude')} {sizes}".rstrip()


def test_what_is_known_of_each_model(accept: bool) -> None:
    """Family, Claude's version and window, whatever its name is like, and of a tool alone where no model is named."""
    check_parts(HERE / "models.txt", lambda _, lines: map(known, lines), accept=accept)


def test_only_codex_is_sure_of_what_gpt_is_sent() -> None:
    """The narrow bounds were measured in Codex; any other host may send what its file lacks."""
    assert family_of("gpt-5.5", "codex").below < family_of("gpt-5.5", "vscode").below
    assert family_of("gpt-5.5", "vscode").below >= GPT_OLD.below
    assert family_of("qwen-3", "codex").below == UNKNOWN.below


def test_an_unknown_model_counts_as_its_tool_usually_does() -> None:
    """An unknown name gets the tool's usual family, with the bounds of an unknown one."""
    family = family_of("in-house-1", "claude-code")

    assert (family.ratio, family.per_call) == (CLAUDE.ratio, CLAUDE.per_call)
    assert (family.name, family.spread, family.below) == (UNKNOWN.name, UNKNOWN.spread, UNKNOWN.below)


def test_a_prompt_that_went_through_proves_the_long_window() -> None:
    """Claude's long window is not part of its name; other windows are at least as long as the proven prompt."""
    assert window_of("claude-sonnet-4-5", {}, proven=200_001) == Window(1_000_000, 64_000, "chat")
    assert window_of("claude-sonnet-4-5", {}, proven=200_000) == Window(200_000, 64_000, "table")
    assert window_of("gpt-5", {}, proven=300_000) == Window(300_000, 128_000, "chat")
    assert window_of("house-model", {}, proven=900_000) == Window(900_000, 32_000, "chat")
    assert window_of("house-model", {}, proven=200_000) == DEFAULT
    assert window_of("copilot/claude-sonnet-4.6", {}, proven=210_000).input == 210_000


@pytest.mark.parametrize(
    ("model", "proven", "compacted", "window", "possible"),
    [
        ("claude-opus-4-6", 0, 0, 200_000, (200_000, 1_000_000)),
        ("claude-sonnet-4-5-20250929", 190_000, 0, 200_000, (200_000, 1_000_000)),
        ("claude-opus-4-6", 0, 178_000, 200_000, ()),
        ("claude-opus-4-6", 200_001, 0, 1_000_000, ()),
        ("claude-opus-4-6", 960_000, 170_000, 1_000_000, ()),
        ("claude-opus-4-6", 0, 968_000, 200_000, (200_000, 1_000_000)),
        ("claude-opus-4-6[1m]", 0, 0, 1_000_000, ()),
        ("claude-opus-4-5", 0, 0, 200_000, ()),
        ("claude-opus-5-5", 0, 0, 1_000_000, ()),
        ("xai/grok-4.6", 0, 0, 200_000, (200_000, 500_000)),
        ("xai/grok-4.6", 210_000, 0, 500_000, ()),
        ("kimi-k2", 0, 0, 131_072, ()),
    ],
)
def test_a_tool_may_give_a_model_the_smaller_of_two_windows(
    model: str, proven: int, compacted: int, window: int, possible: tuple[int, ...]
) -> None:
    """Claude Code does not say which: a prompt proves the larger, an automatic compaction the smaller one."""
    found = window_of(model, {}, proven=proven, compacted=compacted, tool="claude-code")

    assert (found.input, found.possible) == (window, possible)
    assert window_of(model, {model: 300_000}, tool="claude-code").possible == ()


def test_the_order_of_who_is_heard() -> None:
    """A request's value takes precedence over the user's setting, then the chat's own record, a proof, the table."""
    model, ours = "copilot/claude-sonnet-4.5", {"claude-sonnet-4.5": 50_000}

    assert window_of(model, ours, setting=9_000, recorded=128_000, proven=300_000) == Window(9_000, 9_000, "setting")
    assert window_of(model, ours, recorded=90_000, proven=300_000) == Window(50_000, 32_000, "setting")
    assert window_of(model, {}, recorded=90_000, proven=300_000) == Window(90_000, 32_000, "chat")
    assert window_of(None, ours, recorded=128_000) == Window(128_000, 32_000, "chat")
    assert window_of(model, {}) == Window(128_000, 32_000, "table")
    assert window_of(model, {}, setting=0).input == 0


def test_the_longest_override_holds() -> None:
    """Of two names within the model's name the longer one wins; the user's own models have windows too."""
    assert window_of("gpt-5-mini", {"gpt-5": 1, "GPT-5 Mini": 2, "gpt": 3}).input == 2
    assert window_of("gpt-5", {"gpt-5-mini": 2}).input == 272_000
    assert window_of("house-model", {"house-model": 32_768}) == Window(32_768, 32_000, "setting")


def test_the_table_is_plausible() -> None:
    """A prompt fits into the whole, and a reply; a model that sets room for its reply apart has that room."""
    tables = table().claude, table().others, table().copilot

    assert (ROOT / "server" / "compact_chat" / "measure" / "data" / "windows.json").stat().st_size <= 15_000
    assert len(table().others) > 100
    for name, row in [named for rows in tables for named in rows.items()]:
        assert 0 < row.output <= row.input <= row.total, name
        assert 8_000 <= row.total <= 10_000_000, name
    apart = [lookup(table().others, name) for name in ("gpt-5", "gpt-5.4", "gpt-6")]
    assert [row is not None and row.total - row.input - row.output for row in apart] == [0, 0, 0]


def test_each_row_is_found_by_its_own_name() -> None:
    """No other row takes a name that has one."""
    for rows in (table().others, table().copilot):
        assert [name for name, row in rows.items() if lookup(rows, name) != row] == []
        assert [name for name in rows if plain_name(name) != name] == []
