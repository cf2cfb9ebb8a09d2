"""Messages as the Anthropic API takes them; system messages stay among them, as the caller had them."""

from __future__ import annotations

from compact_chat.chat import (
    Document,
    Image,
    JsonObject,
    Message,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    result_text,
    words,
)
from compact_chat.resume.attachments import document_words, embedded


def write_message(message: Message) -> JsonObject:
    """The message, its content a string where it is one text."""
    match message.parts:
        case (Text(text),):
            return {"role": message.role, "content": text}
        case parts:
            return {"role": message.role, "content": [_block(part) for part in parts]}


def is_sound(content: object) -> bool:
    """Whether content has the form that the API asks for; in files anything may stand in its place."""
    return isinstance(content, str) or (isinstance(content, list) and all(map(_is_sound_block, content)))


def _is_sound_block(block: object) -> bool:
    match block:
        case {"type": "tool_use", "input": dict(), "name": str()} | {"type": "text", "text": str()}:
            return True
        case {"type": "tool_result", "content": content}:
            return is_sound(content)
        case {"type": str(kind)}:
            return kind not in ("tool_use", "text")
    return False


def _block(part: Part) -> JsonObject:
    match part:
        case Text(text):
            return {"type": "text", "text": text}
        case Thinking(text):
            return {"type": "thinking", "thinking": text} if text else {"type": "redacted_thinking", "data": ""}
        case Image():
            return _image(part)
        case Document():
            return _document(part)
        case Unknown(_, raw):
            return raw if isinstance(raw.get("type"), str) else {"type": "text", "text": words(part)}
        case ToolCall():
            return {"type": "tool_use", "id": part.id, "name": part.name, "input": part.input}
        case ToolResult():
            return _result(part)


def _image(image: Image) -> JsonObject:
    if image.data:
        source = {"type": "base64", "media_type": image.media_type or "image/png", "data": image.data}
        return {"type": "image", "source": source}
    if image.url:
        return {"type": "image", "source": {"type": "url", "url": image.url}}
    return {"type": "text", "text": "[image]"}


def _document(document: Document) -> JsonObject:
    if document.raw.get("type") == "document":
        return document.raw
    if inside := embedded(document):
        source = {"type": "base64", "media_type": inside.media_type, "data": inside.data}
        return {"type": "document", "source": source, **({"title": document.title} if document.title else {})}
    return {"type": "text", "text": document_words(document)}


def _result(result: ToolResult) -> JsonObject:
    content = result_text(result) if result.as_text else [_block(part) for part in result.content]
    failed = {"is_error": True} if result.is_error else {}
    return {"type": "tool_result", "tool_use_id": result.call_id, "content": content, **failed}
