"""Export a compacted chat for VS Code's command to import chats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import Image, JsonObject, Message, ResultPart, Text, ToolCall, ToolResult, words
from compact_chat.read import unframed
from compact_chat.resume.export import Export, finished_turns, without_closing
from compact_chat.resume.shapes import image_url
from compact_chat.text import is_summary_text, json_text

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
    requests = [_request(turn, place, export) for place, turn in enumerate(_turns(export.messages))]
    document = {"responderUsername": _RESPONDER, "initialLocation": "panel", "requests": requests}
    return json_text(document, indent=2) + "\n"


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
        "sessionId": export.own_id("session"),
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
