"""The items of a Codex history become messages: what one call gave is one, and so are the outputs that answer it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import groupby

from msgspec.structs import replace

from compact_chat.chat import Message, Unknown, Usage
from compact_chat.read.blocks import parts_of
from compact_chat.read.codex_history import SUMMARIES, Entry
from compact_chat.read.codex_host import is_context
from compact_chat.read.lenient import word
from compact_chat.read.openai_responses import item_message
from compact_chat.read.own_ids import with_own_ids


def messages_of(entries: Sequence[Entry]) -> tuple[Message, ...]:
    """Merge the items of each call, and set the size beside the message that it was told of."""
    turns: list[tuple[Hashable, Message]] = []
    calls = 0
    for message in _with_sizes(entries):
        turns.append((_turn(message, len(turns), calls), message))
        calls += message.usage is not None and not message.usage.whole
    merged = (_merged([message for _, message in turn]) for _, turn in groupby(turns, key=lambda turn: turn[0]))
    return with_own_ids(merged)


def _with_sizes(entries: Sequence[Entry]) -> list[Message]:
    """A message for each item. A call's size goes to the last item that it gave, an estimate to what it ends with."""
    messages: list[Message] = []
    given: int | None = None
    whole: tuple[int, Usage] | None = None
    for entry in entries:
        if entry.usage is None:
            messages.append(message_of(entry))
            given = len(messages) - 1 if messages[-1].role == "assistant" else given
        elif entry.usage.whole:
            whole = (len(messages) - 1, entry.usage) if messages else None
        else:
            whole = None
            if given is not None:
                messages[given] = replace(messages[given], usage=entry.usage)
    if whole is not None:
        messages[whole[0]] = replace(messages[whole[0]], usage=whole[1])
    return messages


def message_of(entry: Entry) -> Message:
    """The message that one item is."""
    item, kind = entry.item, word(entry.item.get("type"))
    name = word(item.get("id")) or entry.id
    if kind in SUMMARIES:
        return Message(name, "user", (Unknown(kind, item),), is_summary=True, by_host=True)
    if kind == "agent_message":
        return Message(name, "user", parts_of(item.get("content")), by_host=True)
    if not isinstance(item.get("role"), str) and ("role" in item or not kind):
        return Message(name, "user", (Unknown(kind or "item", item),))
    message = replace(item_message(item, 0), id=name, raw=None, is_summary=entry.is_summary)
    return replace(message, by_host=message.role == "user" and (entry.is_summary or is_context(item)))


def _turn(message: Message, place: int, calls: int) -> Hashable:
    """What neighbours share that are one message; what a user or the system says stands alone."""
    if message.role == "assistant":
        return ("assistant", calls)
    return "outputs" if message.results else place


def _merged(turn: Sequence[Message]) -> Message:
    if len(turn) == 1:
        return turn[0]
    usages = [message.usage for message in turn if message.usage]
    parts = tuple(part for message in turn for part in message.parts)
    return replace(turn[0], parts=parts, usage=usages[-1] if usages else None)
