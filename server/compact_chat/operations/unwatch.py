"""Follow a chat no longer."""

from __future__ import annotations

from msgspec import Struct

from compact_chat.operations.desk import Desk
from compact_chat.operations.work import Work
from compact_chat.wire import Unwatched

Result = Unwatched


class Params(Struct, frozen=True, rename="camel"):
    """Which watch ends."""

    watch_id: str


def run(asked: Params, desk: Desk, _: Work) -> Unwatched:
    """End a watch; nothing more is told of it."""
    desk.watches.remove(asked.watch_id)
    return Unwatched()
