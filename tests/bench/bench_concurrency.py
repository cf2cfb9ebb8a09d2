"""How long a small request waits while the server works on large ones."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script is imported from its own folder only

from tests.bench.chats import MEGABYTE, messages, session, write_chat
from tests.bench.servers import Figure, initialized, judged, percentile, prepared, waits_during
from tests.servers.wire_client import WireClient

LONGEST = 50.0  # milliseconds for 95 of 100 small requests
CHATS, AT_ONCE = 4, 4
FILES: tuple[tuple[str, dict[str, str]], ...] = (
    ("countTokens", {}),
    ("preview", {}),
    ("summarize", {"provider": "offline"}),
)


def main() -> int:
    """Run every measurement on one warm server."""
    with tempfile.TemporaryDirectory() as folder:
        client = initialized()
        client.call("compactChat/countTokens", {"chat": {"uri": write_chat(Path(folder) / "small", 1000).as_uri()}})
        over = judged(chain(during_files(client, Path(folder)), during_requests(client)))
        client.close()
    return over


def during_files(client: WireClient, folder: Path) -> Iterator[Figure]:
    """Wait while a million tokens are counted, previewed and summarized offline."""
    waits: dict[str, list[float]] = {name: [] for name, _ in FILES}
    for seed in range(CHATS):
        chat = {"uri": write_chat(folder / "large", 1_000_000, seed).as_uri()}
        for name, more in FILES:
            waits[name] += waits_during(client, prepared((f"compactChat/{name}", {"chat": chat, **more})))
    for name, seconds in waits.items():
        yield figure(f"{name}, {CHATS} chats", seconds)


def during_requests(client: WireClient) -> Iterator[Figure]:
    """Wait while several requests with 4 MB each are pending, as text and as messages."""
    makers: dict[str, Callable[[int], dict[str, object]]] = {
        "texts": lambda seed: {"text": session(4 * MEGABYTE, seed)},
        "messages": lambda seed: {"messages": messages(4 * MEGABYTE, 400, seed)},
    }
    for name, make in makers.items():
        waits: list[float] = []
        for first in range(0, CHATS * AT_ONCE, AT_ONCE):
            chats = [{"chat": make(first + n)} for n in range(AT_ONCE)]
            waits += waits_during(client, *(prepared(("compactChat/countTokens", chat)) for chat in chats))
        yield figure(f"{AT_ONCE} requests with 4 MB of {name}", waits)


def figure(work: str, waits: Sequence[float]) -> Figure:
    """Print how many small requests there were and the longest wait; return the 95th percentile."""
    print(f"{work}: {len(waits)} small requests, the longest wait {1000 * max(waits):.0f} ms")
    return f"p95 during {work}", 1000 * percentile(waits, 0.95), LONGEST, "ms"


if __name__ == "__main__":
    sys.exit(main())
