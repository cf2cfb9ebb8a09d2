"""An operation tells how far it is, and stops between two steps when it is cancelled."""

from __future__ import annotations

import pytest

from compact_chat.errors import Cancelled
from compact_chat.operations import ClientState, Job


def test_each_item_is_reported_with_its_share() -> None:
    """Going through items reports the share done before each; a later phase goes on where the first ended."""
    told: list[tuple[str, int | None]] = []
    job = Job(ClientState(), lambda message, percentage: told.append((message, percentage)))

    assert list(job.each("abcd", "Counting")) == ["a", "b", "c", "d"]
    assert list(job.each("ab", "Masking")) == ["a", "b"]
    assert told == [
        *(("Counting", 0), ("Counting", 12), ("Counting", 25), ("Counting", 37)),
        *(("Masking", 50), ("Masking", 62)),
    ]


def test_cancelled_work_stops_at_the_next_item() -> None:
    """After a cancel no further item is handed out."""
    job = Job(ClientState())
    items = job.each(range(10), "Counting")
    seen = [next(items), next(items)]
    job.cancel()

    with pytest.raises(Cancelled):
        next(items)
    assert seen == [0, 1]
