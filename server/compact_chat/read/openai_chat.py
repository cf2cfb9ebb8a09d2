"""Messages as the OpenAI chat API takes them: calls beside the content, one message per tool result."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from compact_chat.chat import Chat, JsonObject, Message, Text, ToolCall
from compact_chat.read.arrays import fits, message_of, read_array
from compact_chat.read.blocks import arguments_of, result_of
from compact_chat.read.lenient import fields, word
from compact_chat.read.source import Source

_NAME = "openai-chat"


def sniff(source: Source) -> bool:
    """Whether the source may be an array of OpenAI chat messages."""
    return fits(source, _NAME)


def read(source: Source) -> Chat:
    """Read the array, one Message per item."""
    return read_array(source, _NAME, _messages)


def _messages(items: Sequence[JsonObject]) -> list[Message]:
    messages: list[Message] = []
    open_call = ""  # the older form of a call has no id: its result is the next one
    for index, item in enumerate(items):
        if isinstance(item.get("function_call"), dict):
            open_call = f"call_m{index}"
        messages.append(_message(item, index, open_call))
    return messages


def _message(item: JsonObject, index: int, open_call: str) -> Message:
    if item["role"] == "tool":
        return _answer(item, index, word(item.get("tool_call_id")))
    if item["role"] == "function":
        return _answer(item, index, open_call)
    plain = message_of(item, index)
    refused = (Text(item["refusal"]),) if word(item.get("refusal")) else ()
    return replace(plain, parts=(*plain.parts, *refused, *_calls(item, open_call)))


def _answer(item: JsonObject, index: int, call_id: str) -> Message:
    return Message(f"m{index}", "user", (result_of(call_id, item.get("content")),), raw=item)


def _calls(item: JsonObject, open_call: str) -> list[ToolCall]:
    calls = [_call(call) for call in item.get("tool_calls") or ()]
    old = item.get("function_call")
    if isinstance(old, dict):
        calls.append(ToolCall(open_call, word(old.get("name")), arguments_of(old.get("arguments"))))
    return calls


def _call(call: JsonObject) -> ToolCall:
    custom, function = call.get("custom"), fields(call.get("function"))
    if isinstance(custom, dict):
        return ToolCall(word(call.get("id")), word(custom.get("name")), {"input": custom.get("input")})
    return ToolCall(word(call.get("id")), word(function.get("name")), arguments_of(function.get("arguments")))
