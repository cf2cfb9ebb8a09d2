"""How much fits into a model: what was told, else what the chat recorded, else a table built from public data."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from compact_chat.measure.families import claude_version, lookup, lookup_plain, plain_name
from compact_chat.tools import tool_named
from compact_chat.wire import WindowBasis

# How Claude Code and Copilot mark the variant of a model that has the long window.
LONG, LONG_MARK = 1_000_000, {"1m": True}


class Window(Struct, frozen=True):
    """Tokens of the prompt that a model takes, and of the longest reply that it gives; `basis` is who says so."""

    input: int
    output: int
    basis: WindowBasis = "table"


UNKNOWN = Window(200_000, 32_000, "default")  # of a model that nobody told us about


class Row(Struct, frozen=True, array_like=True):
    """A line of the table: tokens of prompt and reply together, of a prompt, of a reply."""

    total: int
    input: int
    output: int


class Table(Struct, frozen=True):
    """The packaged table: Claude's rows by the first version that has them, the others by name; Copilot has its own."""

    date: str
    sources: tuple[str, ...]
    columns: tuple[str, ...]
    claude: dict[str, Row]
    others: dict[str, Row]
    copilot: dict[str, Row]


def window_of(
    model: str | None,
    overrides: Mapping[str, int],
    told: int | None = None,
    recorded: int | None = None,
    proven: int = 0,
    tool: str = "",
) -> Window:
    """The window of a model: `told` beats the user's `overrides`, these what the chat `recorded`, this the table.

    A name in `overrides` holds for all models that contain it as a whole word. `proven` are tokens of a prompt that
    the model took, so its window is no smaller: a Claude that took more than its usual window had its long one. The
    `tool` that the model was used in tells whether Copilot served it.
    """
    is_copilots = _is_copilots(model or "", tool)
    known = _known(model or "", is_copilots)
    if told is None and model:
        told = lookup(overrides, model)
    if told is not None:
        return Window(told, min(known.output, told), "setting")
    if recorded:
        return Window(recorded, min(known.output, recorded), "chat")
    if proven > known.input:
        has_long = not is_copilots and claude_version(model or "") is not None
        return Window(max(proven, LONG if has_long else 0), known.output, "chat")
    return known


def _is_copilots(model: str, tool: str) -> bool:
    """Whether Copilot served the model; VS Code names the vendors of all others in front of their models."""
    vendor, slash, _ = plain_name(model).rpartition("/")
    serves = tool_named(tool).copilot
    return vendor.endswith("copilot") or serves == "always" or (serves == "unless-named" and not slash)


def _known(model: str, is_copilots: bool) -> Window:
    row = (lookup_plain(table().copilot, model) if is_copilots else None) or _row(model)
    if lookup_plain(LONG_MARK, model):
        return Window(LONG, row.output if row else UNKNOWN.output)
    return Window(row.input, row.output) if row else UNKNOWN


def _row(model: str) -> Row | None:
    version = claude_version(model)
    if version in (None, (0, 0)):
        return lookup_plain(table().others, model)
    firsts = table().claude
    return firsts[max((first for first in firsts if _numbers(first) <= version), key=_numbers, default=min(firsts))]


def _numbers(version: str) -> tuple[int, int]:
    major, minor = version.split(".")
    return int(major), int(minor)


# Package data that never changes; read at its first use, as the vocabularies are.
@functools.cache
def table() -> Table:
    """The table as it was built."""
    return msgspec.json.decode((Path(__file__).parent / "data" / "windows.json").read_bytes(), type=Table)
