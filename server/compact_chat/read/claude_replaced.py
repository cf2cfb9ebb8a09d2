"""What a Claude Code session sent before its newest compaction, and right after: its lines up to there."""

from __future__ import annotations

from compact_chat.chat import Message
from compact_chat.read.claude_lines import Session, session_of
from compact_chat.read.claude_messages import messages_of
from compact_chat.read.claude_tree import live_lines
from compact_chat.read.replaced import Replaced
from compact_chat.read.source import Source


def newest(source: Source, _format: str) -> Replaced | None:
    """Read the session as it was when the newest boundary was written, and with the summary that follows it."""
    session = session_of(source)
    lines = session.lines
    places = [place for place, (_, line) in enumerate(lines) if line.boundary is not None and not line.is_side]
    if not places:
        return None
    summary = next(
        (n for n, (_, line) in enumerate(lines) if n > places[-1] and line.speaks and not line.is_side), None
    )
    after = _messages(source, session, summary + 1) if summary else ()
    return Replaced(_messages(source, session, places[-1]), after)


def _messages(source: Source, session: Session, length: int) -> tuple[Message, ...]:
    """The messages that were live after so many lines."""
    lines = session.lines[:length]
    live = [place for place, _ in live_lines([line for _, line in lines])]
    found = dict(zip(sorted(live), source.records_at(lines[place][0] for place in sorted(live)), strict=True))
    records = [record for place in live if (record := found[place]) is not None]
    return tuple(messages_of(records, session.cleared))
