"""Follow a chat no longer."""

from __future__ import annotations

from msgspec import Struct

from compact_chat.operations.job import Job
from compact_chat.wire import Unwatched

Result = Unwatched


class Params(Struct, frozen=True, rename="camel"):
    """Which watch ends."""

    watch_id: str


def run(asked: Params, job: Job) -> Unwatched:
    """End a watch; nothing more is reported of it."""
    job.client.watches.remove(asked.watch_id)
    return Unwatched()
