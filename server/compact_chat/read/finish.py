"""What every reader does last: ids that are unique, and the mark on an earlier summary."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from compact_chat.chat import Message
from compact_chat.read.summaries import opens_with_summary


def finished(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Give each message an id of its own, and mark the first one where it is an earlier summary (P23)."""
    return _with_summary_marked(_with_unique_ids(messages))


def _with_summary_marked(messages: list[Message]) -> tuple[Message, ...]:
    first = next((place for place, message in enumerate(messages) if message.role != "system"), None)
    if first is not None and opens_with_summary(messages[first]):
        messages[first] = replace(messages[first], is_summary=True)
    return tuple(messages)


def _with_unique_ids(messages: Sequence[Message]) -> list[Message]:
    taken = {message.id for message in messages}
    seen: dict[str, int] = {}
    unique: list[Message] = []
    for message in messages:
        count = seen[message.id] = seen.get(message.id, 0) + 1
        unique.append(message if count == 1 else replace(message, id=_free_id(message.id, count, taken)))
    return unique


def _free_id(name: str, count: int, taken: set[str]) -> str:
    while (free := f"{name}-{count}") in taken:
        count += 1
    taken.add(free)
    return free
