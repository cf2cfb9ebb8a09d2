"""Which chat of a workspace is in use: the one that was written last, unless two are written in turn."""

from __future__ import annotations

import time
from collections.abc import Callable

from compact_chat.disk.recent import Recent

SCAN = 0.25  # seconds between two looks at the chats of the workspace
QUIET = 5.0  # seconds without a word in the chat in use, before one comes back that was in use earlier
_SECOND = 1_000_000_000
_TRIED = 10


class InUse:
    """The chat in use, as one look after another finds it."""

    def __init__(self, newest: Callable[[], list[Recent]]) -> None:
        self._newest = newest
        self._present: Recent | None = None
        self._earlier: set[str] = set()
        self._looked = 0.0

    def candidates(self) -> list[Recent]:
        """Name the newest chats, the newest first."""
        return self._newest()[:_TRIED]

    def settle(self, chat: Recent) -> None:
        """Take a chat for the one in use."""
        self._present = chat
        self._earlier.add(chat.uri)
        self._looked = time.monotonic()

    def chat(self) -> Recent | None:
        """Tell which chat is in use."""
        if time.monotonic() - self._looked >= SCAN:
            self._looked = time.monotonic()
            self._choose(self._newest())
        return self._present

    def _choose(self, found: list[Recent]) -> None:
        """Turn to the newest chat; to one that was left earlier only once the present one is quiet.

        Otherwise two chats that are written in turn would take each other's place every second.
        """
        now = {one.uri: one for one in found}
        present = now.get(self._present.uri) if self._present else None
        if found and (present is None or found[0].uri not in self._earlier or _is_quiet(present, found[0])):
            self.settle(found[0])
        elif present is not None:
            self._present = present


def _is_quiet(present: Recent, other: Recent) -> bool:
    return max(time.time_ns(), other.changed) - present.changed >= QUIET * _SECOND
