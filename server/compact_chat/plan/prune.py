"""Cutting long tool results down to their beginning and end (rules X4 to X9)."""

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


def seen(message: Message) -> Message:
    """The message without thinking, blank texts and calls that are not the assistant's; itself if it has none."""
    checkpoint()
    return with_parts(message, tuple(_filled(part) for part in message.parts if _is_seen(part, message.role)))


def with_parts(message: Message, parts: tuple[Part, ...]) -> Message:
    """The message with these parts; itself if it has them already, so that `raw` survives."""
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


def _filled(part: Part) -> Part:
    """A result without the blank texts in its list; one that had nothing else says so."""
    if not isinstance(part, ToolResult) or part.as_text or all(_is_seen(inner, "user") for inner in part.content):
        return part
    content = tuple(inner for inner in part.content if _is_seen(inner, "user"))
    return msgspec.structs.replace(part, content=content or (Text("(no output)"),))


_MARKER = re.compile(r"\n\n\[\.\.\.[0-9]{1,18} chars pruned\.\.\.\]\n\n")


class Pruned(Struct, frozen=True):
    """A chat with its long results cut, and what that took away."""

    messages: tuple[Message, ...]
    changed: frozenset[int]
    chars_removed: int
    blocks: int


def prune(messages: Sequence[Message], options: PruneOptions, spare: Collection[int] = ()) -> Pruned:
    """The chat with the results before its newest messages cut; the messages to spare stay as they are."""
    pruned = list(messages)
    removed: list[int] = []  # by each result that changed
    changed: set[int] = set()
    for index, message in enumerate(_old(messages, options)):
        cuts = {} if index in spare else _cuts(message, options)
        if cuts:
            parts = tuple(cuts[number][0] if number in cuts else part for number, part in enumerate(message.parts))
            pruned[index] = with_plain_results(msgspec.structs.replace(message, parts=parts, raw=None))
            removed += (characters for _, characters in cuts.values())
            changed.add(index)
    return Pruned(tuple(pruned), frozenset(changed), chars_removed=sum(removed), blocks=len(removed))


def can_prune(messages: Sequence[Message], options: PruneOptions) -> bool:
    """Whether there is anything to cut."""
    return any(_cuts(message, options) for message in _old(messages, options))


def shorten(text: str, options: PruneOptions) -> str:
    """Replace the middle of a text by a marker, unless it is short, already cut (rule X8), or would not shrink."""
    left_out = len(text) - options.head - options.tail
    if len(text) <= options.max_chars or left_out <= 0:
        return text
    marker = _MARKER.match(text, options.head)
    if marker is not None and len(text) - marker.end() == options.tail:
        return text
    shorter = f"{text[: options.head]}\n\n[...{left_out} chars pruned...]\n\n{text[len(text) - options.tail :]}"
    return shorter if len(shorter) < len(text) else text


def _old(messages: Sequence[Message], options: PruneOptions) -> Sequence[Message]:
    """The messages before the newest ones."""
    return messages[: max(0, len(messages) - options.preserve_tail)]


def _cuts(message: Message, options: PruneOptions) -> dict[int, tuple[ToolResult, int]]:
    """Cut the results of a message: those that change and what each loses, by the number of the part."""
    cuts = {}
    for number, part in enumerate(message.parts):
        if isinstance(part, ToolResult) and (cut := _cut(part, options))[0] is not part:
            cuts[number] = cut
    return cuts


def _cut(result: ToolResult, options: PruneOptions) -> tuple[ToolResult, int]:
    """The result with its texts cut as one and its pictures and documents named, and how many characters it loses."""
    parts = tuple(map(_named, result.content))
    texts = [part.text for part in parts if isinstance(part, Text) and (result.as_text or not _is_name(part))]
    joined = "\n".join(texts)
    shorter = shorten(joined, options)
    if shorter != joined:
        others = (part for part in parts if not isinstance(part, Text) or (not result.as_text and _is_name(part)))
        parts = (Text(shorter), *others)
    if parts == result.content:
        return result, 0
    return msgspec.structs.replace(result, content=parts), len(joined) - len(shorter)


def _named(part: ResultPart) -> ResultPart:
    """A picture or document as a line of text (rule X7); any other part is itself."""
    match part:
        case Image():
            return Text("[image]")
        case Document(title):
            return Text(f"[document: {' '.join(title.split())}]")
        case _:
            return part


def _is_name(part: Part) -> bool:
    """Whether this is the text that stands for a picture or a document, which later cuts leave alone."""
    if not isinstance(part, Text) or "\n" in part.text:
        return False
    return part.text == "[image]" or (part.text.startswith("[document: ") and part.text.endswith("]"))
