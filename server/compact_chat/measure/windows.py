"""How much fits into a model: a table kept by hand, as of November 2026."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from compact_chat.measure.names import claude_version, lookup


class Window(Struct, frozen=True):
    """Tokens of the prompt that a model takes, and of the longest reply that it gives."""

    input: int
    output: int


UNKNOWN = Window(200_000, 32_000)  # of a model that nobody told us about

CLAUDE = {  # by the first version that has it
    (0, 0): Window(200_000, 32_000),
    (2, 0): Window(100_000, 4_096),
    (2, 1): Window(200_000, 4_096),
    (3, 5): Window(200_000, 8_192),
    (3, 7): Window(200_000, 64_000),
    (4, 0): Window(200_000, 32_000),
    (4, 5): Window(200_000, 64_000),
    (4, 6): Window(1_000_000, 64_000),
    (5, 0): Window(1_000_000, 128_000),
}

OTHERS = {  # 32,000 where the longest reply is not known
    "gpt-3.5": Window(16_385, 4_096),
    "gpt-35": Window(16_385, 4_096),
    "gpt-4": Window(8_192, 8_192),
    "gpt-4-turbo": Window(128_000, 4_096),
    "gpt-4o": Window(128_000, 16_384),
    "gpt-4.1": Window(1_047_576, 32_768),
    "gpt-5": Window(272_000, 128_000),
    "gpt-5.4": Window(922_000, 128_000),
    "gpt-5.5": Window(922_000, 128_000),
    "gpt-5.6": Window(922_000, 128_000),
    "gpt-6": Window(922_000, 128_000),
    "o1": Window(200_000, 100_000),
    "o3": Window(200_000, 100_000),
    "o4-mini": Window(200_000, 100_000),
    "gemini": Window(1_048_576, 65_536),
    "grok-4.3": Window(1_000_000, 32_000),
    "grok-4.5": Window(500_000, 32_000),
    "grok-4.6": Window(500_000, 32_000),
    "grok-4.7": Window(500_000, 32_000),
    "deepseek-v4": Window(1_000_000, 32_000),
    "kimi-k3": Window(1_000_000, 32_000),
    "glm-5.3": Window(1_000_000, 32_000),
    "mistral-large-4": Window(1_000_000, 32_000),
}


def window_of(model: str | None, overrides: Mapping[str, int]) -> Window:
    """The window of a model; a name in `overrides` holds for all that contain it as a whole word."""
    if model is None:
        return UNKNOWN
    known = _known(model)
    chosen = lookup(overrides, model)
    return known if chosen is None else Window(chosen, known.output)


def _known(model: str) -> Window:
    version = claude_version(model)
    if version is None:
        return lookup(OTHERS, model) or UNKNOWN
    return CLAUDE[max(first for first in CLAUDE if first <= version)]
