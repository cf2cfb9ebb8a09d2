"""How much one chat may hold, and how much of what is wrong with it is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from compact_chat.chat import Warning
from compact_chat.errors import TooLarge

T = TypeVar("T")
MAX_MESSAGES = 100_000
MAX_VALUES = 10_000_000  # lines, commas and brackets: each may take a hundred bytes of memory once it is decoded
MOST_PROBLEMS = 1000  # a caller that mends these learns of the others
MOST_WARNINGS = 100


def check_length(messages: int) -> None:
    """Refuse a chat of too many messages."""
    if messages > MAX_MESSAGES:
        raise TooLarge(f"The chat has more than {MAX_MESSAGES:,} messages; give the part of it that matters.")


def check_values(text: str) -> None:
    """Refuse a text that would take many times its size once it is decoded."""
    if sum(map(text.count, "\n,[{")) > MAX_VALUES:
        raise TooLarge(f"The chat has more than {MAX_VALUES:,} lines and values; give the part of it that matters.")


def shortened(found: Sequence[T], warn: Callable[[T], Warning]) -> tuple[Warning, ...]:
    """Warn of the first of what was found, and say how much more there is."""
    told = tuple(map(warn, found[:MOST_WARNINGS]))
    if len(found) == len(told):
        return told
    return (*told, Warning(told[0].code, f"There are {len(found) - len(told):,} more warnings of this kind."))
