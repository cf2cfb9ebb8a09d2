"""The summary of what came before: found where a chat begins with it, and made fit for its frame (rule P23)."""

from __future__ import annotations

from msgspec.structs import replace

from compact_chat.chat import Message, Text
from compact_chat.facts.records import without_records
from compact_chat.facts.requests import summary_parts
from compact_chat.marks import strip_summary_wrappers
from compact_chat.prompt.rendering import Rendering, content, squeezed


def opening_summary(messages: tuple[Message, ...]) -> tuple[str, tuple[Message, ...]]:
    """The summary that the first message which is not the system's begins with, and the chat without its words."""
    place = next((place for place, message in enumerate(messages) if message.role != "system"), None)
    if place is None or not messages[place].parts:
        return "", messages
    first, *rest = messages[place].parts
    if not isinstance(first, Text) or first not in summary_parts(messages[place]):
        return "", messages
    opened = replace(messages[place], parts=tuple(rest), is_summary=False)
    return strip_summary_wrappers(first.text), (*messages[:place], opened, *messages[place + 1 :])


def shown_summary(text: str, room: int, rendering: Rendering) -> str:
    """A summary as it stands in its frame: guarded, and without the records of files, which have their own place."""
    return squeezed(content(without_records(text), rendering.labels), room, rendering.labels)
