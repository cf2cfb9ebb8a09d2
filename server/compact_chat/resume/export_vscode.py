"""A compacted chat as an export of VS Code's, which its command to import chats opens."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import Image, JsonObject, Message, Part, ResultPart, Text, ToolCall, ToolResult, words
from compact_chat.read import unframed
from compact_chat.resume.export import Export, without_closing
from compact_chat.resume.shapes import acceptable, image_url
from compact_chat.resume.valid import answered, make_valid
from compact_chat.text import is_summary_text

_RESPONDER = "GitHub Copilot"
_AGENT = "github.copilot.editsAgent"
# Who answered, as VS Code tells it itself: one without metadata it does not know again, and what such a one keeps
# with its answers goes to no model.
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
_TEXT, _PICTURE = 1, 2  # the types of the parts of a rendered message
_VALUE = 21  # marks a text among the parts of a result
_COMPLETE = 1  # the state of an answer


class _Round(Struct):
    """One reply of the model, and what its calls gave back."""

    said: str
    calls: tuple[ToolCall, ...]
    results: list[ToolResult]


class _Turn(Struct):
    """What was asked, and the rounds in which it was answered."""

    asked: Message
    rounds: list[_Round]


def as_vscode_export(export: Export) -> str:
    """The document: the panel shows its answers, and the model gets what their metadata tell."""
    requests = [_request(turn, place, export) for place, turn in enumerate(_turns(export.messages))]
    document = {"responderUsername": _RESPONDER, "initialLocation": "panel", "requests": requests}
    return json.dumps(document, indent=2) + "\n"


def _turns(messages: Sequence[Message]) -> list[_Turn]:
    """Each text of the user's and each summary begins a request; nobody is there who could still answer a call."""
    said = [replace(message, role="user", raw=None) if message.role == "system" else message for message in messages]
    live = make_valid(acceptable(without_closing(said)))
    turns: list[_Turn] = []
    for message in make_valid(answered(live, open_from=len(live))):
        if message.role == "assistant":
            turns[-1].rounds.append(_Round(message.text, message.calls, []))
            continue
        if message.results:
            turns[-1].rounds[-1].results.extend(message.results)
        turns += [_Turn(replace(message, parts=parts, raw=None), []) for parts in _spoken(message)]
    return turns


def _spoken(message: Message) -> Iterator[tuple[Part, ...]]:
    """What was said, and a summary by itself, so that the panel does not show it as what a person said next."""
    shown = (part for part in message.parts if not isinstance(part, ToolResult))
    return (tuple(parts) for _, parts in groupby(shown, _is_summary))


def _is_summary(part: Part) -> bool:
    return isinstance(part, Text) and is_summary_text(part.text)


def _request(turn: _Turn, place: int, export: Export) -> JsonObject:
    text = _typed(turn.asked)
    return {
        "requestId": f"request_{export.own_id('request', place)}",
        "message": {"text": text, "parts": [_whole(text)]},
        "variableData": {"variables": []},
        "response": [shown for one in turn.rounds for shown in _shown(one)],
        "responseId": f"response_{export.own_id('response', place)}",
        "agent": _PARTICIPANT,
        "timestamp": _milliseconds(export) + place,
        "modelState": {"value": _COMPLETE, "completedAt": _milliseconds(export) + place},
        "result": {"metadata": _metadata(turn, place, export)},
        "followups": [],
        "contentReferences": [],
        "codeCitations": [],
    }


def _typed(asked: Message) -> str:
    """What the panel shows of a message: the words of a person, without what Copilot Chat put around them."""
    return "\n\n".join(unframed(part.text) for part in asked.parts if isinstance(part, Text))


def _metadata(turn: _Turn, place: int, export: Export) -> JsonObject:
    """What goes to the model; ids that were never used, since VS Code remembers turns by them."""
    return {
        "renderedUserMessage": [_rendered(part) for part in turn.asked.parts if isinstance(part, Text | Image)],
        "toolCallRounds": [_round(one, f"{place}:{number}", export) for number, one in enumerate(turn.rounds)],
        "toolCallResults": {result.call_id: _result(result) for one in turn.rounds for result in one.results},
        "responseId": export.own_id("answer", place),
        "modelMessageId": export.own_id("message", place),
        "sessionId": export.own_id("session"),
        "agentId": _AGENT,
        "codeBlocks": [],
    }


def _round(one: _Round, place: str, export: Export) -> JsonObject:
    calls = [{"id": call.id, "name": call.name, "arguments": json.dumps(call.input)} for call in one.calls]
    return {"id": export.own_id("round", place), "response": one.said, "toolCalls": calls, "toolInputRetry": 0}


def _result(result: ToolResult) -> JsonObject:
    return {"$mid": 20, "content": [_result_part(part) for part in result.content]}


def _result_part(part: ResultPart) -> JsonObject:
    if isinstance(part, Image) and part.data:
        return {"mimeType": part.media_type or "image/png", "data": part.data}
    return {"$mid": _VALUE, "value": words(part)}


def _rendered(part: Text | Image) -> JsonObject:
    if isinstance(part, Text):
        return {"type": _TEXT, "text": part.text}
    return {"type": _PICTURE, "imageUrl": {"url": image_url(part)}}


def _shown(one: _Round) -> Iterator[JsonObject]:
    """What the panel shows of a round: its words, and a line for each call."""
    if one.said:
        yield {"value": one.said}
    failed = {result.call_id for result in one.results if result.is_error}
    for call in one.calls:
        told = f"Ran `{call.name}`"
        yield {
            "kind": "toolInvocationSerialized",
            "toolId": call.name,
            "toolCallId": call.id,
            "invocationMessage": told,
            "pastTenseMessage": f"{told}, which failed" if call.id in failed else told,
            "isConfirmed": {"type": 1},
            "isComplete": True,
            "source": {"type": "internal", "label": "Built-In"},
        }


def _whole(text: str) -> JsonObject:
    """The one part of a message that holds nothing but text."""
    lines = text.split("\n")
    return {
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


def _milliseconds(export: Export) -> int:
    return int(datetime.fromisoformat(export.at).timestamp() * 1000)
