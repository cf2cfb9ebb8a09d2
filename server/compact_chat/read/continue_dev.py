"""Sessions of Continue: a history of messages with the files and results that go with each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from urllib.parse import unquote

from compact_chat.chat import Chat, JsonObject, Message, Part, Text, Thinking, ToolCall, ToolResult, Usage
from compact_chat.read.blocks import arguments_of, parts_of, result_of
from compact_chat.read.loose import fields, left_out, objects, stable_ids, title_of, tokens, word
from compact_chat.read.source import Source
from compact_chat.read.summaries import with_summary_marked

# One item of a history of Continue becomes the messages that are sent for it.


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


# Sessions of Continue: a history of messages with the files and results that go with each.


_NAME = "continue"
_SUMMARY = "conversationSummary"
_UNTITLED = ("", "New Session")


def sniff(source: Source) -> bool:
    """Whether the source is one object with a history of messages."""
    document = {} if source.strict else fields(source.document)
    history = document.get("history")
    if history == []:
        return isinstance(document.get("sessionId"), str)
    return any(isinstance(item.get("message"), dict) for item in objects(history))


def read(source: Source) -> Chat:
    """Read the history from the last summary on."""
    document = fields(source.document)
    stored = document["history"]
    items = [item for item in objects(stored) if isinstance(item.get("message"), dict)]
    faults = [f"$.history[{place}] has no message" for place, item in enumerate(stored) if not _holds_message(item)]
    return Chat(
        format=_NAME,
        tool=_NAME,
        messages=with_summary_marked(_live(items)),
        model=_model(items) or word(document.get("chatModelTitle")) or None,
        title=_title(document),
        workspace=_folder(word(document.get("workspaceDirectory"))) or None,
        warnings=left_out(faults),
    )


def _holds_message(item: object) -> bool:
    return isinstance(fields(item).get("message"), dict)


def _live(items: Sequence[JsonObject]) -> list[Message]:
    names = stable_ids([word(item["message"].get("id")) for item in items])
    last = next((place for place in reversed(range(len(items))) if word(items[place].get(_SUMMARY)).strip()), -1)
    behind, answered = range(last + 1, len(items)), answered_ids(items[last + 1 :])
    opening = [_summary(items[last][_SUMMARY], names[last])] if last >= 0 else []
    return [*opening, *(one for place in behind for one in messages_of(items[place], names[place], answered))]


def _summary(text: str, name: str) -> Message:
    """What Continue adds to the system prompt in place of the message and all before it."""
    return Message(f"{name}.summary", "user", (Text(text),), is_summary=True, by_host=True)


def _model(items: Sequence[JsonObject]) -> str:
    logs = (log for item in reversed(items) for log in reversed(objects(item.get("promptLogs"))))
    return next(filter(None, (word(log.get("modelTitle")) for log in logs)), "")


def _folder(place: str) -> str:
    """The path of a folder, which newer versions write as a URI."""
    if not place.startswith("file://"):
        return place
    path = unquote(place.removeprefix("file://"))
    return path.removeprefix("/") if path[2:3] == ":" else path


def _title(document: JsonObject) -> str | None:
    given = word(document.get("title")).strip()
    return None if given in _UNTITLED else title_of(given)
