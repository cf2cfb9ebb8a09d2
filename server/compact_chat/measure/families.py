"""Model families: which vocabulary counts their texts, and what lies between that count and their own."""

from __future__ import annotations

from msgspec import Struct

from compact_chat.measure.names import claude_version, lookup

NEW_TOKENIZER = (4, 7)


class Pictures(Struct, frozen=True):
    """What a picture takes: patches of 28 pixels up to `cap` where there is one, else `base` and a `tile` for 512."""

    unknown: int
    edge: int = 0
    cap: int = 0
    base: int = 0
    tile: int = 0


class Family(Struct, frozen=True):
    """Models that count alike; overheads are in tokens of the encoding."""

    name: str
    encoding: str = "o200k_base"
    ratio: float = 1.0  # tokens of the model for one of the encoding, until a chat has taught its own
    spread: float = 0.3  # how far off a count may be, as a fraction of it
    per_message: int = 3
    per_call: int = 9
    per_result: int = 9
    pictures: Pictures = Pictures(unknown=765, base=85, tile=170)


# Claude's ratios: measured on the calls of real sessions up to 4.6; from published comparisons since 4.7.
CLAUDE = Family(
    "claude", ratio=1.13, spread=0.12, per_call=40, per_result=40, pictures=Pictures(1600, edge=1568, cap=1568)
)
CLAUDE_NEW = Family(
    "claude-new", ratio=1.5, spread=0.2, per_call=40, per_result=40, pictures=Pictures(1600, edge=2576, cap=4784)
)
GPT = Family("gpt", spread=0.05)
GPT_OLD = Family("gpt-old", encoding="cl100k_base", spread=0.05)
GEMINI = Family("gemini", ratio=1.18, spread=0.2)
MISTRAL = Family("mistral", ratio=1.26, spread=0.25)
UNKNOWN = Family("unknown")

BY_NAME = {
    "gpt": GPT,
    "chatgpt": GPT,
    "codex": GPT,
    "o1": GPT,
    "o3": GPT,
    "o4": GPT,
    "gpt-4": GPT_OLD,
    "gpt-4.1": GPT,
    "gpt-4.5": GPT,
    "gpt-4o": GPT,
    "gpt-3.5": GPT_OLD,
    "gpt-35": GPT_OLD,
    "gemini": GEMINI,
    "mistral": MISTRAL,
}


BY_TOOL = {"claude-code": CLAUDE, "codex": GPT, "gemini": GEMINI}


def family_of(model: str | None, tool: str = "") -> Family:
    """The family of a model, whatever provider, date or suffix its name carries; without a name, that of the tool."""
    if model is None:
        return BY_TOOL.get(tool, UNKNOWN)
    version = claude_version(model)
    if version is None:
        return lookup(BY_NAME, model) or UNKNOWN
    return CLAUDE if (0, 0) < version < NEW_TOKENIZER else CLAUDE_NEW
