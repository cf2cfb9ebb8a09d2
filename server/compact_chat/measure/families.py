"""Model families: which vocabulary counts their texts, and what lies between that count and their own."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.measure.names import claude_version, lookup

NEW_TOKENIZER = (4, 7)


class Pictures(Struct, frozen=True):
    """What a picture takes: `share` of its patches up to `cap` where there is one, else `base` and a `tile` for 512."""

    unknown: int
    edge: int = 0
    cap: int = 0
    side: int = 28  # of a patch
    share: float = 1.0
    base: int = 0
    tile: int = 0


class Rates(Struct, frozen=True):
    """Tokens of the model for a token of the encoding, and what marks and the arrows of shown files add to that."""

    token: float = 1.0
    mark: float = 0.0
    arrow: float = 0.0


class Family(Struct, frozen=True):
    """Models that count alike; sizes are in tokens of the model, and nine of ten calls were within the doubts."""

    name: str
    encoding: str = "o200k_base"
    ratio: float = 1.0  # tokens of the model for one of the encoding, on the whole
    rates: Rates = Rates()
    thinking: float = 1.0  # tokens thought for a token of thinking that is shown
    hidden_thought: int = 0  # tokens of a thought that is not shown
    forgets: bool = False  # what was thought, once the user speaks again
    certainty: int = 4_000  # tokens of seen growth that weigh as much as all of the above
    spread: float = 0.3  # the doubt of a whole chat's count, as a fraction of it
    below: float = 2.0  # the doubt of what was counted since a call, for a power of that: how far it may be too much
    above: float = 2.0  # and how far too little
    per_message: int = 3
    per_call: int = 9
    per_argument: int = 0  # where arguments are not JSON: around each of them
    per_result: int = 9
    per_results: int = 0  # around all results of a message
    pictures: Pictures = Pictures(unknown=765, base=85, tile=170)


# Measured on the calls of real sessions; Claude since 4.7 from published comparisons with what was before.
CLAUDE = Family(
    "claude",
    ratio=1.13,
    rates=Rates(token=1.08, mark=0.3, arrow=-1.2),
    thinking=1.1,
    spread=0.12,
    below=1.0,
    above=0.5,
    per_message=6,
    per_call=24,
    per_argument=18,
    per_result=16,
    pictures=Pictures(1600, edge=1568, cap=1568),
)
CLAUDE_FORGETFUL = replace(CLAUDE, forgets=True)
CLAUDE_NEW = replace(
    CLAUDE,
    name="claude-new",
    ratio=1.5,
    rates=Rates(token=1.43, mark=0.4, arrow=-1.6),
    spread=0.2,
    below=2.0,
    above=1.0,
    pictures=Pictures(1600, edge=2576, cap=4784),
)
GPT = Family(
    "gpt",
    certainty=100_000,
    hidden_thought=130,
    forgets=True,
    spread=0.05,
    below=0.06,
    above=0.06,
    per_message=4,
    per_call=11,
    per_results=2,
)
GPT_PATCHES = replace(GPT, pictures=Pictures(1_800, edge=2_048, cap=2_500, side=32, share=1.2))
GPT_OLD = Family("gpt-old", encoding="cl100k_base", spread=0.05, below=0.5, above=0.5)
GEMINI = Family("gemini", ratio=1.18, rates=Rates(1.18), spread=0.2)
MISTRAL = Family("mistral", ratio=1.26, rates=Rates(1.26), spread=0.25)
UNKNOWN = Family("unknown")

BY_NAME = {
    "gpt": GPT,
    "chatgpt": GPT,
    "codex": GPT,
    "o1": GPT,
    "o3": GPT,
    "o4": GPT,
    "gpt-5.4": GPT_PATCHES,
    "gpt-5.5": GPT_PATCHES,
    "gpt-5.6": GPT_PATCHES,
    "gpt-6": GPT_PATCHES,
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
    if not (0, 0) < version < NEW_TOKENIZER:
        return CLAUDE_NEW
    remembers = version >= (4, 6) or (version >= (4, 5) and "opus" in model.lower())
    return CLAUDE if remembers else CLAUDE_FORGETFUL
