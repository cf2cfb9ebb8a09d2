"""Logs of operations, replayed and decoded whole."""

from __future__ import annotations

from typing import Any

from compact_chat.read import Source
from compact_chat.read.vscode import decoded, replay


def replayed(log: str) -> tuple[Any, int | None]:
    """The state that a log leads to, and the line at which it stops."""
    source = Source.of_text(log)
    state, stopped = replay(source.byte_lines(), source.values_of)
    return decoded(state), stopped
