"""Names for the messages of logs that write one name twice."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from compact_chat.chat import Message


def with_own_ids(messages: Iterable[Message]) -> tuple[Message, ...]:
    """The messages, each under a name of its own: where one is taken, a number goes behind it."""
    times: dict[str, int] = {}
    named: dict[str, Message] = {}
    for message in messages:
        name = message.id
        while name in named:
            times[message.id] = times.get(message.id, 1) + 1
            name = f"{message.id}#{times[message.id]}"
        named[name] = message if name == message.id else replace(message, id=name)
    return tuple(named.values())
