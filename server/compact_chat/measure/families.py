"""What a model's name tells: its family, which says how its texts are counted, and its context window."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from compact_chat.convert import compiled
from compact_chat.tools import tool_named
from compact_chat.wire import WindowBasis

T = TypeVar("T")

# Model names as people and programs write them: with providers, dates and suffixes around the essential part.

LONGEST = 200  # characters; anything longer is no model name
_VERSION = re.compile(r"(?<!\d)(\d{1,2})(?:-(\d{1,2}))?(?![a-z0-9])")
FIRST_JOINED = 30  # from here on, two digits are two numbers: `claude-37-sonnet` is 3.7
# Suffixes with which Claude Code and Copilot mark a model's long-window variant.
LONG, LONG_MARK = 1_000_000, {"1m": True}


def plain_name(model: str) -> str:
    """Return the name in lower case, with dashes for dots and similar separators."""
    return re.sub(r"[^a-z0-9/]", "-", model[:LONGEST].lower()).strip("-/")


def lookup(table: Mapping[str, T], model: str) -> T | None:
    """Find the longest key that the model's name contains as a whole word; keys are plain names."""
    name = plain_name(model)
    # Most keys do not occur in the name, which is checked without a pattern.
    near = (key for key in table if key and key in name)
    keys = [key for key in near if re.search(rf"(?<![a-z0-9]){re.escape(key)}(?![a-z0-9])", name)]
    return table[max(keys, key=len)] if keys else None


def version_of(model: str, line: str) -> tuple[int, int] | None:
    """Read the version of a model of this line; (0, 0) if the name has none, None for models of other lines."""
    _, found_line, version = plain_name(model).partition(line)
    if not found_line:
        return None
    found = _VERSION.search(version)
    if not found:
        return (0, 0)
    major, minor = int(found[1]), int(found[2] or 0)
    return divmod(major, 10) if major >= FIRST_JOINED and not found[2] else (major, minor)


# The families.

NEW_TOKENIZER = (4, 7)  # of Claude, since this version
TILES, PATCHES = (5, 0), (5, 4)  # the first GPT known to count tiles, and the first to count patches


class Pictures(Struct, frozen=True):
    """The cost of a picture: `share` of its patches up to `cap` if there is one, else `base` and `tile` per 512 px."""

    unknown: int
    edge: int = 0
    cap: int = 0
    side: int = 28  # of a patch
    share: float = 1.0
    base: int = 0
    tile: int = 0


class Rates(Struct, frozen=True):
    """Model tokens per encoding token, with extra rates for punctuation and for the arrows of shown files."""

    token: float = 1.0
    mark: float = 0.0
    arrow: float = 0.0


class Family(Struct, frozen=True):
    """Models that count alike; sizes are in model tokens, and nine of ten calls fell within the error bounds."""

    name: str
    encoding: str = "o200k_base"
    ratio: float = 1.0  # overall model tokens per encoding token
    rates: Rates = Rates()
    thinking: float = 1.0  # tokens of reasoning per visible reasoning token
    hidden_thought: int = 0  # tokens of hidden reasoning
    forgets: bool = False  # reasoning, after the next user message
    sheds: bool = False  # reasoning, at the very next call
    certainty: int = 4_000  # tokens of observed growth that weigh as much as these prior rates
    spread: float = 0.3  # error of a whole chat's count, as a fraction of it
    below: float = 2.0  # error of what was counted since a call, for a power of it: how far it may be too high
    above: float = 2.0  # and how far too low
    per_message: int = 3
    per_call: int = 9
    per_argument: int = 0  # around each argument, where arguments are not JSON
    per_result: int = 9
    per_results: int = 0  # around all results of a message
    pictures: Pictures = Pictures(unknown=765, base=85, tile=170)


UNKNOWN = Family("unknown")

# Measured on the calls of real sessions; Claude since 4.7 from published comparisons with earlier versions.
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
    spread=0.1,
    below=0.5,
    above=0.5,
    per_message=4,
    per_call=11,
    per_results=2,
    pictures=Pictures(1_800, edge=2_048, cap=2_500, side=32, share=1.2),
)
GPT_TILES = replace(GPT, pictures=UNKNOWN.pictures)
CODEX_SPREAD, CODEX_DOUBT = 0.05, 0.06  # of any GPT in Codex, whose files hold nearly all that it sends
GPT_OLD = Family("gpt-old", encoding="cl100k_base", spread=0.05, below=0.5, above=0.5)
GEMINI = Family("gemini", ratio=1.18, rates=Rates(1.18), spread=0.2, sheds=True)
MISTRAL = Family("mistral", ratio=1.26, rates=Rates(1.26), spread=0.25)

