"""What was counted lately, in bounded room."""

from __future__ import annotations

import hashlib
from threading import Lock

SHORT = 200
ROOM = 5_000_000
DIGEST_COST = 250

Key = str | tuple[int, bytes]


class CountCache:
    """Counts by text: a short text is its own key, a long one leaves its length and digest; the oldest go first."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._counts: dict[Key, int] = {}
        self._lock = Lock()

    def get(self, key: Key) -> int | None:
        """Give the count that was kept under a key."""
        return self._counts.get(key)

    def put(self, key: Key, count: int) -> None:
        """Keep a count, and let old ones go where the room is used up."""
        with self._lock:
            if key not in self._counts:
                self._counts[key] = count
                self._room -= _cost(key)
            while self._room < 0:
                oldest = next(iter(self._counts))
                del self._counts[oldest]
                self._room += _cost(oldest)


def key_of(text: str) -> Key:
    """The key of a text."""
    if len(text) <= SHORT:
        return text
    return len(text), hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _cost(key: Key) -> int:
    return DIGEST_COST + len(key) if isinstance(key, str) else DIGEST_COST
