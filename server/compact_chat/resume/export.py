"""Export a compacted chat: as a page to hand over, or as the files that other tools open."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, TypeVar
from uuid import NAMESPACE_URL, uuid5

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import Image, JsonObject, Message, ResultPart, Text, ToolCall, ToolResult, words
from compact_chat.plan import front_length
from compact_chat.prompt import write_transcript
from compact_chat.read import unframed
from compact_chat.resume.messages import acceptable, answered, as_anthropic, image_url, make_valid, write_message
from compact_chat.text import code, is_summary_text, json_text, line_feeds, storable, visible
from compact_chat.wire import OMISSIONS, class_name

if TYPE_CHECKING:
    from compact_chat.redact import MaskedJson, MaskedMessage, MaskedText

AnyMessage = TypeVar("AnyMessage", bound=Message)
TOOL = "compact-chat"
UNANSWERED = "[This chat was compacted before an answer was given.]"
_CLOSING = ("[SYSTEM: ", "]")  # of a kind text (rule C10)
_LONGEST_TITLE = 200  # characters; below it, a reader looks for the message that opens the next chat
VERSION = "2.1.197"  # of the records written here
_OURS = "claude-"  # prefix of the models that Claude Code accepts
_MODEL = "unknown"  # for chats with any other
# Claude Code appends texts of its own to an unanswered user message.
_UNANSWERED = (Message("unanswered", "assistant", (Text(UNANSWERED),)),)
_RESPONDER = "GitHub Copilot"
_AGENT = "github.copilot.editsAgent"
# The responder, in the form of VS Code itself: it does not recognize one without metadata, and what such a one
# stores with its answers goes to no model.
_PARTICIPANT: JsonObject = {
    "extensionId": {"value": "GitHub.copilot-chat", "_lower": "github.copilot-chat"},
    "publisherDisplayName": "GitHub",
    "extensionPublisherId": "GitHub",
    "extensionDisplayName": _RESPONDER,
    "id": _AGENT,
    "metadata": {"themeIcon": {"id": "tools"}, "hasFollowups": False, "supportIssueReporting": False},
    "name": "agent",
    "fullName": _RESPONDER,
    "isDefault": True,
    "locations": ["panel"],
    "modes": ["agent"],
    "slashCommands": [],
    "disambiguation": [],
}
_TEXT, _PICTURE = 1, 2  # types of the parts of a rendered message
_VALUE = 21  # marks a text among the parts of a result
_VENDOR = "/"  # between the vendor and the name of a model of VS Code's; other tools' models have other names there
_COMPLETE = 1  # state of an answer
_STORED_VERSION = 3  # of VS Code's own sessions


class Export(Struct, frozen=True, dict=True):
    """The input of every export: the compaction's result, the chat that it made, and its context."""

    compaction: MaskedJson  # as it was returned
    messages: tuple[MaskedMessage, ...]
    at: str  # ISO 8601 in UTC
    title: MaskedText | None = None
    workspace: str | None = None
    model: str | None = None  # of the chat
    read_files: tuple[MaskedText, ...] = ()
    modified_files: tuple[MaskedText, ...] = ()

    def own_id(self, *names: object) -> str:
        """Make a UUID for a thing in this export, the same each time."""
        return str(uuid5(NAMESPACE_URL, ":".join((TOOL, self.compaction["compactionId"], *map(str, names)))))

    @cached_property
    def session_id(self) -> str:
        """The id of the session: other messages, as of another version of a draft, have another one."""
        words = json_text(as_anthropic(self.messages, foreign=True)).encode(errors="surrogatepass")
        return self.own_id("session", hashlib.sha256(words).hexdigest())


def without_closing(messages: Sequence[AnyMessage]) -> tuple[AnyMessage, ...]:
    """Return the chat without the closing text that only makes it ready to be sent (rule V8)."""
    return tuple(messages[:-1] if messages and is_closing(messages[-1]) else messages)


def is_closing(message: Message) -> bool:
    """Return whether a message is nothing but a kind text."""
    text, (start, end) = message.text, _CLOSING
    is_text = message.role == "user" and all(isinstance(part, Text) for part in message.parts)
    return is_text and text.startswith(start) and text.endswith(end)


