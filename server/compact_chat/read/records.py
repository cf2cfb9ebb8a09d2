"""What the records of tools have in common: ids, numbers, titles, and what is left out of them."""

from __future__ import annotations

from collections.abc import Sequence

from compact_chat.chat import Warning
from compact_chat.read.limits import shortened

_TITLE_LENGTH = 80


def stable_ids(wanted: Sequence[str]) -> list[str]:
    """Give each message the id that its tool gave it, or one by its place where that is missing or taken."""
    taken: set[str] = set()
    ids: list[str] = []
    for place, name in enumerate(wanted):
        free = name if name and name not in taken else f"m{place}"
        while free in taken:
            free += "+"
        taken.add(free)
        ids.append(free)
    return ids


def whole_number(value: object) -> int | None:
    """The value where it is a whole number, and no truth value."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def title_of(text: str) -> str | None:
    """Make a title of the first line that says something, clipped at the end of a word where one is near."""
    line = text.lstrip().partition("\n")[0].strip()
    if len(line) <= _TITLE_LENGTH:
        return line or None
    end = line.rfind(" ", _TITLE_LENGTH * 3 // 4, _TITLE_LENGTH)
    return line[: _TITLE_LENGTH - 1 if end < 0 else end].rstrip() + "…"


def left_out(faults: Sequence[str]) -> tuple[Warning, ...]:
    """Warn of messages that could not be read; each fault is a place and what is wrong there."""
    return shortened(faults, lambda fault: Warning("skippedMessage", f"A message was skipped; {fault}."))