BY_NAME = {  # in plain form
    "gpt": GPT,
    "chatgpt": GPT_TILES,
    "codex-mini": GPT_TILES,
    "o1": GPT_TILES,
    "o3": GPT_TILES,
    "o4": GPT_TILES,
    "gpt-4": GPT_OLD,
    "gpt-4-1": GPT_TILES,
    "gpt-4-5": GPT_TILES,
    "gpt-4o": GPT_TILES,
    "gpt-3-5": GPT_OLD,
    "gpt-35": GPT_OLD,
    "gemini": GEMINI,
    "mistral": MISTRAL,
    "opus": CLAUDE_NEW,
    "sonnet": CLAUDE_NEW,
    "haiku": CLAUDE_NEW,
}
OF_TOOLS = {"": UNKNOWN, "claude": CLAUDE, "gpt": GPT, "gemini": GEMINI}  # a tool's usual family


def family_of(model: str | None, tool: str = "") -> Family:
    """Find a model's family, whatever provider, date or suffix its name carries; without a name, use the tool's."""
    row = tool_named(tool)
    usual = OF_TOOLS[row.family]
    if model is None:
        return usual
    claude, gpt = version_of(model, "claude"), version_of(model, "gpt")
    family: Family | None
    if claude is not None:
        remembers = claude >= (4, 6) or (claude >= (4, 5) and "opus" in model.lower())
        is_old = (0, 0) < claude < NEW_TOKENIZER
        family = CLAUDE_NEW if not is_old else CLAUDE if remembers else CLAUDE_FORGETFUL
    elif gpt is not None and TILES <= gpt < PATCHES:  # older ones have rows of their own in the table
        family = GPT_TILES
    else:
        family = lookup(BY_NAME, model)
    if family is None:
        return replace(usual, name=UNKNOWN.name, spread=UNKNOWN.spread, below=UNKNOWN.below, above=UNKNOWN.above)
    is_sure = row.records_all and family.name == usual.name
    return replace(family, spread=CODEX_SPREAD, below=CODEX_DOUBT, above=CODEX_DOUBT) if is_sure else family


# The windows.


class Window(Struct, frozen=True):
    """A model's limits on the prompt and on the reply; `basis` is the source."""

    input: int
    output: int
    basis: WindowBasis = "table"
    possible: tuple[int, ...] = ()  # the sizes that it may have, where nothing tells which one


UNKNOWN_WINDOW = Window(200_000, 32_000, "default")  # for an unknown model


class Row(Struct, frozen=True, array_like=True):
    """A row of the table: tokens of prompt and reply together, of a prompt, of a reply."""

    total: int
    input: int
    output: int


class Table(Struct, frozen=True):
    """The packaged table: Claude's rows by first version, the others by name; Copilot has its own."""

    claude: dict[str, Row]
    others: dict[str, Row]
    copilot: dict[str, Row]


def window_of(
    model: str | None,
    overrides: Mapping[str, int],
    setting: int | None = None,
    recorded: int | None = None,
    proven: int = 0,
    compacted: int = 0,
    tool: str = "",
) -> Window:
    """Find a model's window: `setting`, else the user's `overrides`, else what the chat `recorded`, else the table.

    A name in `overrides` holds for all models that contain it as a whole word. `proven` are tokens of a prompt that
    the model took, so its window is no smaller: a Claude that took more than its usual window had its long one. The
    `tool` that the model was used in tells whether Copilot served it, and which window is usual there; that it
    `compacted` by itself at so few tokens proves the usual one.
    """
    name = model or ""
    # VS Code prefixes model names with their vendor, except Copilot's.
    vendor, slash, _ = plain_name(name).rpartition("/")
    own = tool_named(tool)
    serves = own.copilot
    is_copilots = vendor.endswith("copilot") or serves == "always" or (serves == "unless-named" and not slash)
    row = (lookup(table().copilot, name) if is_copilots else None) or _row(name)
    known = Window(row.input, row.output) if row else UNKNOWN_WINDOW
    if lookup(LONG_MARK, name):
        known = Window(LONG, known.output)
    if setting is None:
        setting = lookup({plain_name(key): tokens for key, tokens in overrides.items()}, name)
    if setting is not None:
        return Window(setting, min(known.output, setting), "setting")
    if recorded:
        return Window(recorded, min(known.output, recorded), "chat")
    is_claude = version_of(name, "claude") is not None
    large = LONG if is_claude and not is_copilots else known.input
    # A tool may take another vendor's model for one with the usual window.
    has_two = lookup(dict.fromkeys(own.two_windows, True), name) if is_claude else large > own.small_window
    if own.small_window and has_two and not lookup(LONG_MARK, name):
        small = own.small_window
        known = Window(small, known.output, possible=() if 0 < compacted <= small else (small, large))
    if proven > known.input:
        return Window(max(proven, large), known.output, "chat")
    return known


def _row(model: str) -> Row | None:
    """Look up the vendor's row for a model; Claude's is that of the last version at or before its own."""
    version = version_of(model, "claude")
    if version is None or version == (0, 0):
        return lookup(table().others, model)
    rows = {tuple(map(int, first.split("."))): row for first, row in table().claude.items()}
    return rows[max((first for first in rows if first <= version), default=min(rows))]


# Package data that never changes; read on first use, like the vocabularies.
@functools.cache
def table() -> Table:
    """Read the packaged table."""
    return msgspec.json.decode((Path(__file__).parent / "data" / "windows.json").read_bytes(), type=compiled(Table))
