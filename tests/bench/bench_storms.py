"""Every reader takes time in proportion: eight times the records, list items or text take about eight times as long.

python tests/bench/bench_storms.py [NAME ...]

What happens many times in a file (`reader_storms`), and the handmade file of each format with a long list or a long
text in each place, is read in a small and in a large size. A name is that of a storm or format.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script is imported from its own folder only

from tests.oracles.reader_checks import Files, check
from tests.samples.reader_seeds import SEEDS, name_of
from tests.strategies.reader_storms import FILLERS, STORMS, filled, lists_of, repeated

ENOUGH = 0.25  # seconds that are not worth investigating
GROWN, MOST = 8, 16  # a file that is so many times larger may take so many times as long
TRIES = 3
SMALL_STORM, ITEMS, LONG, FILLING = 400, 3000, 200_000, 30_000
MEGABYTE, AT_ONCE = 1_000_000, 1.0  # characters of one letter, and the seconds that they may take

Case = tuple[str, str, Callable[[int], Files], int]  # name, file name, file of a size, small size


def cases(*names: str) -> Iterator[Case]:
    """Yield the cases to time."""
    for storm in STORMS:
        if storm in names or not names:
            yield storm, "", STORMS[storm], SMALL_STORM
    for seed in SEEDS:
        if seed.format not in names and names:
            continue
        for number, (place, length) in enumerate(lists_of(seed)):
            for own_ids in (True, False)[: 2 if number == 0 else 1]:
                many = partial(repeated, seed, number, own_ids=own_ids)
                yield f"{seed.format} {place}", "", many, min(ITEMS, LONG // length) // GROWN
        for filler in FILLERS:
            yield (
                f"{seed.format} {filler[:20]!r}",
                name_of(seed.format),
                partial(filled, seed, filler),
                FILLING // GROWN,
            )


def seconds(files: Files, name: str) -> float:
    """Return this thread's CPU time for a check, without garbage collection, whose time grows with other objects."""
    gc.disable()
    try:
        begins = time.thread_time()
        check(files, name)
        return time.thread_time() - begins
    finally:
        gc.enable()


def is_linear(build: Callable[[int], Files], size: int, name: str) -> bool:
    """Return whether a file eight times larger takes proportionally long; retried if other programs interfere."""
    large = build(GROWN * size)
    return any(
        (took := seconds(large, name)) <= ENOUGH or took <= MOST * seconds(build(size), name) for _ in range(TRIES)
    )


def main(*names: str) -> int:
    """Time each case; return 1 if one is not linear."""
    broken = [what for what, name, build, size in cases(*names) if not is_linear(build, size, name)]
    for seed in SEEDS:
        if seed.format in names or not names:
            for filler in (" ", "a"):
                files = filled(seed, filler, MEGABYTE)
                if all(seconds(files, name_of(seed.format)) >= AT_ONCE for _ in range(TRIES)):
                    broken.append(f"{seed.format}: a megabyte of {filler!r}")
    print("\n".join(f"not linear: {what}" for what in broken) or "all in proportion")
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
