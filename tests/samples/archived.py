"""Archived compactions: drafted, written offline, finished and stored."""

from __future__ import annotations

from typing import Any, NamedTuple

from compact_chat.operations import ChatRef, ClientState, Job
from compact_chat.operations.archives import Stored
from compact_chat.operations.compaction import planned
from compact_chat.operations.summarize import Params, Written, archive, finish
from compact_chat.wire import Compaction, Options
from tests.samples.styles import as_summary

SUMMARY = "Summary:\n1. Primary Request and Intent:\nCount the shelves.\n\n8. Current Work:\nShelf 8."
WANTED = Params(include=("messages",), messages_as="anthropic")


class Archived(NamedTuple):
    """A compaction, the chat that it made, and where it is stored."""

    done: Compaction
    messages: list[dict[str, Any]]
    stored: Stored
    uri: str | None

    @property
    def id(self) -> str:
        """The id that the compaction is stored under."""
        return self.stored.id


def compacted(ref: ChatRef, client: ClientState, options: Options | None = None, summary: str = SUMMARY) -> Archived:
    """Compact a chat with a given summary, and store it."""
    made = planned(ref, options or Options(), Job(client), keep=True)
    written = Written(None, "", "none")
    if made.plan.action == "compact":
        written = Written(as_summary(summary, made.options.style), summary, "host")
    done = finish(made, written, WANTED)
    assert isinstance(done.messages, list)
    return Archived(done, done.messages, archive(made, written, done), ref.uri)
