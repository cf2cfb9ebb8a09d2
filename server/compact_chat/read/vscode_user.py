"""The user's side of a VS Code request: as Copilot Chat rendered it, or what a person typed."""

from __future__ import annotations

from compact_chat.chat import JsonObject, Message, Part, Text
from compact_chat.read.lenient import fields, objects, word
from compact_chat.read.records import whole_number
from compact_chat.read.vscode_tsx import picture_of

_COPILOT = "github.copilot"
_TAGS = ("userRequest", "user_query")  # around what was typed; which one, depends on the model
_ADDRESSES = ("agent", "subcommand")  # parts that say who is asked for what, and are not sent


def user_message(request: JsonObject, metadata: JsonObject, name: str) -> Message | None:
    """The message that a request sends; a repeated try sends nothing new."""
    rendered = rendered_parts(metadata.get("renderedUserMessage"))
    if not rendered and request.get("confirmation"):
        return None
    parts = rendered or _typed_parts(request)
    return Message(name, "user", parts, by_host=request.get("isSystemInitiated") is True) if parts else None


def rendered_parts(content: object) -> tuple[Part, ...]:
    """The texts and pictures of a rendered message, without what only steers the cache."""
    if isinstance(content, str):
        return (Text(content),) if content.strip() else ()
    return tuple(part for part in map(_rendered_part, objects(content)) if part is not None)


def prompt_text(request: JsonObject) -> str:
    """What was typed, without the participant and the command that it was addressed to."""
    message = request.get("message")
    text = word(message) or word(fields(message).get("text"))
    parts = objects(fields(message).get("parts"))
    ends = (fields(part.get("range")).get("endExclusive") for part in parts if part.get("kind") in _ADDRESSES)
    return text[max([0, *filter(None, map(whole_number, ends))]) :].lstrip()


def unframed(text: str) -> str:
    """What a person typed of a message: all of it, or what Copilot Chat framed at the end of its own notes."""
    body = text.rstrip()
    for tag in _TAGS:
        if body.endswith(f"\n</{tag}>"):
            start = body.rfind(f"<{tag}>\n")
            return body[start + len(tag) + 3 : -len(tag) - 4].strip() if start >= 0 else text
    return text


def _rendered_part(part: JsonObject) -> Part | None:
    place = word(fields(part.get("imageUrl")).get("url"))
    if place:
        return picture_of(place)
    text = word(part.get("text"))
    return Text(text) if text.strip() else None


def _typed_parts(request: JsonObject) -> tuple[Part, ...]:
    """Frame what was typed as Copilot Chat does where it kept no rendered message."""
    text = prompt_text(request)
    if not text.strip():
        return ()
    is_framed = word(fields(request.get("agent")).get("id")).startswith(_COPILOT)
    return (Text(f"<{_TAGS[0]}>\n{text}\n</{_TAGS[0]}>\n" if is_framed else text),)
