"""What an API sees of a message (rules V1 to V3), and truncating long tool results in the middle (rules X4 to X9)."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import msgspec
from msgspec import Struct

from compact_chat.cancel import checkpoint
from compact_chat.chat import (
    Document,
    Image,
    Message,
    Part,
    ResultPart,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    with_plain_results,
)
from compact_chat.wire import PruneOptions


def visible(message: Message) -> Message:
    """Drop thinking, blank texts and calls outside the assistant's messages; the message itself if unchanged.

    A result loses the blank texts in its list, and says so if it had nothing else.
    """
    checkpoint()
    parts: list[Part] = []
    for part in message.parts:
        if isinstance(part, ToolResult) and not part.as_text and not all(_is_seen(one, "user") for one in part.content):
            content = tuple(one for one in part.content if _is_seen(one, "user"))
            parts.append(msgspec.structs.replace(part, content=content or (Text("(no output)"),)))
        elif _is_seen(part, message.role):
            parts.append(part)
    return with_parts(message, tuple(parts))


def with_parts(message: Message, parts: tuple[Part, ...]) -> Message:
    """Return the message with these parts; itself if unchanged, so that `raw` survives."""
    return message if parts == message.parts else msgspec.structs.replace(message, parts=parts, raw=None)


def _is_seen(part: Part, role: Role) -> bool:
    match part:
        case Thinking():
            return False
        case Text(text):
            return bool(text) and not text.isspace()
        case ToolCall():
            return role == "assistant"
        case _:
            return True


_MARKER = re.compile(r"\n\n\[\.\.\.[0-9]{1,18} chars pruned\.\.\.\]\n\n")
# Texts that stand for pictures and documents, exempt from later cuts.
_NAME = re.compile(r"\[image\]|\[document: [^\n]*\]")


class Pruned(Struct, frozen=True):
    """A chat with its long results truncated, and what that removed."""

    messages: tuple[Message, ...]
    changed: frozenset[int]
    chars_removed: int
    blocks: int


def prune(messages: Sequence[Message], options: PruneOptions, spare: Collection[int] = ()) -> Pruned:
    """Truncate the results before the newest messages; the messages to spare stay as they are."""
    pruned = list(messages)
    removed: list[int] = []  # by each result that changed
    changed: set[int] = set()
    for index, message in enumerate(_old(messages, options)):
        if index in spare or not (cuts := _cuts(message, options)):
            continue
        parts = tuple(cuts[number][0] if number in cuts else part for number, part in enumerate(message.parts))
        pruned[index] = with_plain_results(msgspec.structs.replace(message, parts=parts, raw=None))
        removed += (characters for _, characters in cuts.values())
        changed.add(index)
    return Pruned(tuple(pruned), frozenset(changed), chars_removed=sum(removed), blocks=len(removed))


def can_prune(messages: Sequence[Message], options: PruneOptions) -> bool:
    """Return whether there is anything to truncate."""
    return any(_cuts(message, options) for message in _old(messages, options))


def _old(messages: Sequence[Message], options: PruneOptions) -> Sequence[Message]:
    return messages[: max(0, len(messages) - options.preserve_tail)]


def _cuts(message: Message, options: PruneOptions) -> dict[int, tuple[ToolResult, int]]:
    """Truncate a message's results: the changed ones and the characters each loses, by part index.

    The texts of a result are cut as one. Its pictures and documents become lines of text (rule X7).
    """
    cuts = {}
    for number, result in enumerate(message.parts):
        if not isinstance(result, ToolResult):
            continue
        parts = tuple(map(_named, result.content))
        is_own = [isinstance(one, Text) and (result.as_text or not _NAME.fullmatch(one.text)) for one in parts]
        joined = "\n".join(one.text for one, own in zip(parts, is_own, strict=True) if own and isinstance(one, Text))
        shorter = shorten(joined, options)
        if shorter != joined:
            parts = (Text(shorter), *(one for one, own in zip(parts, is_own, strict=True) if not own))
        if parts != result.content:
            cuts[number] = msgspec.structs.replace(result, content=parts), len(joined) - len(shorter)
    return cuts


def _named(part: ResultPart) -> ResultPart:
    match part:
        case Image():
            return Text("[image]")
        case Document(title):
            return Text(f"[document: {' '.join(title.split())}]")
        case _:
            return part


def shorten(text: str, options: PruneOptions) -> str:
    """Replace the middle of a text by a marker, unless it is short, already truncated (rule X8) or would not shrink."""
    left_out = len(text) - options.head - options.tail
    if len(text) <= options.max_chars or left_out <= 0:
        return text
    marker = _MARKER.match(text, options.head)
    if marker is not None and len(text) - marker.end() == options.tail:
        return text
    shorter = f"{text[: options.head]}\n\n[...{left_out} chars pruned...]\n\n{text[len(text) - options.tail :]}"
    return shorter if len(shorter) < len(text) else text
