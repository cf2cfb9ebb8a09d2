"""Sessions of Claude Code: JSON lines that only ever grow, of which a part is live."""

from __future__ import annotations

from collections.abc import Sequence

from compact_chat.chat import Chat, JsonObject, Message
from compact_chat.read.claude_lines import Session, session_of
from compact_chat.read.claude_messages import messages_of, model_of
from compact_chat.read.claude_opening import opening_of
from compact_chat.read.claude_tree import live_lines, without_usage
from compact_chat.read.records import title_of
from compact_chat.read.source import Source
from compact_chat.read.summaries import with_summary_marked

_NAME = "claude-code"
_TYPES = ("user", "assistant", "attachment", "system", "progress")


def sniff(source: Source) -> bool:
    """Whether a line is a record of Claude Code."""
    return any(_is_ours(record) for record in source.records)


def read(source: Source) -> Chat:
    """Read the live conversation, and say which lines were damaged."""
    return chat_of(source, session_of(source))


def chat_of(source: Source, session: Session) -> Chat:
    """Read the live conversation of a session that was gone through."""
    live = _live_records(source, session)
    messages = with_summary_marked(messages_of(live, session.cleared, session.saved))
    return Chat(
        format=_NAME,
        tool=_NAME,
        messages=messages,
        model=model_of(live) or model_before(messages, session.model),
        title=title_of(session.title) or title_of(session.typed),
        workspace=session.workspace or None,
        opening=opening_of(source, session),
        is_sub_agent=_is_sub_agents(session),
        warnings=source.damage,
    )


def model_before(messages: Sequence[Message], newest: str) -> str | None:
    """The model of a chat that a compaction has left without replies: the one that wrote the newest before it."""
    return newest or None if any(message.is_summary for message in messages) else None


def _is_sub_agents(session: Session) -> bool:
    """Whether it is a sub-agent's own file: all that is said in it stands beside another conversation."""
    beside = [line.is_side for _, line in session.lines if line.speaks]
    return bool(beside) and all(beside)


def _is_ours(record: JsonObject) -> bool:
    return isinstance(record.get("sessionId"), str) and ("parentUuid" in record or record.get("type") in _TYPES)


def _live_records(source: Source, session: Session) -> Sequence[JsonObject]:
    """The live records, decoded whole, as far as they are still where they were."""
    live = live_lines([line for _, line in session.lines])
    wanted = sorted(place for place, _ in live)
    found = dict(zip(wanted, source.records_at(session.lines[place][0] for place in wanted), strict=True))
    there = [(record, is_old) for place, is_old in live if (record := found[place]) and _is(record, session, place)]
    source.has_changed = len(there) < len(live)
    return [without_usage(record) if is_old else record for record, is_old in there]


def _is(record: JsonObject, session: Session, place: int) -> bool:
    return record.get("uuid") == session.lines[place][1].uuid
