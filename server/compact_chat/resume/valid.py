"""A chat that model APIs accept (rules V1 to V8), as a row of small passes."""

from __future__ import annotations

from collections.abc import Sequence

from compact_chat.chat import Message, Text
from compact_chat.facts.told_results import with_told_results
from compact_chat.plan.exchanges import open_end
from compact_chat.plan.seen import seen
from compact_chat.plan.split import front_length
from compact_chat.resume.pairs import answered, paired
from compact_chat.resume.turns import merged

_OMITTED = Message("omitted", "user", (Text("[Earlier messages omitted]"),), by_host=True)


def valid(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The chat as an API accepts it, but for calls that the host has yet to answer; a second time changes nothing."""
    shown = [message for message in map(seen, messages) if message.parts]
    turns = merged(paired(tuple(with_told_results(shown))))
    return _user_first(merged(answered(turns, open_from=open_end(turns))))


def sendable(messages: Sequence[Message], closing: str) -> tuple[Message, ...]:
    """The valid chat with the user's word last: `closing`, unless the host has yet to answer a call (rule V8)."""
    turns = valid(messages)
    if turns and (turns[-1].role == "user" or turns[-1].calls):
        return turns
    return (*turns, Message("closing", "user", (Text(closing),), by_host=True))


def _user_first(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The chat with a line of the user's where the assistant would begin (rule V4)."""
    front = front_length(messages)
    if messages[front : front + 1] and messages[front].role == "assistant":
        return (*messages[:front], _OMITTED, *messages[front:])
    return tuple(messages)
