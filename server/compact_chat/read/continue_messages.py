"""One item of a history of Continue becomes the messages that are sent for it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from compact_chat.chat import JsonObject, Message, Part, Text, Thinking, ToolCall, ToolResult, Usage
from compact_chat.read.blocks import arguments_of, parts_of, result_of
from compact_chat.read.counts import tokens
from compact_chat.read.lenient import fields, objects, word

_NO_OUTPUT = "No tool output"
_CANCELLED = "The user cancelled this tool call."
_OPEN = frozenset({"", "generating", "generated", "calling"})  # states of calls without an answer yet


def answered_ids(items: Sequence[JsonObject]) -> set[str]:
    """The calls that a message of the history answers."""
    messages = [fields(item.get("message")) for item in items]
    return {word(message.get("toolCallId")) for message in messages if message.get("role") == "tool"}


def messages_of(item: JsonObject, name: str, answered: Collection[str]) -> Iterator[Message]:
    """Give the item's message, and the results that only its calls' states hold; empty ones are never sent."""
    message = fields(item.get("message"))
    match message.get("role"):
        case "assistant":
            parts = (*_words(message), *_calls(message))
            if parts:
                yield Message(name, "assistant", parts, usage=_usage(message))
            results = tuple(_results(item, message, answered))
            if results:
                yield Message(f"{name}.results", "user", results)
        case "thinking":
            yield Message(name, "assistant", (Thinking("\n".join(_texts(message))),))
        case "tool":
            yield Message(name, "user", (result_of(message.get("toolCallId"), message.get("content")),))
        case "system":
            yield Message(name, "system", parts_of(message.get("content")))
        case _:
            parts = (*_context(item), *_words(message))
            if parts:
                yield Message(name, "user", parts)


def _words(message: JsonObject) -> Iterator[Part]:
    content = message.get("content")
    blocks = content if isinstance(content, list) else [content]
    for part in parts_of([_spelled(block) for block in blocks if block is not None]):
        if not isinstance(part, Text) or part.text.strip():
            yield part


def _spelled(block: object) -> object:
    """A picture as the OpenAI API spells it."""
    picture = fields(block).get("imageUrl")
    return block if picture is None else {"type": "image_url", "image_url": picture}


def _texts(message: JsonObject) -> Iterator[str]:
    return (part.text for part in parts_of(message.get("content")) if isinstance(part, Text))


def _context(item: JsonObject) -> Iterator[Text]:
    """The files and other things that the user attached; they stand in front of the words."""
    contents = (word(attached.get("content")) for attached in objects(item.get("contextItems")))
    return (Text(f"{content}\n") for content in contents if content.strip())


def _calls(message: JsonObject) -> Iterator[ToolCall]:
    for call in objects(message.get("toolCalls")):
        function = fields(call.get("function"))
        yield ToolCall(word(call.get("id")), word(function.get("name")), arguments_of(function.get("arguments")))


def _results(item: JsonObject, message: JsonObject, answered: Collection[str]) -> Iterator[ToolResult]:
    states = [*objects(item.get("toolCallStates")), *objects([item.get("toolCallState")])]
    by_id = {word(state.get("toolCallId")): state for state in states}
    for call in _calls(message):
        state = by_id.get(call.id, {})
        if call.id not in answered and word(state.get("status")) not in _OPEN:
            yield _result(call.id, state)


def _result(call_id: str, state: JsonObject) -> ToolResult:
    status = state.get("status")
    if status == "canceled":
        return result_of(call_id, _CANCELLED)
    shown = "\n\n".join(word(output.get("content")) for output in objects(state.get("output")))
    return result_of(call_id, shown or _NO_OUTPUT, is_error=status == "errored")


def _usage(message: JsonObject) -> Usage | None:
    """What a call took; Anthropic counts cached tokens apart, and alone counts those that it stores."""
    told = fields(message.get("usage"))
    details = fields(told.get("promptTokensDetails"))
    prompt = tokens(told.get("promptTokens"))
    read, stored = tokens(details.get("cachedTokens")), tokens(details.get("cacheWriteTokens"))
    whole = prompt + read + stored if stored or read > prompt else prompt
    return Usage(whole, tokens(told.get("completionTokens")), word(told.get("model"))) if whole else None
