"""A compacted chat on its way out of the house: as a page to hand over, or as the files that other tools open."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar
from uuid import NAMESPACE_URL, uuid5

from msgspec import Struct

from compact_chat.chat import JsonObject, Message, Text
from compact_chat.prompt import write_transcript
from compact_chat.resume.shapes import as_anthropic

if TYPE_CHECKING:
    from compact_chat.redact import MaskedJson, MaskedMessage, MaskedText

AnyMessage = TypeVar("AnyMessage", bound=Message)
TOOL = "compact-chat"
UNANSWERED = "[This chat was compacted before an answer was given.]"
_CLOSING = ("[SYSTEM: ", "]")  # of a kind text (rule C10)


class Export(Struct, frozen=True):
    """All that is exported: what the compaction gave, the chat that it made, and what it is about."""

    compaction: MaskedJson  # as it was given back
    messages: tuple[MaskedMessage, ...]
    at: str  # ISO 8601 in UTC
    title: MaskedText | None = None
    workspace: str | None = None
    model: str | None = None  # of the chat
    read_files: tuple[MaskedText, ...] = ()
    modified_files: tuple[MaskedText, ...] = ()

    def own_id(self, *names: object) -> str:
        """A UUID for a thing of this export; the same each time."""
        return str(uuid5(NAMESPACE_URL, ":".join((TOOL, self.compaction["compactionId"], *map(str, names)))))


def without_closing(messages: Sequence[AnyMessage]) -> tuple[AnyMessage, ...]:
    """The chat without the text that only makes it ready to be sent (rule V8)."""
    return tuple(messages[:-1] if messages and is_closing(messages[-1]) else messages)


def is_closing(message: Message) -> bool:
    """Whether a message is nothing but a kind text."""
    text, (start, end) = message.text, _CLOSING
    is_text = message.role == "user" and all(isinstance(part, Text) for part in message.parts)
    return is_text and text.startswith(start) and text.endswith(end)


def as_json(export: Export) -> str:
    """The compaction with the chat that it made."""
    return json.dumps({**export.compaction, "messages": as_anthropic(export.messages)}, indent=2) + "\n"


def as_markdown(export: Export) -> str:
    """A page that a person can read and a next chat can begin with."""
    parts = (
        f"# {_line(export.title or 'Compacted chat')}",
        _origin(export),
        _chat(export),
        _kept(export.compaction["survival"]),
        _files(export),
    )
    return "\n\n".join(filter(None, parts)) + "\n"


def _origin(export: Export) -> str:
    done = export.compaction
    written = f", {_writer(done)}" if done["summary"] else ""
    sizes = f"{done['before']:,} → {done['after']:,} tokens"
    return (
        f"Compacted on {export.at[:10]}{written}: {sizes}, {done['survival']['kept']:.0%} of what can be checked kept."
    )


def _writer(done: JsonObject) -> str:
    match done["provider"]:
        case "offline":
            return "summary made without a model"
        case "host":
            return "summary edited by hand, or by a model of the editor's"
        case provider:
            return f"summary by {done['model'] or provider}"


def _chat(export: Export) -> str:
    """What the next chat begins with; where rules cut the chat, that is what they left of it."""
    opening: str = export.compaction["continuation"].strip()
    if export.compaction["summary"]:
        return opening
    said = write_transcript(without_closing(export.messages))
    return "\n\n".join(filter(None, (said and f"## Messages\n\n{said}", opening)))


def _kept(survival: JsonObject) -> str:
    classes = survival["classes"]
    if not classes:
        return ""
    rows = (f"- {_words(found['name'])}: {found['kept']} of {found['total']}" for found in classes)
    return "\n".join(("## What was kept", "", *rows, *_lost(classes)))


def _lost(classes: Sequence[JsonObject]) -> Iterator[str]:
    lost = [_line(one["text"]) for found in classes for one in found["lost"]]
    if lost:
        yield from ("", "Not in the summary:", "")
        yield from (f"- {text}" for text in lost)


def _files(export: Export) -> str:
    lists = {"Modified": export.modified_files, "Read": export.read_files}
    blocks = ("\n".join((f"{name}:", "", *map(_path, paths))) for name, paths in lists.items() if paths)
    text = "\n\n".join(blocks)
    return f"## Files\n\n{text}" if text else ""


def _path(path: str) -> str:
    fence = "``" if "`" in path else "`"
    return f"- {fence}{_line(path)}{fence}"


def _words(name: str) -> str:
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name)


def _line(text: str) -> str:
    return " ".join(text.split())
