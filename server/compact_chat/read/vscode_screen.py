"""What the screen of VS Code shows of an answer: all there is of one whose model's side was not kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from compact_chat.chat import Image, JsonObject, Message, ResultPart, Text, ToolCall, ToolResult
from compact_chat.read.blocks import arguments_of
from compact_chat.read.lenient import fields, objects, word
from compact_chat.read.vscode_rounds import Round, shown_id

_CALL = "toolInvocationSerialized"


class _Step(Struct):
    """Words, and the calls that were made after them."""

    words: list[str]
    calls: list[JsonObject]


def shown_rounds(request: JsonObject, turn: str) -> tuple[Round, ...]:
    """Guess the rounds of an answer: words behind a call begin a new one."""
    response = request.get("response")
    parts = response if isinstance(response, list) else [response]
    rounds = (_round(step, f"{turn}:screen{place}") for place, step in enumerate(_steps(parts)))
    return tuple(one for one in rounds if one.messages)


def _steps(parts: Iterable[object]) -> Iterator[_Step]:
    step = _Step([], [])
    for part in parts:
        if fields(part).get("kind") == _CALL:
            if fields(part).get("presentation") != "hidden":
                step.calls.append(fields(part))
        elif words := _words(part):
            if step.calls:
                yield step
                step = _Step([], [])
            step.words.append(words)
    yield step


def _round(step: _Step, name: str) -> Round:
    said = "".join(step.words)
    parts = ((Text(said),) if said.strip() else (), tuple(map(_call, step.calls)))
    messages = [Message(name, "assistant", (*parts[0], *parts[1]))] if any(parts) else []
    for place, call in enumerate(step.calls):
        if (result := _result(call)) is not None:
            messages.append(Message(f"{name}:{place}", "user", (result,)))
    return Round(name, tuple(messages))


def _words(part: object) -> str:
    """The Markdown of a part; the others are changes, notes and buttons."""
    if isinstance(part, str):
        return part
    match fields(part).get("kind"):
        case None:
            return _markdown(fields(part).get("value"))
        case "markdownContent" | "markdownVuln":
            return _markdown(fields(part).get("content"))
        case "inlineReference":
            return _reference(fields(part))
    return ""


def _markdown(value: object) -> str:
    return word(value) or word(fields(value).get("value"))


def _reference(part: JsonObject) -> str:
    place = fields(part.get("inlineReference"))
    path = word(place.get("path")) or word(fields(place.get("uri")).get("path"))
    name = word(part.get("name")) or word(place.get("name")) or path.rpartition("/")[2]
    return f"`{name}`" if name else ""


def _call(part: JsonObject) -> ToolCall:
    name = word(part.get("toolId")) or "tool"
    command = fields(part.get("toolSpecificData"))
    line = word(fields(command.get("commandLine")).get("original")) or word(command.get("command"))
    given = {"command": line} if line else arguments_of(word(fields(part.get("resultDetails")).get("input")))
    return ToolCall(shown_id(part.get("toolCallId")), name, given)


def _result(part: JsonObject) -> ToolResult | None:
    """What the tool gave back, or what the screen says that it did; nothing while it runs."""
    details = fields(part.get("resultDetails"))
    output = details.get("output")
    content = [Text(output)] if isinstance(output, str) else list(map(_output, objects(output)))
    said = _markdown(part.get("pastTenseMessage")) or _markdown(part.get("invocationMessage"))
    if not content and part.get("isComplete") is True and said:
        content = [Text(said)]
    is_error = details.get("isError") is True
    return ToolResult(shown_id(part.get("toolCallId")), tuple(content), is_error) if content else None


def _output(item: JsonObject) -> ResultPart:
    kind, value = word(item.get("mimeType")), word(item.get("value"))
    return Image(kind, data=value) if kind.startswith("image/") and item.get("isText") is not True else Text(value)
