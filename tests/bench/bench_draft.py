"""The cost of changing a draft of a chat of 100,000 tokens: another length, a fact added back, a pinned message."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script is imported from its own folder only

from compact_chat.operations import ClientState, Job
from tests.bench.long_chats import claude
from tests.bench.servers import Figure, judged
from tests.samples.alone import perform_alone

SIZE = 850_000  # bytes of a session file of 100,000 tokens
MOST, SHARE = 100, 0.25  # milliseconds, and of what it takes to begin the draft
ROUNDS = 9
Shown = dict[str, Any]


def figures() -> Iterator[Figure]:
    """Measure each kind of change on a draft in use, in CPU time, and compare it with beginning the draft."""
    with TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder  # the archive is deleted with the rest
        path = claude(Path(folder) / "session.jsonl", SIZE)
        begin = {"chat": {"uri": path.as_uri()}, "options": {"style": "handoff", "summaryBudget": 1500}}
        seconds(begin, ClientState())  # loads every module
        client = ClientState()
        first, shown = seconds(begin, client)
        ids = [one["id"] for one in shown["preview"]["messages"][10:]]
        lost = [fact["id"] for one in shown["compaction"]["survival"]["classes"] for fact in one["lost"]]
        changes: dict[str, Callable[[int], Shown]] = {
            "another length": lambda n: {"options": {"summaryBudget": 2000 + 400 * n}},
            "a fact added back": lambda n: {"addBack": lost[: n + 1]},
            "a pinned message": lambda n: {"options": {"pin": ids[5 * n : 5 * n + 1]}},
        }
        for name, change in changes.items():
            took = []
            for n in range(ROUNDS):
                params = {"draftId": shown["draftId"], "version": shown["version"], **change(n)}
                one, shown = seconds(params, client)
                took.append(one)
            yield f"{name} in a draft of {shown['report']['used']:,} tokens", 1000 * statistics.median(took), MOST, "ms"
            yield f"{name} / beginning the draft", statistics.median(took) / first, SHARE, "x"


def seconds(params: Shown, client: ClientState) -> tuple[float, Shown]:
    """Time the operation by CPU time: other programs may share the machine, and nothing waits here."""
    began = time.process_time()
    shown = perform_alone("draft", params, Job(client))
    return time.process_time() - began, shown


if __name__ == "__main__":
    sys.exit(judged(figures()))
