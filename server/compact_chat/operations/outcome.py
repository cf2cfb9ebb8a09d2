"""What a plan makes of the chat: the messages that result, ready to be sent, and their size."""

from __future__ import annotations

from msgspec import Struct, structs

from compact_chat.chat import Message
from compact_chat.operations.desk import Desk
from compact_chat.operations.draft import Draft
from compact_chat.operations.measured import sizes
from compact_chat.options import ContinuationOptions
from compact_chat.resume.kinds import kind_text
from compact_chat.resume.splice import splice
from compact_chat.resume.valid import sendable, valid


class Outcome(Struct, frozen=True):
    """The resulting chat; as it would be sent, it ends with the user (rule V8); its tokens are those of a request."""

    messages: tuple[Message, ...]
    to_send: tuple[Message, ...]
    tokens: int


def outcome(made: Draft, summary: str, desk: Desk) -> Outcome:
    """Put the summary in the place of what it replaces, or take the messages that the plan's rules leave; once."""
    if summary not in made.outcomes:
        made.outcomes[summary] = _outcome(made, summary, desk)
    result: Outcome = made.outcomes[summary]
    return result


def _outcome(made: Draft, summary: str, desk: Desk) -> Outcome:
    plan, watched, style = made.plan, made.work.watched, made.options.style
    if plan.action == "compact":
        head, tail = watched((*plan.front, *plan.head)), watched(plan.tail)
        messages = splice(head, summary, tail, plan.direction, style)
    else:
        messages = valid(watched(plan.messages))
    to_send = sendable(messages, _closing(made, summary, desk, kept=len(messages) > 1))
    tokens = made.measured.meter.fixed + sum(map(sizes(made.measured, desk, made.work), to_send))
    return Outcome(messages, to_send, tokens)


def opening_of(made: Draft, desk: Desk) -> ContinuationOptions:
    """Give what the next chat is opened with: the host as it told of itself, the style as it was chosen."""
    return structs.replace(desk.with_host(made.options.continuation), style=made.options.style)


def _closing(made: Draft, summary: str, desk: Desk, *, kept: bool) -> str:
    opening = opening_of(made, desk)
    closing = opening if opening.kind else structs.replace(opening, kind="manual")
    return kind_text(closing, summary, direction=made.plan.direction, kept=kept)
