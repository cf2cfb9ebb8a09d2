"""The model's side of a VS Code request: what it said and called, round by round, and what the tools gave back."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from compact_chat.chat import JsonObject, Message, Part, Text, ToolCall, ToolResult
from compact_chat.read.blocks import arguments_of
from compact_chat.read.lenient import fields, objects, word
from compact_chat.read.vscode_tsx import result_parts

_SUFFIX = "__vscode"  # keeps ids apart that a model gave twice; no model sees it


class Round(Struct, frozen=True):
    """One reply of the model with the results of its calls; `summary` replaces all up to its end."""

    id: str
    messages: tuple[Message, ...]
    summary: str = ""


def recorded_rounds(metadata: JsonObject, turn: str, following: JsonObject | None) -> tuple[Round, ...]:
    """The rounds of a request; `following` is what was kept of the next one, None where there is none."""
    results = fields(metadata.get("toolCallResults"))
    was_stopped = metadata.get("maxToolCallsExceeded") is True  # the next request made the last calls
    if was_stopped and following is not None:
        results = {**results, **fields(following.get("toolCallResults"))}
    waits = was_stopped and following is None
    rounds = enumerate(objects(metadata.get("toolCallRounds")))
    return tuple(_round(one, word(one.get("id")) or f"{turn}:{place}", results, waits) for place, one in rounds)


def shown_id(call_id: object) -> str:
    """The id of a call as the model knows it."""
    return word(call_id).partition(_SUFFIX)[0]


def _round(stored: JsonObject, name: str, results: JsonObject, waits: bool) -> Round:
    calls = objects(stored.get("toolCalls"))
    # Calls that nothing came of are not sent again, and a round of nothing else is not either.
    sent = calls if waits else [call for call in calls if word(call.get("id")) in results]
    messages = () if calls and not sent else tuple(_messages(stored, name, sent, results))
    return Round(name, messages, word(stored.get("summary")))


def _messages(stored: JsonObject, name: str, calls: list[JsonObject], results: JsonObject) -> Iterator[Message]:
    said = word(stored.get("response"))
    parts: tuple[Part, ...] = (Text(said),) if said.strip() else ()
    parts += tuple(_call(call) for call in calls)
    if parts:
        yield Message(name, "assistant", parts)
    for place, call in enumerate(calls):
        if word(call.get("id")) in results:
            yield Message(f"{name}:{place}", "user", (_result(call, results),))
    hooked = word(stored.get("hookContext"))
    if hooked.strip():
        yield Message(f"{name}:hook", "user", (Text(hooked),), by_host=True)


def _call(call: JsonObject) -> ToolCall:
    return ToolCall(shown_id(call.get("id")), word(call.get("name")), arguments_of(word(call.get("arguments"))))


def _result(call: JsonObject, results: JsonObject) -> ToolResult:
    return ToolResult(shown_id(call.get("id")), result_parts(fields(results[word(call.get("id"))]).get("content")))
