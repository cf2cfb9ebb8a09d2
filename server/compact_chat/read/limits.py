"""How much one chat may hold, and how much of what is wrong with it is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from compact_chat.chat import Warning
from compact_chat.errors import TooLarge

T = TypeVar("T")
MAX_MESSAGES = 100_000
MAX_VALUES = 10_000_000  # lines, commas and brackets: each may take a hundred bytes of memory once it is decoded
_SEPARATORS = (b"\n", b",", b"[", b"{")
_VALUES_OF_A_RECORD = 5
MOST_PROBLEMS = 1000  # a caller that mends these learns of the others
MOST_WARNINGS = 100


def check_length(messages: int) -> None:
    """Refuse a chat of too many messages."""
    if messages > MAX_MESSAGES:
        raise TooLarge(f"The chat has more than {MAX_MESSAGES:,} messages; give the part of it that matters.")


def check_values(pieces: Iterable[bytes]) -> None:
    """Refuse bytes that would take many times their size once they are decoded."""
    values = 0
    for piece in pieces:
        values += sum(map(piece.count, _SEPARATORS))
        if values > MAX_VALUES:
            raise _too_many_values()


def check_kept(records: int) -> None:
    """Refuse more records than can be kept in mind, even if next to nothing of each is."""
    if records * _VALUES_OF_A_RECORD > MAX_VALUES:
        raise _too_many_values()


def _too_many_values() -> TooLarge:
    return TooLarge(f"The chat has more than {MAX_VALUES:,} lines and values; give the part of it that matters.")


def shortened(found: Sequence[T], warn: Callable[[T], Warning]) -> tuple[Warning, ...]:
    """Warn of the first of what was found, and say how much more there is."""
    told = tuple(map(warn, found[:MOST_WARNINGS]))
    if len(found) == len(told):
        return told
    return (*told, Warning(told[0].code, f"There are {len(found) - len(told):,} more warnings of this kind."))
