"""What a plan makes of the chat: the messages that result, and their size."""

from __future__ import annotations

from collections.abc import Callable

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
    return Outcome(messages, made.measured.meter.fixed + sum(map(sizes(made, desk), messages)))


def sizes(made: Draft, desk: Desk) -> Callable[[Message], int]:
    """Give what tells a message's tokens: those of the chat as they were measured, new ones on the same scale."""
    found, share = made.measured, scale(made)
    known = {id(message): tokens for message, tokens in zip(found.chat.messages, found.meter.tokens, strict=True)}
    count = desk.counter(found.family.encoding).count

    def size(message: Message) -> int:
        measured = known.get(id(message))
        return round(weigh(message, count, found.family).total * share) if measured is None else measured

    return size


def scale(made: Draft) -> float:
    """Tell how many of the model's tokens one counted token stands for in this chat."""
    counted = sum(weight.total for weight in made.measured.weights)
    return sum(made.measured.meter.tokens) / counted if counted else 1.0
