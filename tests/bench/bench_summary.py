"""How soon the whole server obeys and tells: an editor's cancellation until the connection is closed; streamed text."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script finds its own folder only

from tests.bench.servers import Figure, judged, percentile
from tests.servers.messages_api import Api, serving
from tests.servers.messages_api_behaviours import block, opened, pauseless, steps
from tests.servers.messages_api_calls import PHASES, environment
from tests.servers.wire_client import WireClient
from tests.strategies.wire_chats import long_chat

TRIES, PIECES = 12, 200  # cancellations of each phase, and pieces of text
CLOSED, TOLD = 10.0, 50.0  # milliseconds
SUMMARIZE = "compactChat/summarize"
ASKED = {"chat": long_chat(60), "provider": "anthropic", "partialResultToken": "text"}


def figures(patch: pytest.MonkeyPatch) -> Iterator[Figure]:
    """Measure with one server and one API."""
    with serving() as api:
        environment(patch, api)
        client = WireClient()
        client.initialize()
        client.call(SUMMARIZE, ASKED)  # from then on all is loaded
        for phase, behaviour in PHASES.items():
            if phase != "connect":
                times = [cancelled(client, api, behaviour) for _ in range(TRIES)]
                yield f"longest from an editor's cancellation to closed, {phase}", max(times), CLOSED, "ms"
        delays = streamed(client, api)
        print(f"sent to the editor: p50 {percentile(delays, 0.5):.1f} ms, p95 {percentile(delays, 0.95):.1f} ms")
        yield f"longest of {PIECES} from sent to the editor", max(delays), TOLD, "ms"
        client.close()


def cancelled(client: WireClient, api: Api, behaviour: str) -> float:
    """Cancel a request that waits, and tell how long its connection stayed; milliseconds."""
    api.then(behaviour)
    number = client.start(SUMMARIZE, ASKED)
    seen = api.waiting.get(timeout=20)
    began = time.perf_counter()
    client.notify("$/cancelRequest", {"id": number})
    assert seen.gone.wait(20)
    assert seen.gone_at
    client.answer(number)
    return 1000 * (seen.gone_at - began)


def streamed(client: WireClient, api: Api) -> list[float]:
    """Tell when each piece of a reply came, after it was sent; milliseconds."""
    api.then(steps(opened, block, pauseless(lambda to: to.tell("a piece of text "))))
    arrivals: list[float] = []
    client.inbox.clear()
    number = client.start(SUMMARIZE, ASKED)
    have = 0
    while have < PIECES:
        place = len(client.inbox)
        client.until(lambda one: one.get("method") == "$/progress", place)
        now = time.perf_counter()
        told = "".join(one["text"] for one in client.progress("text")).count("a piece of text")
        arrivals += [now] * (told - have)
        have = told
    client.notify("$/cancelRequest", {"id": number})
    client.answer(number)
    sent = [at for _, at in api.requests[-1].told]
    return [1000 * (now - at) for now, at in zip(arrivals, sent, strict=False)]


if __name__ == "__main__":
    with pytest.MonkeyPatch.context() as patched:
        sys.exit(judged(figures(patched)))
