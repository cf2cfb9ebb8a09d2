"""The last compactions of a server whose archives are off: as long as it lives, they can still be undone."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from compact_chat.disk.archive_record import Record

MOST = 16
ROOM = 64 * 2**20  # bytes of originals; one that is larger is remembered all the same, but alone


class Remembered(Struct, frozen=True):
    """A compaction, and the bytes of its originals by their hashes."""

    record: Record
    originals: Mapping[str, bytes]

    @property
    def size(self) -> int:
        """How many bytes the originals are."""
        return sum(map(len, self.originals.values()))


class Undo:
    """What one client's server remembers, newest last."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Remembered] = OrderedDict()
        self._lock = Lock()

    def keep(self, one: Remembered) -> None:
        """Remember a compaction, and let the oldest go."""
        with self._lock:
            self._kept[one.record.head.id] = one
            while len(self._kept) > MOST or (len(self._kept) > 1 and self._size() > ROOM):
                self._kept.popitem(last=False)

    def find(self, compaction_id: str) -> Remembered | None:
        """Give a compaction, if it is not forgotten."""
        return self._kept.get(compaction_id)

    def forget(self, compaction_id: str) -> None:
        """Take a compaction back."""
        with self._lock:
            self._kept.pop(compaction_id, None)

    def all(self) -> list[Remembered]:
        """Give all that is remembered."""
        with self._lock:
            return list(self._kept.values())

    def _size(self) -> int:
        return sum(one.size for one in self._kept.values())
