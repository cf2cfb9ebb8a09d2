"""The fuzz tests of the wire for longer: calls, sequences, mutated bytes, whole sessions, and sessions in any order.

python tests/bench/bench_fuzz.py [SECONDS [SEED]]. Each round has the seed after the one before it, so that the seed
printed beside a fault, given again, plays that round first.
"""

from __future__ import annotations

import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script finds its own folder only

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import run_state_machine_as_test

from compact_chat.operations.table import OPERATIONS
from tests.oracles.wire_replay import one_replay, one_session
from tests.strategies.wire_fuzz import damaged_calls
from tests.strategies.wire_lived import Lived, one_call, smaller_within
from tests.strategies.wire_machine import Session
from tests.strategies.wire_mutations import replays
from tests.strategies.wire_steps import one_sequence, sequences

SECONDS = 120.0
SHRINKING = 60.0  # seconds more where an example fails
ENOUGH = 1000  # calls after which each operation must have given results, or the fuzzer tries too little
many = settings(max_examples=100, deadline=None, database=None, suppress_health_check=list(HealthCheck))
few = settings(many, max_examples=5, stateful_step_count=30)


def main(seconds: float = SECONDS, first: int | None = None) -> int:
    """Tell what was done; 1 where a promise was broken."""
    first = random.randrange(2**32) if first is None else first
    print(f"seed {first}, {seconds:g} s", flush=True)
    lived, done = Lived(), Counter[str]()
    ends, faults = time.monotonic() + seconds, 0
    for number in count(first):
        for name, story in stories(lived).items():
            if time.monotonic() < ends:
                faults += not held(name, number, partial(story, number, done))
        if faults or time.monotonic() >= ends:
            break
    print(", ".join(f"{times} {name}" for name, times in done.items()), f"and {lived.messages} messages to one server")
    print(", ".join(f"{times} {name}" for name, times in sorted(lived.outcomes.items())))
    lived.close()
    return 1 if faults or tries_too_little(lived, done["calls"]) else 0


def held(name: str, number: int, story: Callable[[], None]) -> bool:
    """Say whether a round kept all promises, and print the example that did not."""
    try:
        story()
    except Exception:  # noqa: BLE001 -- whatever is wrong, the other kinds have their turn
        traceback.print_exc()
        print(f"{name}: a promise was broken in the round with the seed {number}", flush=True)
        return False
    return True


def tries_too_little(lived: Lived, calls: int) -> bool:
    """Say which operations never gave a result, after so many calls that they should."""
    missing = [name for name in OPERATIONS if name != "unwatch" and not lived.outcomes[f"{name} result"]]
    if missing and calls > ENOUGH:
        print(f"no result of {', '.join(missing)}")
        return True
    return False


def stories(lived: Lived) -> dict[str, Callable[[int, Counter[str]], None]]:
    """The five kinds of examples, each as a round with a seed that counts its examples."""
    return {
        "calls": partial(fuzz, "calls", many, damaged_calls(), partial(lived.use, one_call)),
        "sequences": partial(fuzz, "sequences", many, sequences(), partial(lived.use, one_sequence)),
        "replays": partial(fuzz, "replays", many, replays(only_work=True), partial(lived.use, one_replay)),
        "sessions": partial(fuzz, "sessions", few, replays(only_work=False), one_session),
        "orders": any_order,
    }


def fuzz(
    name: str,
    how: settings,
    examples: st.SearchStrategy[Any],
    story: Callable[[Any], None],
    number: int,
    done: Counter[str],
) -> None:
    """One round of examples of one kind."""
    bounded = smaller_within(SHRINKING, story)

    @seed(number)
    @how
    @given(examples)
    def example(one: Any) -> None:
        bounded(one)
        done[name] += 1

    example()


def any_order(number: int, done: Counter[str]) -> None:
    """One round of sessions in any order."""
    run_state_machine_as_test(seed(number)(Session), settings=few)
    done["orders"] += few.max_examples


if __name__ == "__main__":
    wished = sys.argv[1:]
    sys.exit(main(float(wished[0]) if wished else SECONDS, int(wished[1]) if wished[1:] else None))
