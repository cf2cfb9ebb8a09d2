"""Messages as the OpenAI Responses API takes them: words, calls and outputs each an item of its own."""

from __future__ import annotations

from itertools import groupby

from compact_chat.chat import JsonObject, Message, Part, Role, ToolCall, ToolResult, Unknown, result_text
from compact_chat.resume.openai_shape import RESPONSES_INPUT, RESPONSES_OUTPUT, arguments_text, content_of


def write_message(message: Message) -> list[JsonObject]:
    """The items of the message in its order; neighbouring words share one."""
    names = RESPONSES_OUTPUT if message.role == "assistant" else RESPONSES_INPUT
    items: list[JsonObject] = []
    for alone, run in groupby(message.parts, key=lambda part: _stands_alone(part, message.role)):
        if alone:
            items.extend(map(_item, run))
        elif content := content_of(run, names):
            items.append({"type": "message", "role": message.role, "content": content})
    return items


def _stands_alone(part: Part, role: Role) -> bool:
    """Blocks of the assistant that we do not know are items in this API, such as the call of a built-in tool."""
    return isinstance(part, ToolCall | ToolResult) or (isinstance(part, Unknown) and role == "assistant")


def _item(part: Part) -> JsonObject:
    match part:
        case ToolCall():
            arguments = arguments_text(part)
            return {"type": "function_call", "call_id": part.id, "name": part.name, "arguments": arguments}
        case ToolResult():
            output = result_text(part) if part.as_text else content_of(part.content, RESPONSES_INPUT)
            return {"type": "function_call_output", "call_id": part.call_id, "output": output}
        case _:
            return content_of([part], RESPONSES_OUTPUT)[0]
