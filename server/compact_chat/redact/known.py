"""What was found in a text lately, in bounded room."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from threading import Lock

from compact_chat.redact.find import SHORTEST, find
from compact_chat.redact.spans import Span

TEXTS = 50_000  # remembered at once; a text leaves its length and digest only
LARGEST = 256  # spans of one text that are remembered

Key = tuple[int, bytes, bool]


class Known:
    """The spans of texts that were looked at before; the oldest go first. Threads may share it."""

    def __init__(self, texts: int = TEXTS) -> None:
        self._texts = texts
        self._spans: dict[Key, tuple[Span, ...]] = {}
        self._lock = Lock()

    def find(self, text: str, emails: bool, check: Callable[[], None]) -> tuple[Span, ...]:
        """The secrets of a text, from memory where it was seen before."""
        if len(text) < SHORTEST:
            return ()
        key = _key(text, emails)
        spans = self._spans.get(key)
        if spans is None:
            spans = find(text, emails, check)
            self._remember(key, spans)
        return spans

    def _remember(self, key: Key, spans: tuple[Span, ...]) -> None:
        with self._lock:
            if len(spans) <= LARGEST:
                self._spans[key] = spans
            while len(self._spans) > self._texts:
                del self._spans[next(iter(self._spans))]


def _key(text: str, emails: bool) -> Key:
    return len(text), hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest(), emails
