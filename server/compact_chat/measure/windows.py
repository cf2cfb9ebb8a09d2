"""Context windows of models: from a setting, else as the chat recorded it, else from a table built from public data."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from compact_chat.convert import compiled
from compact_chat.measure.families import lookup, plain_name, version_of
from compact_chat.tools import tool_named
from compact_chat.wire import WindowBasis

# Suffixes with which Claude Code and Copilot mark a model's long-window variant.
LONG, LONG_MARK = 1_000_000, {"1m": True}


class Window(Struct, frozen=True):
    """A model's limits on the prompt and on the reply; `basis` is the source."""

    input: int
    output: int
    basis: WindowBasis = "table"
    possible: tuple[int, ...] = ()  # the sizes that it may have, where nothing tells which one


UNKNOWN = Window(200_000, 32_000, "default")  # for an unknown model


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
    known = Window(row.input, row.output) if row else UNKNOWN
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
