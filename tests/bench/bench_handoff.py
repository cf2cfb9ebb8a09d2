"""What a hand-over without a model costs, beside counting its chat: one text, and six lengths; and end to end.

python tests/bench/bench_handoff.py [CHAT ...]

The chat has 100,000 tokens, and is read and masked before. Of chats that are given, their times are printed.
"""

from __future__ import annotations

import os
import statistics
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script is imported from its own folder only

from compact_chat.measure import Counter, family_of, weigh
from compact_chat.operations import ChatRef, ClientState, Job
from compact_chat.operations.compaction import Planned, planned
from compact_chat.wire import Options
from tests.bench.bench_facts import SMALL, seconds
from tests.bench.long_chats import claude
from tests.bench.servers import Figure, judged

ROUNDS = 9
LENGTHS = (500, 1000, 2000, 3000, 4000, 8000)
ONE, SIX = 1.5, 2.0  # times counting the chat, and times one text
P50, P95 = 100, 250  # milliseconds on one core


def made_of(uri: str) -> Planned:
    """Read, plan and mask a chat."""
    return planned(ChatRef(uri=uri), Options(style="handoff"), Job(ClientState()))


def figures() -> Iterator[Figure]:
    """Measure with every module loaded."""
    with TemporaryDirectory() as folder:
        os.environ["HOME"] = os.environ["XDG_STATE_HOME"] = folder
        uri = claude(Path(folder) / "session.jsonl", SMALL).as_uri()
        written(made_of(uri))
        drafts = [made_of(uri) for _ in range(2 * ROUNDS)]
        family = family_of("claude-sonnet-4-5")

        def count() -> None:
            counter = Counter()
            for message in drafts[0].masked:
                weigh(message, counter.count, family)

        counting = statistics.median(seconds(count) for _ in range(ROUNDS))
        one = [seconds(partial(written, made)) for made in drafts[:ROUNDS]]
        six = [seconds(partial(lengths, made)) for made in drafts[ROUNDS:]]
        whole = [seconds(lambda: written(made_of(uri))) for _ in range(ROUNDS)]
        yield "a hand-over / counting its chat", statistics.median(one) / counting, ONE, "x"
        yield "six lengths / one", statistics.median(six) / statistics.median(one), SIX, "x"
        yield "a hand-over of 100,000 tokens, median", 1000 * statistics.median(one), P50, "ms"
        yield "a hand-over of 100,000 tokens, slowest", 1000 * max(one), P95, "ms"
        print(f"reading, counting and masking it too: {1000 * statistics.median(whole):.0f} ms")


def written(made: Planned) -> None:
    """Write the usual text."""
    assert made.offline_summary


def lengths(made: Planned) -> None:
    """Write six texts."""
    for budget in LENGTHS:
        made.written_offline(budget)


def timed(paths: list[str]) -> None:
    """Print the times of real chats."""
    for path in paths:
        made = made_of(Path(path).absolute().as_uri())
        took = 1000 * seconds(partial(written, made))
        print(f"{Path(path).name}: {made.as_given.meter.used:,} tokens, {took:.0f} ms")


if __name__ == "__main__":
    if sys.argv[1:]:
        timed(sys.argv[1:])
        sys.exit(0)
    sys.exit(judged(figures()))
