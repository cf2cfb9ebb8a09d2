"""The table of hostile inputs: its families, in the order in which one server gets them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.samples.hostile.chats import messages, places, texts
from tests.samples.hostile.frames import flaws, frames, limits
from tests.samples.hostile.params import archived, many_wrong, options, plans, replies
from tests.samples.hostile.requests import cancels, envelopes, methods, scalars, settings
from tests.samples.hostile.rows import Row

FAMILIES: tuple[Callable[[], Iterator[Row]], ...] = (
    *(frames, flaws, envelopes, scalars, methods, cancels, settings),
    *(many_wrong, messages, options, replies, plans, places, archived),
)
SOME = 12  # the tests take every twelfth of the rows of megabytes, `bench_hostile.py` all


def table(whole: bool = False) -> Iterator[Row]:
    """All rows but for some of the large ones; made as they are taken."""
    for family in FAMILIES:
        yield from family()
    for large in (texts, limits):
        yield from large(1 if whole else SOME)
