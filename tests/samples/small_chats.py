"""Small made-up chats of facts, corrections and decisions, with what a summary should hold and may not state."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct, json


class SmallChat(Struct, frozen=True):
    """Texts by turns, the user's first; facts as alternatives separated by `|`; values that no longer hold."""

    name: str
    texts: tuple[str, ...]
    facts: tuple[str, ...]
    superseded: tuple[str, ...]


SMALL_CHATS = json.decode(Path(__file__).with_suffix(".json").read_bytes(), type=tuple[SmallChat, ...])
