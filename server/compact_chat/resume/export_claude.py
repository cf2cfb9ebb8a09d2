"""A compacted chat as a session of Claude Code, which goes on with it as if it had compacted the chat itself."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from msgspec.structs import replace

from compact_chat.chat import JsonObject, Message, Text
from compact_chat.plan import front_length
from compact_chat.resume.export import UNANSWERED, Export, finished_turns, without_closing
from compact_chat.resume.shapes import write_message
from compact_chat.text import is_summary_text

VERSION = "2.1.197"  # of the records that are written here
_OURS = "claude-"  # begins the name of each model that Claude Code goes on with
_MODEL = "unknown"  # of a chat with any other
# Claude Code puts words of its own behind a user's message without an answer.
_UNANSWERED = (Message("unanswered", "assistant", (Text(UNANSWERED),)),)


def as_claude_session(export: Export) -> str:
    """The lines of the session, each record behind the one before, a moment apart; its id is the name of its file."""
    start, parent = datetime.fromisoformat(export.at), None
    lines = []
    for place, record in enumerate(_records(export)):
        moment = (start + timedelta(milliseconds=place)).isoformat(timespec="milliseconds")
        uuid = export.own_id("record", place)
        shared = {
            "parentUuid": parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": export.workspace or "/",
            "sessionId": session_id(export),
            "version": VERSION,
            "gitBranch": "",
        }
        lines.append(json.dumps({**shared, **record, "uuid": uuid, "timestamp": moment.replace("+00:00", "Z")}))
        parent = uuid
    return "".join(f"{line}\n" for line in lines)


def session_id(export: Export) -> str:
    """The id of the session."""
    return export.own_id("session")


def _records(export: Export) -> Iterator[JsonObject]:
    """The boundary where a summary opens the chat, then the messages; a record for each block of a reply."""
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
        if turn.role == "user":  # a summary in a record of its own, since Claude Code does not show it
            length = _summary_parts(turn)
            if length:
                summary = write_message(replace(turn, parts=turn.parts[:length]))
                yield {"type": "user", "message": summary, "isVisibleInTranscriptOnly": True, "isCompactSummary": True}
            if turn.parts[length:]:
                yield {"type": "user", "message": write_message(replace(turn, parts=turn.parts[length:]))}
            continue
        content = write_message(turn)["content"]
        shared = {
            "id": f"msg_{export.own_id('reply', place).replace('-', '')}",
            "type": "message",
            "role": "assistant",
            "model": export.model if (export.model or "").startswith(_OURS) else _MODEL,
            "stop_reason": "tool_use" if turn.calls else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 0, "output_tokens": 0},
        }
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            yield {"type": "assistant", "message": {**shared, "content": [block]}}


def _turns(messages: Sequence[Message]) -> list[Message]:
    """The chat as the API takes it; here is no host that could still answer a call, and no place for system text."""
    ordered = without_closing(messages)
    front = front_length(ordered)
    if 0 < front < len(ordered) and _summary_parts(ordered[front]):
        # A boundary is followed by its summary, so that goes in front of the system text before it.
        first = ordered[front]
        summary, rest = (replace(first, parts=parts, raw=None) for parts in (first.parts[:1], first.parts[1:]))
        ordered = (summary, *ordered[:front], rest, *ordered[front + 1 :])
    whole = finished_turns(ordered)
    return [*whole, *(_UNANSWERED if whole and whole[-1].role == "user" else ())]


def _summary_parts(turn: Message) -> int:
    """One where the turn begins with a summary, else none."""
    first = turn.parts[0] if turn.parts else None
    return int(turn.role == "user" and isinstance(first, Text) and is_summary_text(first.text))
