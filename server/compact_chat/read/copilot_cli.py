"""Sessions of the Copilot CLI: a log of events, of which those of the main agent since its last compaction are live."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compact_chat.chat import Chat, Warning
from compact_chat.read.copilot_events import Event, events_of, is_log, live_events, written_by_editor
from compact_chat.read.copilot_images import assets_of
from compact_chat.read.copilot_messages import messages_of
from compact_chat.read.copilot_session import model_of, removed_messages, title_of_session, window_of, workspace_of
from compact_chat.read.source import Source

_NAME = "copilot-cli"


def sniff(source: Source) -> bool:
    """Whether the source is such a log, and not the one that Copilot Chat keeps in an editor."""
    return is_log(source) and not written_by_editor(source)


def read(source: Source) -> Chat:
    """Read the live conversation, and say what cannot be known of it."""
    events = events_of(source)
    live = live_events(events)
    return Chat(
        format=_NAME,
        tool=_NAME,
        messages=messages_of(live, assets_of(events)),
        model=model_of(events),
        title=title_of_session(events),
        workspace=workspace_of(events),
        window=window_of(events),
        warnings=(*source.damage, *_truncated(live)),
    )


def _truncated(live: Sequence[Event]) -> Iterator[Warning]:
    if number := removed_messages(live):
        told = f"The tool left {number} older messages out of its prompts and does not say which; they are read here."
        yield Warning("truncatedHistory", told)
