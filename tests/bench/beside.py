"""Small requests beside large ones: how long each of them waits."""

from __future__ import annotations

import time

from tests.bench.servers import SMALL, Prepared
from tests.servers.wire_client import WireClient

EVERY = 0.02


def waits_beside(client: WireClient, *large: Prepared) -> list[float]:
    """Send large requests at once, then a small one every 20 ms until they are answered; give the seconds of each.

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
