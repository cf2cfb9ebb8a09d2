"""What a request with a chat of 4 MB costs, beside a bare server that is sent the same text and the work itself."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script finds its own folder only

from compact_chat.operations import ClientState, Job
from tests.bench.chats import MEGABYTE, messages, session
from tests.bench.servers import BARE_SERVER, Figure, call_seconds, initialized, judged, nothing
from tests.samples.alone import perform_alone
from tests.servers.wire_client import WireClient

Make = Callable[[int], tuple[dict[str, Any], str]]  # of a seed: a chat, and the text that a bare server is sent

LIMIT = 1.3
CHATS, AGAIN = 9, 3
SIZE, MESSAGES = 4 * MEGABYTE, 400


class Sides(NamedTuple):
    """Who is compared: the server, a bare one, and the operations in this process."""

    ours: WireClient
    bare: WireClient
    client: ClientState


class Taken(NamedTuple):
    """The milliseconds that one chat took on each side."""

    ours: float
    bare: float
    work: float

    @property
    def ratio(self) -> float:
        """Set ours beside the sum of both."""
        return self.ours / (self.bare + self.work)


def figures() -> Iterator[Figure]:
    """Each way to give a chat: new ones, and the same again, of which the tokens are known."""
    sides = Sides(initialized(), initialized(BARE_SERVER), ClientState())
    for name, make in (("text", text_of), ("messages", messages_of)):
        new, known = taken_in_turn(sides, make)
        yield told(f"4 MB as {name}", new)
        yield told(f"known 4 MB as {name}", known)
    sides.ours.close()
    sides.bare.close()


def taken_in_turn(sides: Sides, make: Make) -> tuple[list[Taken], list[Taken]]:
    """Count chats on each side, and each of them again; the first chat only warms the sides up."""
    new, known = [], []
    for seed in range(CHATS + 1):
        chat, text = make(seed)
        new.append(once(sides, {"chat": chat}, text))
        known += [once(sides, {"chat": chat}, text) for _ in range(AGAIN)]
    return new[1:], known[AGAIN:]


def once(sides: Sides, params: dict[str, Any], text: str) -> Taken:
    """Time each side, one after the other."""
    bare = call_seconds(sides.bare, nothing(text))
    began = time.perf_counter()
    perform_alone("countTokens", params, Job(sides.client))
    work = time.perf_counter() - began
    ours = call_seconds(sides.ours, ("compactChat/countTokens", params))
    return Taken(1000 * ours, 1000 * bare, 1000 * work)


def told(name: str, rounds: list[Taken]) -> Figure:
    """Print the medians, and give the median of the ratios."""
    ours, bare, work = map(statistics.median, zip(*rounds, strict=True))
    print(f"{name}: {ours:.1f} ms, bare server {bare:.1f} ms, the work {work:.1f} ms")
    return f"{name} / (bare server + work)", statistics.median(taken.ratio for taken in rounds), LIMIT, "x"


def text_of(seed: int) -> tuple[dict[str, Any], str]:
    """Give a chat as the text of a session file, and what a bare server is sent."""
    text = session(SIZE, seed)
    return {"text": text}, text


def messages_of(seed: int) -> tuple[dict[str, Any], str]:
    """Give a chat as messages, and what a bare server is sent."""
    said = messages(SIZE, MESSAGES, seed)
    return {"messages": said}, "".join(message["content"] for message in said)


if __name__ == "__main__":
    sys.exit(judged(figures()))
