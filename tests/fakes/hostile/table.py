"""The table of hostile inputs: its families, in the order in which one server gets them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from tests.fakes.hostile.depth import depths
from tests.fakes.hostile.envelope import envelopes, scalars
from tests.fakes.hostile.frames import frames
from tests.fakes.hostile.json import flaws
from tests.fakes.hostile.limits import limits
from tests.fakes.hostile.lsp import commands, methods
from tests.fakes.hostile.messages import messages
from tests.fakes.hostile.nested import nested
from tests.fakes.hostile.notices import cancels, settings
from tests.fakes.hostile.odd_json import oddities
from tests.fakes.hostile.options import options
from tests.fakes.hostile.past import checks, exports, ids, providers, transcripts
from tests.fakes.hostile.places import places
from tests.fakes.hostile.replies import plans, replies, tokens
from tests.fakes.hostile.rows import Row
from tests.fakes.hostile.texts import texts
from tests.fakes.hostile.types import many_wrong, wrong_types

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
