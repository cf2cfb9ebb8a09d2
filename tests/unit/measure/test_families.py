"""Every model has a family, so that the meter works whatever it is called."""

from __future__ import annotations

import pytest

from compact_chat.measure import Family, family_of
from compact_chat.measure.families import (
    CLAUDE,
    CLAUDE_FORGETFUL,
    CLAUDE_NEW,
    GEMINI,
    GPT,
    GPT_OLD,
    GPT_TILES,
    MISTRAL,
    UNKNOWN,
)
from compact_chat.measure.tokens import VOCABULARIES

KNOWN = (CLAUDE, CLAUDE_FORGETFUL, CLAUDE_NEW, GPT, GPT_TILES, GPT_OLD, GEMINI, MISTRAL)


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("claude-3-5-sonnet-20241022", CLAUDE_FORGETFUL),
        ("claude-sonnet-4-20250514", CLAUDE_FORGETFUL),
        ("claude-opus-4-1", CLAUDE_FORGETFUL),
        ("claude-sonnet-4-5-20250929", CLAUDE_FORGETFUL),
        ("claude-opus-4-5-20251101", CLAUDE),
        ("claude-sonnet-4-6", CLAUDE),
        ("claude-opus-4-6", CLAUDE),
        ("claude-haiku-4-5", CLAUDE_FORGETFUL),
        ("claude-opus-4-7", CLAUDE_NEW),
        ("copilot/claude-opus-4.8", CLAUDE_NEW),
        ("claude-haiku-5-5", CLAUDE_NEW),
        ("claude-fable-5", CLAUDE_NEW),
        ("claude", CLAUDE_NEW),
        ("gpt-4", GPT_OLD),
        ("gpt-4-turbo-2024-04-09", GPT_OLD),
        ("gpt-3.5-turbo", GPT_OLD),
        ("gpt-35-turbo", GPT_OLD),
        ("gpt-4o-mini", GPT_TILES),
        ("chatgpt-4o-latest", GPT_TILES),
        ("gpt-4.1", GPT_TILES),
        ("openai/gpt-5", GPT_TILES),
        ("gpt-5-2025-08-07", GPT_TILES),
        ("gpt-5.3-codex", GPT_TILES),
        ("gpt-5.7", GPT),
        ("gpt-7", GPT),
        ("sonnet", CLAUDE_NEW),
        ("gpt-5.5-codex", GPT),
        ("gpt-6.1", GPT),
        ("gpt-oss:20b", GPT),
        ("gpt-realtime", GPT),
        ("codex-mini-latest", GPT_TILES),
        ("o3", GPT_TILES),
        ("o4-mini", GPT_TILES),
        ("models/gemini-2.5-pro", GEMINI),
        ("Mistral Large", MISTRAL),
        ("Qwen 2.5", UNKNOWN),
        ("", UNKNOWN),
        (None, UNKNOWN),
    ],
)
def test_family_of(model: str | None, family: Family) -> None:
    """Providers, dates and suffixes do not matter, and no name is an error."""
    assert family_of(model) == family


@pytest.mark.parametrize(
    ("tool", "family"),
    [("claude-code", CLAUDE), ("codex", GPT), ("gemini", GEMINI), ("unknown", UNKNOWN), ("", UNKNOWN)],
)
def test_without_a_model_the_tool_decides(tool: str, family: Family) -> None:
    """A tool that speaks to one vendor tells the family; a named model beats it."""
    assert family_of(None, tool) == family
    assert family_of("gpt-5.5", tool).name == GPT.name


@pytest.mark.parametrize(
    "family", [CLAUDE, CLAUDE_FORGETFUL, CLAUDE_NEW, GPT, GPT_TILES, GPT_OLD, GEMINI, MISTRAL, UNKNOWN]
)
def test_families_are_sound(family: Family) -> None:
    """A family counts with a packaged vocabulary, and a count is never called certain."""
    assert family.encoding in VOCABULARIES
    assert 0 < family.spread < 0.5
    assert 0.8 <= family.ratio <= 2.4
    assert min(family.below, family.above) > 0


def test_the_unknown_family_is_the_least_certain() -> None:
    """Of a model that nobody knows, the bounds are widest."""
    assert all(UNKNOWN.spread > family.spread for family in KNOWN)
    assert all(UNKNOWN.below >= family.below and UNKNOWN.above >= family.above for family in KNOWN)


def test_only_codex_is_sure_of_what_gpt_is_sent() -> None:
    """The narrow doubts were measured in Codex; any other host may send what its file does not hold."""
    assert family_of("gpt-5.5", "codex").below < family_of("gpt-5.5", "vscode").below
    assert family_of("gpt-5.5", "vscode").below >= GPT_OLD.below
    assert family_of("qwen-3", "codex").below == UNKNOWN.below


def test_an_unknown_model_counts_as_its_tool_usually_does() -> None:
    """A name that nobody knows is taken for the tool's usual family, with the doubts of an unknown one."""
    family = family_of("in-house-1", "claude-code")

    assert (family.ratio, family.per_call) == (CLAUDE.ratio, CLAUDE.per_call)
    assert (family.name, family.spread, family.below) == (UNKNOWN.name, UNKNOWN.spread, UNKNOWN.below)
