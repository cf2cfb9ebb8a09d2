"""What earlier chats taught of a family's tokens, where the user has switched that on."""

from __future__ import annotations

from compact_chat.measure.calibration import Learned
from compact_chat.measure.families import Family
from compact_chat.operations.desk import Desk


def prior_of(family: Family, desk: Desk) -> Learned | None:
    """Give what chats taught before this client came: while it is here, one chat always gives the same numbers."""
    if not desk.settings.remember_ratio:
        return None
    if family.name not in desk.priors:
        from compact_chat.disk.ratios import read_ratios

        sums = read_ratios().get(family.name)
        desk.priors.setdefault(family.name, Learned(*sums) if sums else None)
    return desk.priors[family.name]


def remember(family: Family, learned: Learned, desk: Desk) -> None:
    """Keep what a chat taught, if it taught anything."""
    if not desk.settings.remember_ratio or learned == Learned():
        return
    from compact_chat.disk.ratios import write_ratio

    write_ratio(family.name, (learned.expected, learned.grown))
