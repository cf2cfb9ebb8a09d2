"""Export a compacted chat: as a page to hand over, or as the files that other tools open."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar
from uuid import NAMESPACE_URL, uuid5

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import Message, Text
from compact_chat.prompt import write_transcript
from compact_chat.resume.messages import answered, make_valid
from compact_chat.resume.shapes import acceptable, as_anthropic
from compact_chat.text import json_text, line_feeds, storable, visible

if TYPE_CHECKING:
    from compact_chat.redact import MaskedJson, MaskedMessage, MaskedText

AnyMessage = TypeVar("AnyMessage", bound=Message)
TOOL = "compact-chat"
UNANSWERED = "[This chat was compacted before an answer was given.]"
_CLOSING = ("[SYSTEM: ", "]")  # of a kind text (rule C10)
_LONGEST_TITLE = 200  # characters; below it, a reader looks for the message that opens the next chat
_HUMP = re.compile(r"(?=[A-Z])")


class Export(Struct, frozen=True):
    """The input of every export: the compaction's result, the chat that it made, and its context."""

    compaction: MaskedJson  # as it was returned
    messages: tuple[MaskedMessage, ...]
    at: str  # ISO 8601 in UTC
    title: MaskedText | None = None
    workspace: str | None = None
    model: str | None = None  # of the chat
    read_files: tuple[MaskedText, ...] = ()
    modified_files: tuple[MaskedText, ...] = ()

    def own_id(self, *names: object) -> str:
        """Make a UUID for a thing in this export, the same each time."""
        return str(uuid5(NAMESPACE_URL, ":".join((TOOL, self.compaction["compactionId"], *map(str, names)))))


def without_closing(messages: Sequence[AnyMessage]) -> tuple[AnyMessage, ...]:
    """Return the chat without the closing text that only makes it ready to be sent (rule V8)."""
    return tuple(messages[:-1] if messages and is_closing(messages[-1]) else messages)


def is_closing(message: Message) -> bool:
    """Return whether a message is nothing but a kind text."""
    text, (start, end) = message.text, _CLOSING
    is_text = message.role == "user" and all(isinstance(part, Text) for part in message.parts)
    return is_text and text.startswith(start) and text.endswith(end)


def finished_turns(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return the chat as an API takes it: system texts become user messages, and pending calls get answers."""
    said = [replace(message, role="user", raw=None) if message.role == "system" else message for message in messages]
    live = make_valid(acceptable(said))
    return make_valid(answered(live, open_from=len(live)))


def as_json(export: Export) -> str:
    """Return the compaction with the chat that it made."""
    return json_text({**export.compaction, "messages": as_anthropic(export.messages)}, indent=2) + "\n"


def as_markdown(export: Export) -> str:
    """Write a page that a person can read and a next chat can begin with."""
    done, classes = export.compaction, export.compaction["survival"]["classes"]
    summary, opening = done["summary"], done["continuation"].strip()
    match done["provider"]:
        case "offline":
            writer = "summary made without a model"
        case "host":
            writer = "summary edited by hand, or by a model of the editor's"
        case provider:
            writer = f"summary by {done['model'] or provider}"
    transcript = "" if summary else write_transcript(without_closing(export.messages))  # what rules left of the chat
    kept = [f"- {_HUMP.sub(' ', found['name']).lower()}: {found['kept']} of {found['total']}" for found in classes]
    if missing := [f"- {_line(one['text'])}" for found in classes for one in found["lost"]]:
        kept += ["", "Not in the summary:", "", *missing]
    files = [
        "\n".join((f"{name}:", "", *map(_path, paths)))
        for name, paths in (("Modified", export.modified_files), ("Read", export.read_files))
        if paths
    ]
    written = f", {writer}" if summary else ""
    sizes = f"{done['before']:,} → {done['after']:,} tokens, {done['survival']['kept']:.0%}"
    parts = (
        f"# {_line(export.title or 'Compacted chat')[:_LONGEST_TITLE]}",
        f"Compacted on {export.at[:10]}{written}: {sizes} of what can be checked kept.",
        f"## Messages\n\n{transcript}" if transcript else "",
        opening,
        "\n".join(("## What was kept", "", *kept)) if kept else "",
        "\n\n".join(("## Files", *files)) if files else "",
    )
    return visible(line_feeds(storable("\n\n".join(filter(None, parts)) + "\n")))


def _path(path: str) -> str:
    fence = "``" if "`" in path else "`"
    return f"- {fence}{_line(path)}{fence}"


def _line(text: str) -> str:
    return " ".join(text.split())
