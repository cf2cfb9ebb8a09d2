"""Cutting long tool results down to their beginning and end (rules X4 to X9)."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import msgspec
from msgspec import Struct

from compact_chat.chat import Document, Image, Message, Part, ResultPart, Text, ToolResult
from compact_chat.options import PruneOptions

_MARKER = re.compile(r"\n\n\[\.\.\.[0-9]{1,18} chars pruned\.\.\.\]\n\n")


class Pruned(Struct, frozen=True):
    """A chat with its long results cut, and what that took away."""

    messages: tuple[Message, ...]
    changed: frozenset[int]
    chars_removed: int
    blocks: int
    images_replaced: int


class _Cut(Struct, frozen=True):
    """One result after the cut."""

    result: ToolResult
    chars_removed: int = 0
    images_replaced: int = 0


def prune(
    messages: Sequence[Message], options: PruneOptions, images: bool = True, spare: Collection[int] = ()
) -> Pruned:
    """The chat with the results before its newest messages cut; the messages to spare stay as they are."""
    cut_until = len(messages) - options.preserve_tail
    pruned = list(messages)
    cuts: list[_Cut] = []
    changed: set[int] = set()
    for index, message in enumerate(messages[: max(0, cut_until)]):
        own = {} if index in spare else _cuts(message, options, images)
        if own:
            parts = tuple(own[number].result if number in own else part for number, part in enumerate(message.parts))
            pruned[index] = msgspec.structs.replace(message, parts=parts, raw=None)
            cuts.extend(own.values())
            changed.add(index)
    return Pruned(
        messages=tuple(pruned),
        changed=frozenset(changed),
        chars_removed=sum(cut.chars_removed for cut in cuts),
        blocks=len(cuts),
        images_replaced=sum(cut.images_replaced for cut in cuts),
    )


def shorten(text: str, options: PruneOptions) -> str:
    """The text with its middle replaced by a marker, unless it is short, already cut, or would not shrink."""
    left_out = len(text) - options.head - options.tail
    if len(text) <= options.max_chars or left_out <= 0 or _is_shortened(text, options):
        return text
    shorter = f"{text[: options.head]}\n\n[...{left_out} chars pruned...]\n\n{text[len(text) - options.tail :]}"
    return shorter if len(shorter) < len(text) else text


def _is_shortened(text: str, options: PruneOptions) -> bool:
    """Whether the text is a head, the marker and a tail (rule X8)."""
    marker = _MARKER.match(text, options.head)
    return marker is not None and len(text) - marker.end() == options.tail


def _cuts(message: Message, options: PruneOptions, images: bool) -> dict[int, _Cut]:
    """The results of a message that change, by the number of the part."""
    cuts = {
        number: _cut(part, options, images) for number, part in enumerate(message.parts) if isinstance(part, ToolResult)
    }
    return {number: cut for number, cut in cuts.items() if cut.result is not message.parts[number]}


def _cut(result: ToolResult, options: PruneOptions, images: bool) -> _Cut:
    """The result with its texts cut as one and its pictures and documents named."""
    parts = tuple(map(_named, result.content)) if images else result.content
    replaced = sum(new is not old for new, old in zip(parts, result.content, strict=True))
    texts = [part.text for part in parts if isinstance(part, Text) and (result.as_text or not _is_name(part))]
    joined = "\n".join(texts)
    shorter = shorten(joined, options)
    if shorter != joined:
        others = (part for part in parts if not isinstance(part, Text) or (not result.as_text and _is_name(part)))
        parts = (Text(shorter), *others)
    if parts == result.content:
        return _Cut(result)
    return _Cut(msgspec.structs.replace(result, content=parts), len(joined) - len(shorter), replaced)


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
