"""The table of hostile inputs: its families, in the order in which one server gets them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from tests.samples.hostile.depth import depths
from tests.samples.hostile.envelope import envelopes, scalars
from tests.samples.hostile.frames import frames
from tests.samples.hostile.json import flaws
from tests.samples.hostile.limits import limits
from tests.samples.hostile.lsp import commands, methods
from tests.samples.hostile.messages import messages
from tests.samples.hostile.nested import nested
from tests.samples.hostile.notices import cancels, settings
from tests.samples.hostile.odd_json import oddities
from tests.samples.hostile.options import options
from tests.samples.hostile.past import checks, exports, ids, providers, transcripts
from tests.samples.hostile.places import places
from tests.samples.hostile.replies import plans, replies, tokens
from tests.samples.hostile.rows import Row
from tests.samples.hostile.texts import texts
from tests.samples.hostile.types import many_wrong, wrong_types

FAMILIES: tuple[Callable[[], Iterator[Row]], ...] = (
    *(frames, flaws, oddities, depths),
    *(envelopes, scalars, methods, commands, cancels, settings),
    *(wrong_types, many_wrong, messages, nested, options, replies, plans, tokens, places),
    *(checks, exports, ids, transcripts, providers),
    *(texts, limits),
)


# Families whose rows are large; of these the tests take every so-manieth, and `bench_hostile.py` all.
LARGE: dict[Callable[[], Iterator[Row]], int] = {texts: 7, limits: 5}


def table(whole: bool = False) -> Iterator[Row]:
    """All rows but for a part of the large ones, each named after its family too; made as they are taken."""
    for family in FAMILIES:
        for row in islice(family(), 0, None, 1 if whole else LARGE.get(family, 1)):
            yield row._replace(name=f"{family.__name__}: {row.name}")
