"""Live Copilot events become messages: a result stands behind the message that called for it, whenever it came."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import JsonObject, Message, Part, Text, Thinking, ToolCall, ToolResult, Usage
from compact_chat.read.blocks import arguments_of, result_of
from compact_chat.read.copilot_events import SUMMARY, Event, is_by_host
from compact_chat.read.copilot_images import Assets, images_of
from compact_chat.read.copilot_usage import usages_of
from compact_chat.read.lenient import fields, objects, word
from compact_chat.read.own_ids import with_own_ids


class _Answer(Struct):
    """The results of the calls of one message."""

    id: str = ""
    results: list[ToolResult] = []
    usage: Usage | None = None


def messages_of(live: Sequence[Event], assets: Assets) -> tuple[Message, ...]:
    """The messages of the live events."""
    usages = usages_of(live)
    turns: list[Message | _Answer] = []
    answers: dict[str, _Answer] = {}  # by the calls that they are of
    for place, event in enumerate(live):
        usage = usages.get(place)
        if event.kind == "tool.execution_complete":
            result = _result(event.data, assets)
            if result.call_id not in answers:
                turns.append(answers.setdefault(result.call_id, _Answer()))
            _add(answers[result.call_id], event.id, result, usage)
        elif (message := _message(event, assets)) is not None:
            answer = _Answer()
            answers |= dict.fromkeys((call.id for call in message.calls), answer)
            turns += (replace(message, usage=usage), answer)
    return with_own_ids(_written(turn) for turn in turns if isinstance(turn, Message) or turn.results)


def _add(answer: _Answer, name: str, result: ToolResult, usage: Usage | None) -> None:
    answer.id = answer.id or name
    answer.results.append(result)
    answer.usage = usage or answer.usage


def _written(turn: Message | _Answer) -> Message:
    if isinstance(turn, Message):
        return turn
    return Message(turn.id, "user", tuple(turn.results), usage=turn.usage)


def _message(event: Event, assets: Assets) -> Message | None:
    """The message of an event, if it is one."""
    match event.kind:
        case "system.message":
            return Message(event.id, "system", _texts(word(event.data.get("content"))))
        case "user.message":
            images = images_of(event.data.get("attachments"), assets)
            return Message(event.id, "user", (*_sent(event.data), *images), by_host=is_by_host(event))
        case "assistant.message":
            return Message(event.id, "assistant", _spoken(event.data))
        case _ if event.kind == SUMMARY:
            return Message(
                event.id, "user", _texts(word(event.data.get("summaryContent")), *event.said), is_summary=True
            )
    return None


def _sent(data: JsonObject) -> tuple[Text, ...]:
    """What was sent for a message: what the user typed is a text of its own among what Copilot put around it."""
    typed = word(data.get("content"))
    sent = word(data.get("transformedContent")) or typed
    return _texts(*sent.partition(typed)) if typed else _texts(sent)


def _spoken(data: JsonObject) -> tuple[Part, ...]:
    thought = word(data.get("reasoningText"))
    hidden = word(data.get("reasoningOpaque")) or word(data.get("encryptedContent"))
    thinking = (Thinking(thought),) if thought or hidden else ()
    calls = (
        ToolCall(word(call.get("toolCallId")), word(call.get("name")), arguments_of(call.get("arguments")))
        for call in objects(data.get("toolRequests"))
    )
    return (*thinking, *_texts(word(data.get("content"))), *calls)


def _result(data: JsonObject, assets: Assets) -> ToolResult:
    """What a tool answered; where it could not, what the model was told instead."""
    result = fields(data.get("result"))
    content = result.get("content") if result else fields(data.get("error")).get("message")
    answer = result_of(data.get("toolCallId"), content, is_error=data.get("success") is False)
    images = images_of(result.get("binaryResultsForLlm"), assets)
    return replace(answer, content=answer.content + images, as_text=answer.as_text and not images)


def _texts(*texts: str) -> tuple[Text, ...]:
    return tuple(Text(text) for text in texts if text.strip())
