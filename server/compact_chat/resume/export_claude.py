"""A compacted chat as a session of Claude Code, which goes on with it as if it had compacted the chat itself."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from msgspec.structs import replace

from compact_chat.chat import JsonObject, Message, Text
from compact_chat.plan import front_length
from compact_chat.resume.export import UNANSWERED, Export, without_closing
from compact_chat.resume.shapes import acceptable, write_message
from compact_chat.resume.valid import answered, make_valid
from compact_chat.text import is_summary_text

VERSION = "2.1.197"  # of the records that are written here
_OURS = "claude-"  # begins the name of each model that Claude Code goes on with
_MODEL = "unknown"  # of a chat with any other
# Claude Code puts words of its own behind a user's message that nobody answered.
_UNANSWERED = (Message("unanswered", "assistant", (Text(UNANSWERED),)),)


def as_claude_session(export: Export) -> str:
    """The lines of the session; its own id is the name that its file has to have."""
    return "".join(f"{json.dumps(record)}\n" for record in _chained(export, list(_records(export))))


def session_id(export: Export) -> str:
    """The id of the session."""
    return export.own_id("session")


def _chained(export: Export, records: Sequence[JsonObject]) -> Iterator[JsonObject]:
    """The records, each behind the one before, a moment apart."""
    start = datetime.fromisoformat(export.at)
    parent: str | None = None
    for place, record in enumerate(records):
        moment = (start + timedelta(milliseconds=place)).isoformat(timespec="milliseconds")
        uuid = export.own_id("record", place)
        yield {
            "parentUuid": parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": export.workspace or "/",
            "sessionId": session_id(export),
            "version": VERSION,
            "gitBranch": "",
            **record,
            "uuid": uuid,
            "timestamp": moment.replace("+00:00", "Z"),
        }
        parent = uuid


def _records(export: Export) -> Iterator[JsonObject]:
    """The boundary where a summary opens the chat, then the messages."""
    turns = _turns(export.messages)
    if turns and _summary_parts(turns[0]):
        yield {
            "type": "system",
            "subtype": "compact_boundary",
            "content": "Conversation compacted",
            "isMeta": False,
            "level": "info",
            "compactMetadata": {"trigger": "manual", "preTokens": export.compaction["before"]},
        }
    for place, turn in enumerate(turns):
        yield from _user(turn) if turn.role == "user" else _assistant(turn, export, place)


def _turns(messages: Sequence[Message]) -> list[Message]:
    """The chat as the API takes it; here is no host that could still answer a call, and no place for system text."""
    ordered = _summary_first(without_closing(messages))
    said = [replace(message, role="user", raw=None) if message.role == "system" else message for message in ordered]
    turns = make_valid(acceptable(said))
    whole = make_valid(answered(turns, open_from=len(turns)))
    return [*whole, *(_UNANSWERED if whole and whole[-1].role == "user" else ())]


def _summary_first(messages: Sequence[Message]) -> Sequence[Message]:
    """Put a summary that only system text stands before in front of that: a boundary is followed by its summary."""
    front = front_length(messages)
    if front in (0, len(messages)) or not _summary_parts(messages[front]):
        return messages
    first = messages[front]
    summary, rest = (replace(first, parts=parts, raw=None) for parts in (first.parts[:1], first.parts[1:]))
    return [summary, *messages[:front], rest, *messages[front + 1 :]]


def _summary_parts(turn: Message) -> int:
    """One where the turn begins with a summary, else none."""
    first = turn.parts[0] if turn.parts else None
    return int(turn.role == "user" and isinstance(first, Text) and is_summary_text(first.text))


def _user(turn: Message) -> Iterator[JsonObject]:
    """A summary in a record of its own, since Claude Code does not show it; then what else was said."""
    length = _summary_parts(turn)
    if length:
        summary = write_message(replace(turn, parts=turn.parts[:length]))
        yield {"type": "user", "message": summary, "isVisibleInTranscriptOnly": True, "isCompactSummary": True}
    if turn.parts[length:]:
        yield {"type": "user", "message": write_message(replace(turn, parts=turn.parts[length:]))}


def _assistant(turn: Message, export: Export, place: int) -> Iterator[JsonObject]:
    """A record for each block of a reply, all with the reply's id."""
    content = write_message(turn)["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    shared = {
        "id": f"msg_{export.own_id('reply', place).replace('-', '')}",
        "type": "message",
        "role": "assistant",
        "model": export.model if (export.model or "").startswith(_OURS) else _MODEL,
        "stop_reason": "tool_use" if turn.calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }
    for block in blocks:
        yield {"type": "assistant", "message": {**shared, "content": [block]}}
