"""Messages as the OpenAI chat API takes them: calls beside the content, each tool result a message of its own."""

from __future__ import annotations

from collections.abc import Sequence

from compact_chat.chat import Document, Image, JsonObject, Message, Part, Text, ToolCall, ToolResult, result_text
from compact_chat.resume.attachments import image_url
from compact_chat.resume.openai_shape import CHAT, arguments_text, content_of


def write_message(message: Message) -> list[JsonObject]:
    """The tool results of the message, then what else it holds; none where that is nothing."""
    answers = [_answer(result) for result in message.results]
    # A tool message takes nothing but text, so what is attached to a result follows as the user's.
    attached = [part for result in message.results for part in result.content if _is_attached(part)]
    content = _content((*attached, *message.parts))
    calls = [_call(call) for call in message.calls]
    if calls:
        return [*answers, {"role": message.role, "content": content or None, "tool_calls": calls}]
    return [*answers, {"role": message.role, "content": content}] if content else answers


def _content(parts: Sequence[Part]) -> str | list[JsonObject]:
    """The content as a string where it is one text or nothing."""
    blocks = content_of(parts, CHAT)
    if not blocks:
        return ""
    return str(blocks[0]["text"]) if len(blocks) == 1 and blocks[0]["type"] == CHAT.text else blocks


def _answer(result: ToolResult) -> JsonObject:
    words = [Text(result_text(ToolResult("", (part,)))) if _is_attached(part) else part for part in result.content]
    content = result_text(result) if result.as_text else content_of(words, CHAT)
    return {"role": "tool", "tool_call_id": result.call_id, "content": content or ""}


def _is_attached(part: Part) -> bool:
    return isinstance(part, Document) or (isinstance(part, Image) and bool(image_url(part)))


def _call(call: ToolCall) -> JsonObject:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments_text(call)}}
