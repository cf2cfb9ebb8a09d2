"""The cost of facts: those of a chat of a million tokens beside counting it, and `check` of 100,000 tokens.

python tests/bench/bench_facts.py
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script is imported from its own folder only

from compact_chat.measure import Counter, family_of, weigh
from compact_chat.operations import ClientState, Job
from compact_chat.read import Source, read_chat
from tests.bench.long_chats import claude
from tests.bench.servers import Figure, judged
from tests.samples.alone import perform_alone
from tests.samples.facts import collect

SIZE, SMALL = 8_500_000, 850_000  # bytes of session files of a million and of 100,000 tokens
TIMES_COUNTED, CHECK = 1.2, 150  # milliseconds on one core
ROUNDS = 7


def figures() -> Iterator[Figure]:
    """Measure facts beside counting in the same run, and a check with every module loaded."""
    with TemporaryDirectory() as folder:
        chat = read_chat(Source.of_bytes(claude(Path(folder) / "long.jsonl", SIZE).read_bytes()))
        family = family_of("claude-sonnet-4-5")

        def count() -> None:
            counter = Counter()
            for message in chat.messages:
                weigh(message, counter.count, family)

        ratio = statistics.median(seconds(lambda: collect(chat.messages)) / seconds(count) for _ in range(ROUNDS))
        yield "facts of a million tokens / counting them", ratio, TIMES_COUNTED, "x"
        uri = claude(Path(folder) / "session.jsonl", SMALL).as_uri()
        summary = "\n".join(message.text[:200] for message in chat.messages[:200])
        given = {"chat": {"uri": uri}, "summary": summary}
        times = [seconds(lambda: perform_alone("check", given, Job(ClientState()))) for _ in range(ROUNDS)]
        yield "check of 100,000 tokens", 1000 * statistics.median(times), CHECK, "ms"


def seconds(run: Callable[[], object]) -> float:
    """Time by CPU time: other programs may share the machine, and nothing waits here."""
    began = time.process_time()
    run()
    return time.process_time() - began


if __name__ == "__main__":
    sys.exit(judged(figures()))
