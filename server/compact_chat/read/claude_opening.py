"""How a Claude Code session began, which a compaction may have put out of sight."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compact_chat.chat import Message, Opening, texts
from compact_chat.read.claude_lines import Line, Session
from compact_chat.read.claude_messages import messages_of
from compact_chat.read.scanning import Spot
from compact_chat.read.source import Source

MOST = 50  # lines; a session that has no reply within them tells nothing


def opening_of(source: Source, session: Session) -> Opening | None:
    """Tell the size of the first call and what was said before it; None where that is not known."""
    records = source.records_at([spot for spot, _ in _first_lines(session)])
    return _opening(messages_of([record for record in records if record is not None], set()))


def has_begun(session: Session) -> bool:
    """Whether the beginning is told, and no line to come can change that."""
    first = list(_first_lines(session))
    return len(first) == MOST or any(line.reply for _, line in first)


def _first_lines(session: Session) -> Iterator[tuple[Spot, Line]]:
    """Give the lines of the conversation up to the first of a reply."""
    spoken = (pair for pair in session.lines if pair[1].speaks)
    for pair, _ in zip(spoken, range(MOST), strict=False):
        yield pair
        if pair[1].reply:
            return


def _opening(messages: Sequence[Message]) -> Opening | None:
    usage = messages[-1].usage if messages else None
    if usage is None:
        return None
    return Opening(usage.prompt_tokens, sum(len(text) for message in messages[:-1] for text in texts(message)))
