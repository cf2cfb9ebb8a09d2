"""How soon a provider obeys and tells: cancel to closed connection in each phase, and the delay of streamed text."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script finds its own folder only

from tests.bench.servers import Figure, judged, percentile
from tests.servers.messages_api import Api, serving
from tests.servers.messages_api_behaviours import block, opened, pauseless, steps
from tests.servers.messages_api_calls import PHASES, access, environment, seconds_to_hang_up, writing

TRIES, PIECES = 30, 300  # cancellations of each phase, and pieces of text
CLOSED, TOLD = 10.0, 50.0  # milliseconds


def cancelling(patch: pytest.MonkeyPatch) -> Iterator[Figure]:
    """From the cancellation to the closed connection, as the other end sees it."""
    for phase, behaviour in PHASES.items():
        with serving(behaviour) as api:
            environment(patch, api)
            if phase == "connect":
                patch.setenv("ANTHROPIC_BASE_URL", api.url.replace("http:", "https:"))
            times = [1000 * asyncio.run(seconds_to_hang_up(api)) for _ in range(TRIES)]
        print(f"cancel to closed, {phase}: p50 {percentile(times, 0.5):.2f} ms, longest {max(times):.2f} ms")
        yield f"longest from cancel to closed, {phase}", max(times), CLOSED, "ms"


def streaming(patch: pytest.MonkeyPatch) -> Iterator[Figure]:
    """From the moment that the other end sends a piece of text until it is told."""
    with serving(steps(opened, block, pauseless(lambda to: to.tell("a piece of text ")))) as api:
        environment(patch, api)
        times = asyncio.run(delays(api))
    print(f"sent to told: p50 {percentile(times, 0.5):.2f} ms, p95 {percentile(times, 0.95):.2f} ms")
    yield f"longest of {PIECES} from sent to told", max(times), TOLD, "ms"


async def delays(api: Api) -> list[float]:
    """Take so many pieces of a reply without an end, and tell what each took; milliseconds."""
    told: list[float] = []
    enough = asyncio.Event()

    def tell(_: str) -> None:
        told.append(time.perf_counter())
        if len(told) == PIECES:
            enough.set()

    task = asyncio.create_task(writing(access(), tell))
    await enough.wait()
    task.cancel()
    await asyncio.wait({task})
    return [1000 * (now - sent) for now, (_, sent) in zip(told, api.requests[0].told, strict=False)]


if __name__ == "__main__":
    with pytest.MonkeyPatch.context() as patched:
        sys.exit(judged(chain(cancelling(patched), streaming(patched))))
