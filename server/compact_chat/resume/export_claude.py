"""Export a compacted chat as a Claude Code session, which continues as if Claude Code had compacted it itself."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from msgspec.structs import replace

from compact_chat.chat import JsonObject, Message, Text
from compact_chat.plan import front_length
from compact_chat.resume.export import UNANSWERED, Export, finished_turns, without_closing
from compact_chat.resume.shapes import write_message
from compact_chat.text import is_summary_text, json_text

VERSION = "2.1.197"  # of the records written here
_OURS = "claude-"  # prefix of the models that Claude Code accepts
_MODEL = "unknown"  # for chats with any other
# Claude Code appends texts of its own to an unanswered user message.
_UNANSWERED = (Message("unanswered", "assistant", (Text(UNANSWERED),)),)


def as_claude_session(export: Export) -> str:
    """Write the session's lines, each record linked to the one before, a moment apart; its id is the file's name."""
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
        lines.append(json_text({**shared, **record, "uuid": uuid, "timestamp": moment.replace("+00:00", "Z")}))
        parent = uuid
    return "".join(f"{line}\n" for line in lines)


def session_id(export: Export) -> str:
    """Return the session's id."""
    return export.own_id("session")


def _records(export: Export) -> Iterator[JsonObject]:
    """Yield the boundary if a summary opens the chat, then the messages; a record per block of a reply.

    System texts become meta records, which Claude Code sends and takes for nobody's words.
    """
    ordered = without_closing(export.messages)
    front = front_length(ordered)
    turns = finished_turns(ordered[front:])
    meta = [{"type": "user", "message": write_message(one), "isMeta": True} for one in finished_turns(ordered[:front])]
    opens = _summary_parts(turns[0]) if turns else 0
    if not opens:
        yield from meta
    else:
        yield {
            "type": "system",
            "subtype": "compact_boundary",
            "content": "Conversation compacted",
            "isMeta": False,
            "level": "info",
            "compactMetadata": {"trigger": "manual", "preTokens": export.compaction["before"]},
        }
    for place, turn in enumerate((*turns, *(_UNANSWERED if turns and turns[-1].role == "user" else ()))):
        if turn.role == "user":  # a summary in a record of its own, since Claude Code does not show it
            length = _summary_parts(turn)
            if length:
                summary = write_message(replace(turn, parts=turn.parts[:length]))
                yield {"type": "user", "message": summary, "isVisibleInTranscriptOnly": True, "isCompactSummary": True}
                yield from meta if place == 0 else ()  # the summary has to follow its boundary
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


def _summary_parts(turn: Message) -> int:
    """Count the summary parts at the start of a turn: one or none."""
    first = turn.parts[0] if turn.parts else None
    return int(turn.role == "user" and isinstance(first, Text) and is_summary_text(first.text))
