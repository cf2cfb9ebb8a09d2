"""Compactions as they come to lie in an archive: drafted, written offline, finished and stored."""

from __future__ import annotations

from typing import Any, NamedTuple

from compact_chat.operations import ChatRef, Desk, Work
from compact_chat.operations.compaction import Draft, draft
from compact_chat.operations.finish import Stored, Wanted, finish, store
from compact_chat.operations.originals import Origin, chat_and_origin
from compact_chat.operations.writing import Written, nothing_written
from compact_chat.wire import Compaction, Options
from tests.fakes.styles import as_summary

SUMMARY = "Summary:\n1. Primary Request and Intent:\nCount the shelves.\n\n8. Current Work:\nShelf 8."


class Archived(NamedTuple):
    """A compaction, the chat that it made, and where it is kept."""

    done: Compaction
    messages: list[dict[str, Any]]
    stored: Stored
    origin: Origin

    @property
    def id(self) -> str:
        """Its id."""
        return self.done.compaction_id


def compacted(ref: ChatRef, desk: Desk, options: Options | None = None, summary: str = SUMMARY) -> Archived:
    """Compact a chat with a summary that is given, and store it."""
    made, origin = drafted(ref, desk, options or Options())
    written = nothing_written()
    if made.plan.action == "compact":
        written = Written(as_summary(summary, made.options.style), summary, "host")
    done = finish(made, written, Wanted(frozenset({"messages"}), "anthropic"), desk)
    assert isinstance(done.messages, list)
    return Archived(done, done.messages, store(made, done, done.messages, desk, origin), origin)


def drafted(ref: ChatRef, desk: Desk, options: Options) -> tuple[Draft, Origin]:
    """Make a plan, and note what it was made of."""
    _, origin = chat_and_origin(ref)
    return draft(ref, options, desk, Work()), origin
