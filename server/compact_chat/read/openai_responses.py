"""Items as the OpenAI Responses API takes them: reasoning, words, calls and outputs each an item of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from msgspec.structs import replace

from compact_chat.chat import Chat, JsonObject, Message, Part, Role, Thinking, ToolCall, Unknown, raws
from compact_chat.read.arrays import fits, message_of, read_array
from compact_chat.read.blocks import arguments_of, result_of
from compact_chat.read.lenient import objects, word
from compact_chat.read.source import Source

_NAME = "openai-responses"


def sniff(source: Source) -> bool:
    """Whether the source may be an array of Responses items."""
    return fits(source, _NAME)


def read(source: Source) -> Chat:
    """Read the array; neighbouring items of the assistant are one Message, and so are neighbouring outputs."""
    return read_array(source, _NAME, _messages)


def item_message(item: JsonObject, place: int) -> Message:
    """Decode one item as a Message of its own; a `role`, where it has one, is a string."""
    if "role" in item:
        return message_of(item, place)
    kind = word(item.get("type"))
    part = _ITEMS[kind](item) if kind in _ITEMS else Unknown(kind, item)
    role: Role = "user" if kind in _OUTPUTS else "assistant"
    return Message(f"m{place}", role, (part,), raw=item)


def _messages(items: Sequence[JsonObject]) -> list[Message]:
    single = [item_message(item, place) for place, item in enumerate(items)]
    turns = [list(turn) for _, turn in groupby(single, key=_turn)]
    return [_merged(turn, index) for index, turn in enumerate(turns)]


def _turn(message: Message) -> str:
    """What neighbours must share to be one Message; a message of the user or system stands alone."""
    if message.role == "assistant":
        return "assistant"
    return "outputs" if message.results else message.id


def _merged(turn: Sequence[Message], index: int) -> Message:
    name = f"m{index}"
    if len(turn) == 1:
        return replace(turn[0], id=name)
    parts = tuple(part for message in turn for part in message.parts)
    return Message(name, turn[0].role, parts, raw=tuple(item for message in turn for item in raws(message)))


def _reasoning(item: JsonObject) -> Part:
    steps = objects(item.get("summary")) or objects(item.get("content"))
    return Thinking("\n\n".join(word(step.get("text")) for step in steps))


def _function_call(item: JsonObject) -> Part:
    return ToolCall(word(item.get("call_id")), word(item.get("name")), arguments_of(item.get("arguments")))


def _custom_call(item: JsonObject) -> Part:
    return ToolCall(word(item.get("call_id")), word(item.get("name")), {"input": item.get("input")})


def _shell_call(item: JsonObject) -> Part:
    return ToolCall(word(item.get("call_id")), "local_shell", arguments_of(item.get("action")))


def _search_call(item: JsonObject) -> Part:
    return ToolCall(word(item.get("call_id")), "tool_search", arguments_of(item.get("arguments")))


def _search_output(item: JsonObject) -> Part:
    return result_of(item.get("call_id"), item.get("tools"))


def _output(item: JsonObject) -> Part:
    return result_of(item.get("call_id") or item.get("id"), item.get("output"))


_PLAIN_OUTPUTS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")
_OUTPUTS = (*_PLAIN_OUTPUTS, "tool_search_output")
_ITEMS: dict[str, Callable[[JsonObject], Part]] = {
    "reasoning": _reasoning,
    "function_call": _function_call,
    "custom_tool_call": _custom_call,
    "local_shell_call": _shell_call,
    "tool_search_call": _search_call,
    "tool_search_output": _search_output,
    **dict.fromkeys(_PLAIN_OUTPUTS, _output),
}
