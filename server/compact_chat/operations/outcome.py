"""What a plan makes of the chat: the messages that result, and their size."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from compact_chat.chat import Message
from compact_chat.measure.weights import weigh
from compact_chat.operations.desk import Desk
from compact_chat.operations.draft import Draft
from compact_chat.resume.splice import splice
from compact_chat.resume.valid import valid


class Outcome(Struct, frozen=True):
    """The resulting chat, and its tokens with all that a model gets beside the messages."""

    messages: tuple[Message, ...]
    tokens: int


def outcome(made: Draft, summary: str, desk: Desk) -> Outcome:
    """Put the summary in the place of what it replaces, or take the messages that the plan's rules leave."""
    plan = made.plan
    if plan.action == "compact":
        messages = splice((*plan.front, *plan.head), summary, plan.tail, plan.direction)
    else:
        messages = valid(plan.messages)
    return Outcome(messages, made.measured.meter.fixed + tokens_of(messages, made, desk))


def tokens_of(messages: Sequence[Message], made: Draft, desk: Desk) -> int:
    """Add up messages: those of the chat as they were measured, new ones counted on the same scale."""
    found = made.measured
    known = {id(message): tokens for message, tokens in zip(found.chat.messages, found.meter.tokens, strict=True)}
    new = [message for message in messages if id(message) not in known]
    count = desk.counter(found.family.encoding).count
    counted = sum(weigh(message, count, found.family).total for message in new)
    return sum(known.get(id(message), 0) for message in messages) + round(counted * scale(made))


def scale(made: Draft) -> float:
    """Tell how many of the model's tokens one counted token stands for in this chat."""
    counted = sum(weight.total for weight in made.measured.weights)
    return sum(made.measured.meter.tokens) / counted if counted else 1.0
