"""The cost of the wire: starting, the first count, and small requests, to an idle server and beside large ones."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script is imported from its own folder only

from tests.bench.chats import MEGABYTE, messages, session, write_chat
from tests.bench.servers import (
    BARE_SERVER,
    SMALL,
    Figure,
    Way,
    call_seconds,
    initialized,
    judged,
    nothing,
    percentile,
    prepared,
    waits_during,
)
from tests.servers.wire_client import SERVE, WireClient

CONSTRUCTOR = """
import time, tiktoken
from compact_chat.measure import weights as vocabulary
ranks, known = vocabulary._ranks("o200k_base"), vocabulary.VOCABULARIES["o200k_base"]
began = time.perf_counter()
tiktoken.Encoding("bare", pat_str=known.pattern, mergeable_ranks=ranks, special_tokens={})
print(time.perf_counter() - began)
"""
TEN_MESSAGES = [
    {"role": ("user", "assistant")[n % 2], "content": f"Shelf {n} holds {n * 7} trays of rye bread until day {n}. " * 4}
    for n in range(10)
]
# A request with the complete path of one: it is read, checked, run, masked and written, and its work is one
# line of text. As a request and as the command, which is how a bare server is called.
WAYS: dict[str, Way] = {
    "continuation": SMALL,
    "continuation as a command": (
        "workspace/executeCommand",
        {"command": "compactChat.continuation", "arguments": [SMALL[1]]},
    ),
    "count of ten messages": ("compactChat/countTokens", {"chat": {"messages": TEN_MESSAGES}}),
}
LIMITS = {"continuation": 1.5, "continuation as a command": 1.5, "count of ten messages": 2}
SLOWEST = 3.0  # milliseconds for 99 of 100 requests
STARTS, CALLS, BLOCK, ROUNDS = 15, 2000, 100, 7
LONGEST = 50.0  # milliseconds for 95 of 100 small requests beside large ones
CHATS, AT_ONCE = 4, 4


def starting() -> Iterator[Figure]:
    """Time from spawning to the answer to `initialize`, alternating with a bare server."""
    pairs = [(start_seconds(SERVE), start_seconds(BARE_SERVER)) for _ in range(STARTS)]
    ours, bare = (statistics.median(side) for side in zip(*pairs, strict=True))
    print(f"start: {ours * 1000:.0f} ms, bare server {bare * 1000:.0f} ms")
    yield "start / bare server", ours / bare, 1.15, "x"


def start_seconds(command: Sequence[str]) -> float:
    """Time one start."""
    began = time.perf_counter()
    client = WireClient(command)
    client.initialize()
    needed = client.answered[1] - began
    client.close()
    return needed


def calling() -> Iterator[Figure]:
    """Time small requests to a warm idle server, alternating with a command of a bare one."""
    ours, bare = initialized(SERVE), initialized(BARE_SERVER)
    ours.call(*WAYS["count of ten messages"])
    least, times = blocks_in_turn(ours, bare)
    ours.close()
    bare.close()
    half, slow = statistics.median(least), percentile(least, 0.99)
    print(f"{CALLS} calls each; bare command: p50 {half:.2f} ms, p99 {slow:.2f} ms")
    for name, limit in LIMITS.items():
        print(f"{name}: p50 {statistics.median(times[name]):.2f} ms, longest {max(times[name]):.1f} ms")
        yield f"{name} / bare command", statistics.median(times[name]) / half, limit, "x"
        if slow < SLOWEST:
            yield f"p99 of {name}", percentile(times[name], 0.99), SLOWEST, "ms"
        else:
            print(f"p99 of {name}: not judged, since other programs held up the bare server as long")


def blocks_in_turn(ours: WireClient, bare: WireClient) -> tuple[list[float], dict[str, list[float]]]:
    """Time blocks of each way in turn, so that a busy machine affects them alike; all in milliseconds."""
    least: list[float] = []
    times: dict[str, list[float]] = {name: [] for name in WAYS}
    for _ in range(CALLS // BLOCK):
        least += (1000 * call_seconds(bare, nothing()) for _ in range(BLOCK))
        for name, way in WAYS.items():
            times[name] += (1000 * call_seconds(ours, way) for _ in range(BLOCK))
    return least, times


def first_count() -> Iterator[Figure]:
    """The longest wait of a small request while the first count builds the vocabulary, against the build alone."""
    with tempfile.TemporaryDirectory() as folder:
        chat = {"uri": write_chat(Path(folder) / "chat", 1000).as_uri()}
        pairs = [(longest_wait(chat), constructor_seconds()) for _ in range(ROUNDS)]
    wait, bare = (statistics.median(side) for side in zip(*pairs, strict=True))
    print(f"longest wait at the first count: {wait * 1000:.0f} ms, constructor {bare * 1000:.0f} ms")
    yield "longest wait at the first count / constructor", wait / bare, 1.5, "x"


def longest_wait(chat: dict[str, str]) -> float:
    """Count a chat in a server that has counted nothing yet, with concurrent small requests."""
    client = initialized(SERVE)
    client.call(*SMALL)
    longest = max(waits_during(client, prepared(("compactChat/countTokens", {"chat": chat}))))
    client.close()
    return longest


def constructor_seconds() -> float:
    """Time what the first count has to build, in a fresh process."""
    done = subprocess.run((sys.executable, "-c", CONSTRUCTOR), capture_output=True, check=True)
    return float(done.stdout)


def working() -> Iterator[Figure]:
    """Small requests to a warm server, while a million tokens are counted, previewed and summarized offline."""
    client = initialized()
    with tempfile.TemporaryDirectory() as folder:
        client.call("compactChat/countTokens", {"chat": {"uri": write_chat(Path(folder) / "small", 1000).as_uri()}})
        waits: dict[str, list[float]] = {"countTokens": [], "preview": [], "summarize": []}
        for seed in range(CHATS):
            chat = {"uri": write_chat(Path(folder) / "large", 1_000_000, seed).as_uri()}
            for name, found in waits.items():
                more = {"provider": "offline"} if name == "summarize" else {}
                found += waits_during(client, prepared((f"compactChat/{name}", {"chat": chat, **more})))
    for name, found in waits.items():
        yield slowest(f"{name}, {CHATS} chats", found)
    yield from pending(client)
    client.close()


def pending(client: WireClient) -> Iterator[Figure]:
    """Small requests while several with 4 MB each are pending, as text and as messages."""
    makers: dict[str, Callable[[int], dict[str, object]]] = {
        "texts": lambda seed: {"text": session(4 * MEGABYTE, seed)},
        "messages": lambda seed: {"messages": messages(4 * MEGABYTE, 400, seed)},
    }
    for name, make in makers.items():
        waits: list[float] = []
        for first in range(0, CHATS * AT_ONCE, AT_ONCE):
            chats = [{"chat": make(first + n)} for n in range(AT_ONCE)]
            waits += waits_during(client, *(prepared(("compactChat/countTokens", chat)) for chat in chats))
        yield slowest(f"{AT_ONCE} requests with 4 MB of {name}", waits)


def slowest(work: str, waits: Sequence[float]) -> Figure:
    """Print how many small requests there were and the longest wait; return the 95th percentile."""
    print(f"{work}: {len(waits)} small requests, the longest wait {1000 * max(waits):.0f} ms")
    return f"{work}: 95 of 100 small requests", 1000 * percentile(waits, 0.95), LONGEST, "ms"


if __name__ == "__main__":
    sys.exit(judged(chain(starting(), calling(), first_count(), working())))