def finished_turns(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return the chat as an API takes it: system texts become user messages, and pending calls get answers."""
    said = [replace(message, role="user", raw=None) if message.role == "system" else message for message in messages]
    live = make_valid(acceptable(said))
    return make_valid(answered(live, open_from=len(live)))


def as_json(export: Export) -> str:
    """Return the compaction with the chat that it made."""
    return json_text({**export.compaction, "messages": as_anthropic(export.messages)}, indent=2) + "\n"


def as_markdown(export: Export) -> str:
    """Write a page that a person can read and a next chat can begin with."""
    done, classes = export.compaction, export.compaction["survival"]["classes"]
    summary, opening = done["summary"], done["continuation"].strip()
    match done["provider"]:
        case "offline":
            writer = "summary made without a model"
        case "host":
            writer = "summary edited by hand, or by a model of the editor's"
        case provider:
            writer = f"summary by {done['model'] or provider}"
    transcript = "" if summary else write_transcript(without_closing(export.messages))  # what rules left of the chat
    kept = [f"- {class_name(found['name'], 2)}: {found['kept']} of {found['total']}" for found in classes]
    if missing := [f"- {_line(one['text'])}" for found in classes for one in found["lost"]]:
        kept += ["", "Not in the summary:", "", *missing]
    files = [
        "\n".join((f"{name}:", "", *(f"- {code(_line(path))}" for path in paths)))
        for name, paths in (("Modified", export.modified_files), ("Read", export.read_files))
        if paths
    ]
    written = f", {writer}" if summary else ""
    facts = [found for found in classes if found["name"] != OMISSIONS]
    items = (
        f", {sum(one['kept'] for one in facts):,} of {sum(one['total'] for one in facts):,} items kept" if facts else ""
    )
    sizes = f"{done['before']:,} → {done['after']:,} tokens{items}"
    parts = (
        f"# {_line(export.title or 'Compacted chat')[:_LONGEST_TITLE]}",
        f"Compacted on {export.at[:10]}{written}: {sizes}.",
        f"## Messages\n\n{transcript}" if transcript else "",
        opening,
        "\n".join(("## What was kept", "", *kept)) if kept else "",
        "\n\n".join(("## Files", *files)) if files else "",
    )
    return visible(line_feeds(storable("\n\n".join(filter(None, parts)) + "\n")))


def _line(text: str) -> str:
    return " ".join(text.split())


# Write a Claude Code session, which continues as if Claude Code had compacted it itself.


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
            "sessionId": export.session_id,
            "version": VERSION,
            "gitBranch": "",
        }
        lines.append(json_text({**shared, **record, "uuid": uuid, "timestamp": moment.replace("+00:00", "Z")}))
        parent = uuid
    return "".join(f"{line}\n" for line in lines)


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


# Write a document for VS Code's command to import chats.


class _Round(Struct):
    """One reply of the model, and the results of its calls."""

    said: str
    calls: tuple[ToolCall, ...]
    results: list[ToolResult]


class _Turn(Struct):
    """A request, and the rounds that answered it."""

    asked: Message
    rounds: list[_Round]


def as_vscode_export(export: Export) -> str:
    """Write the document: the panel shows its answers, and the model gets what their metadata contains."""
    return json_text(_document(export), indent=2) + "\n"


def as_vscode_session(export: Export, *, is_log: bool) -> str:
    """Write a session as VS Code stores its own: a log that begins with the whole state, or before 1.109 the state."""
    session = {
        "version": _STORED_VERSION,
        "sessionId": export.session_id,
        "creationDate": int(datetime.fromisoformat(export.at).timestamp() * 1000),
        "customTitle": f"Compacted: {export.title or 'chat'}",
        **_document(export),
    }
    return json_text({"kind": 0, "v": session}) + "\n" if is_log else json_text(session)


def _document(export: Export) -> JsonObject:
    requests = [_request(turn, place, export) for place, turn in enumerate(_turns(export.messages))]
    return {"responderUsername": _RESPONDER, "initialLocation": "panel", "requests": requests}


def _turns(messages: Sequence[Message]) -> list[_Turn]:
    """Each user text begins a request, and so does each summary, which the panel shows separately."""
    turns: list[_Turn] = []
    for message in finished_turns(without_closing(messages)):
        if message.role == "assistant":
            turns[-1].rounds.append(_Round(message.text, message.calls, []))
            continue
        if message.results:
            turns[-1].rounds[-1].results.extend(message.results)
        said = (part for part in message.parts if not isinstance(part, ToolResult))
        runs = groupby(said, lambda part: isinstance(part, Text) and is_summary_text(part.text))
        turns += [_Turn(replace(message, parts=tuple(parts), raw=None), []) for _, parts in runs]
    return turns


def _request(turn: _Turn, place: int, export: Export) -> JsonObject:
    # What the panel shows of a message: a person's words, without Copilot Chat's additions.
    text = "\n\n".join(unframed(part.text) for part in turn.asked.parts if isinstance(part, Text))
    lines, at = text.split("\n"), int(datetime.fromisoformat(export.at).timestamp() * 1000) + place
    whole = {
        "kind": "text",
        "text": text,
        "range": {"start": 0, "endExclusive": len(text)},
        "editorRange": {
            "startLineNumber": 1,
            "startColumn": 1,
            "endLineNumber": len(lines),
            "endColumn": len(lines[-1]) + 1,
        },
    }
    # What goes to the model; with fresh ids, since VS Code remembers turns by them.
    metadata = {
        "renderedUserMessage": [
            {"type": _TEXT, "text": part.text}
            if isinstance(part, Text)
            else {"type": _PICTURE, "imageUrl": {"url": image_url(part)}}
            for part in turn.asked.parts
            if isinstance(part, Text | Image)
        ],
        "toolCallRounds": [
            {
                "id": export.own_id("round", f"{place}:{number}"),
                "response": one.said,
                "toolCalls": [
                    {"id": call.id, "name": call.name, "arguments": json_text(call.input)} for call in one.calls
                ],
                "toolInputRetry": 0,
            }
            for number, one in enumerate(turn.rounds)
        ],
        "toolCallResults": {
            result.call_id: {"$mid": 20, "content": list(map(_result_part, result.content))}
            for one in turn.rounds
            for result in one.results
        },
        "responseId": export.own_id("answer", place),
        "modelMessageId": export.own_id("message", place),
        "sessionId": export.session_id,
        "agentId": _AGENT,
        "codeBlocks": [],
    }
    return {
        "requestId": f"request_{export.own_id('request', place)}",
        "message": {"text": text, "parts": [whole]},
        "variableData": {"variables": []},
        "response": [shown for one in turn.rounds for shown in _shown(one)],
        "responseId": f"response_{export.own_id('response', place)}",
        "agent": _PARTICIPANT,
        **({"modelId": export.model} if _VENDOR in (export.model or "") else {}),
        "timestamp": at,
        "modelState": {"value": _COMPLETE, "completedAt": at},
        "result": {"metadata": metadata},
        "followups": [],
        "contentReferences": [],
        "codeCitations": [],
    }


def _result_part(part: ResultPart) -> JsonObject:
    if isinstance(part, Image) and part.data:
        return {"mimeType": part.media_type or "image/png", "data": part.data}
    return {"$mid": _VALUE, "value": words(part)}


def _shown(one: _Round) -> Iterator[JsonObject]:
    """What the panel shows of a round: its text, and a line for each call."""
    if one.said:
        yield {"value": one.said}
    failed = {result.call_id for result in one.results if result.is_error}
    for call in one.calls:
        ran = f"Ran `{call.name}`"
        yield {
            "kind": "toolInvocationSerialized",
            "toolId": call.name,
            "toolCallId": call.id,
            "invocationMessage": ran,
            "pastTenseMessage": f"{ran}, which failed" if call.id in failed else ran,
            "isConfirmed": {"type": 1},
            "isComplete": True,
            "source": {"type": "internal", "label": "Built-In"},
        }
