"""What is masked where: values of many kinds in many places, and whole secrets."""

from __future__ import annotations

import re
from pathlib import Path

from compact_chat.redact import Redactor, SpanCache
from tests.oracles.snapshots import check_snapshot
from tests.strategies.secrets_places import planted
from tests.unit.redact.test_redact import BODY, HEX
from tests.unit.redact.test_ways import lines

PLACES, CHOSEN = lines("places.txt"), lines("values.txt")
# Of lengths around the limits, and of the kinds that are judged apart.
VALUES = (
    *("a1b2c3d4e5f6g7h8i9j0k1l2"[:length] for length in (5, 6, 7, 8, 9, 11, 12, 15, 16, 19, 20)),
    *((HEX * 3)[:length] for length in (12, 31, 32, 63, 64, 65)),
    *(BODY[:length] for length in (7, 8, 10, 16, 24)),
    *(sign + (BODY * 2)[:length] for sign in "/~.@*-" for length in (8, 18, 19, 20, 30, 31, 32)),
    *CHOSEN,
)


def outcome(place: str, value: str, cache: SpanCache, kinds: set[str]) -> str:
    """Return a sign: `#` the value is masked, `.` it stays, `!` a part of it stays, `<` or `+` more is masked."""
    start, end = place.split("{}")
    redactor = Redactor(cache=cache)
    masked = redactor(f"{start}{value}{end}")
    kinds.update(redactor.tally)
    if masked == f"{start}{value}{end}":
        return "."
    before, *others, behind = re.split(r"\[REDACTED:[a-z-]+:1\]", masked)
    if others:
        return f" {masked!r} "
    if (before, behind) == (start, end):
        return "#"
    if start.startswith(before) and end.endswith(behind):
        return "+" if before == start else "<"
    return "!"


def test_each_value_in_each_place(accept: bool) -> None:
    """A row for each place with the kinds found: a sign for each value that is masked or stays, words for all else."""
    cache = SpanCache()
    rows = []
    for place in PLACES:
        kinds = set[str]()
        cache.find_all((place.replace("{}", value) for value in VALUES), emails=False)
        signs = "".join(outcome(place, value, cache, kinds) for value in VALUES)
        rows.append(f"{place!r} {' '.join(sorted(kinds))}\n  {signs}")
    check_snapshot("\n".join(rows) + "\n", Path(__file__).with_name("places-masked.txt"), accept=accept)


def test_whole_secrets_of_each_kind(accept: bool) -> None:
    """One redactor for all of them, so that the numbers of placeholders are told too."""
    redactor = Redactor(emails=True)
    check_snapshot(
        "".join(redactor(one.text) + "\n" for one in planted(400, seed=3)),
        Path(__file__).with_name("planted.txt"),
        accept=accept,
    )
