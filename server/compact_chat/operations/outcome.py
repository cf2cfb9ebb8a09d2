"""What a plan makes of the chat: the messages that result, and their size."""

from __future__ import annotations

from msgspec import Struct

from compact_chat.chat import Message
from compact_chat.operations.desk import Desk
from compact_chat.operations.draft import Draft
from compact_chat.operations.measured import sizes
from compact_chat.resume.splice import splice
from compact_chat.resume.valid import valid


class Outcome(Struct, frozen=True):
    """The resulting chat, and its tokens with all that a model gets beside the messages."""

    messages: tuple[Message, ...]
    tokens: int


def outcome(made: Draft, summary: str, desk: Desk) -> Outcome:
    """Put the summary in the place of what it replaces, or take the messages that the plan's rules leave."""
    plan, watched = made.plan, made.work.watched
    if plan.action == "compact":
        messages = splice(watched((*plan.front, *plan.head)), summary, watched(plan.tail), plan.direction)
    else:
        messages = valid(watched(plan.messages))
    return Outcome(messages, made.measured.meter.fixed + sum(map(sizes(made.measured, desk, made.work), messages)))
