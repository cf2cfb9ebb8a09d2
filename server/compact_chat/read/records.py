"""What the records of tools have in common: ids, numbers, titles, and what is left out of them."""

from __future__ import annotations

from collections.abc import Sequence

from compact_chat.chat import Warning
from compact_chat.read.limits import shortened

_LONGEST_TITLE = 2000  # characters: what shows a title cuts it, once its secrets are masked


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
    """Make a title of the first line that says something; of a very long one only whole words are taken."""
    line = text.lstrip().partition("\n")[0].strip()
    if len(line) > _LONGEST_TITLE:
        start = line[:_LONGEST_TITLE]
        line = start.rpartition(" ")[0].rstrip() or start
    return line or None


def left_out(faults: Sequence[str]) -> tuple[Warning, ...]:
    """Warn of messages that could not be read; each fault is a place and what is wrong there."""
    return shortened(faults, lambda fault: Warning("skippedMessage", f"A message was skipped; {fault}."))
