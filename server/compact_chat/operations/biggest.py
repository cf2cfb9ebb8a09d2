"""What takes the most room in a chat: its pieces, weighed and named, without secrets."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from compact_chat.chat import Message, ToolResult
from compact_chat.facts import Piece as Part
from compact_chat.facts import find_pieces, shown_path
from compact_chat.measure import Family, Name, Owner, Piece, Weight, break_down, divided, weigh
from compact_chat.operations.compaction import excerpt
from compact_chat.operations.desk import Desk
from compact_chat.operations.measured import Measured, counting
from compact_chat.operations.work import Work
from compact_chat.redact import Redactor, masked_message
from compact_chat.wire import Breakdown

LONGEST_NAME = 1_000  # characters


def biggest_things(found: Measured, most: int, desk: Desk, work: Work) -> Breakdown:
    """Break the chat down into at most so many of its biggest messages, tools and files."""
    clean = Redactor(desk.settings.redact_emails, desk.settings.redact)
    by_id = {message.id: message for message in found.chat.messages}

    def word(name: Name) -> str:
        if name.kind in ("message", "summary"):
            return _told(masked_message(by_id[name.name], clean))
        return _within(clean(shown_path(name.name)))

    return break_down(found.chat.messages, found.meter, tuple(_weighed(found, desk, work)), most, word)


def _weighed(found: Measured, desk: Desk, work: Work) -> Iterator[Piece]:
    """Divide the tokens of each message among its pieces, by what each weighs for itself."""
    messages, tokens = found.chat.messages, found.meter.tokens
    count, family = counting(found.family, desk), found.family
    parts = list(find_pieces(messages, found.chat.workspace or ""))
    for index in work.each(range(len(messages)), "Looking for the biggest"):
        sizes = [_size(weigh(_alone(messages[index], part), count, family), part, family) for part in parts[index]]
        yield from divided(index, tokens[index], sizes, [Owner(part.tool, part.files) for part in parts[index]])


def _alone(message: Message, part: Part) -> Message:
    return structs.replace(message, parts=(part.part,))


def _size(weight: Weight, part: Part, family: Family) -> int:
    """Leave out what surrounds a message: it has that once, not for each of its pieces."""
    around = 0 if isinstance(part.part, ToolResult) else family.per_message
    return max(0, weight.total - around)


def _within(name: str) -> str:
    """A name that is no longer than anybody reads; what was masked in it is masked already."""
    half = LONGEST_NAME // 2
    return name if len(name) <= LONGEST_NAME else f"{name[:half]}…{name[-half:]}"


def _told(message: Message) -> str:
    """Tell who speaks, and how it begins; a message of nothing but results is the tools'."""
    tools_speak = message.sends_results and not message.text and not message.is_summary
    return f"{'results' if tools_speak else message.role}: {excerpt(message)}"
