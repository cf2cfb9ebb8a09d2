"""A bare server to compare ours with, and helpers to call both and judge the figures."""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any, NamedTuple

from tests.servers.wire_client import SERVE, WireClient, framed

# The minimal pygls server.
BARE = """
from pygls.lsp.server import LanguageServer
server = LanguageServer("bare", "1")
@server.command("nothing")
def nothing(*arguments):
    return None
server.start_io()
"""
BARE_SERVER = (sys.executable, "-c", BARE)
SMALL = ("compactChat/continuation", {"summary": "Summary:\nok"})

Figure = tuple[str, float, float, str]  # name, measured, limit, unit
Way = tuple[str, Any]  # method and params
EVERY = 0.02  # seconds between two small requests
_NUMBERS = count(1_000_000)


class Prepared(NamedTuple):
    """A request as bytes, so that writing its JSON is not timed."""

    number: int
    frame: bytes


def judged(figures: Iterable[Figure]) -> int:
    """Print each figure with its limit; return 1 if one exceeds it, unless other programs use the machine."""
    over = 0
    for name, measured, limit, unit in figures:
        excused = measured > limit and is_busy()
        reported = "; not judged, since other programs keep the machine busy" if excused else ""
        print(f"{name}: {measured:.3g} {unit} (limit {limit:g} {unit}){reported}", flush=True)
        over += measured > limit and not excused
    return 1 if over else 0


def is_busy() -> bool:
    """Return whether two cores take clearly longer in parallel than one alone, in any of a few samples."""
    return any(work_seconds(2) > 1.2 * work_seconds(1) for _ in range(4))


def work_seconds(cores: int) -> float:
    """Time work on several cores, which takes no longer than on one if they are free."""
    began = time.perf_counter()
    with ThreadPoolExecutor(cores) as pool:
        list(pool.map(lambda _: hashlib.pbkdf2_hmac("sha256", b"", b"", 250_000), range(cores)))
    return time.perf_counter() - began


def initialized(command: Sequence[str] = SERVE) -> WireClient:
    """Start a server and shake hands."""
    client = WireClient(command)
    client.initialize()
    return client


def nothing(*arguments: Any) -> Way:
    """Call the bare server's command, which accepts anything and does nothing."""
    return "workspace/executeCommand", {"command": "nothing", "arguments": list(arguments)}


def prepared(way: Way) -> Prepared:
    """Write a request as editors do, with all scripts unescaped."""
    number = next(_NUMBERS)
    message = {"jsonrpc": "2.0", "id": number, "method": way[0], "params": way[1]}
    return Prepared(number, framed(json.dumps(message, ensure_ascii=False).encode()))


def call_seconds(client: WireClient, way: Way) -> float:
    """Time one request from the first byte to the answer."""
    request = prepared(way)
    client.inbox.clear()
    client.answered.clear()
    began = time.perf_counter()
    client.raw(request.frame)
    answer = client.answer(request.number)
    assert "error" not in answer, answer
    return client.answered[request.number] - began


def percentile(values: Iterable[float], share: float) -> float:
    """Return the given percentile of the values."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def waits_during(client: WireClient, *large: Prepared) -> list[float]:
    """Send large requests at once, then a small one every 20 ms until they are answered; return the seconds of each.

    A small one waits from when it is due, whether or not those before it are answered; the first is due as soon as the
    pipe has taken the large ones.
    """
    client.answered.clear()
    for one in large:
        client.raw(one.frame)
    due: dict[int, float] = {}
    following = time.perf_counter()
    while any(one.number not in client.answered for one in large):
        due[client.start(*SMALL)] = following
        following += EVERY
        time.sleep(max(0.0, following - time.perf_counter()))
    for one in large:
        assert "error" not in client.answer(one.number), client.answer(one.number)
    for small in due:
        client.answer(small)
    client.inbox.clear()
    return [client.answered[small] - since for small, since in due.items()]
