"""Compact a chat: carry out a plan with a summary of the offline writer's, a host's own model or a person."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from compact_chat.errors import InvalidParams, NothingToCompact
from compact_chat.operations.desk import Desk
from compact_chat.operations.draft import Draft, draft, draft_again
from compact_chat.operations.finish import Wanted, finish
from compact_chat.operations.params import ChatRef
from compact_chat.operations.work import Work
from compact_chat.operations.writing import Written, from_reply, nothing_written, write
from compact_chat.options import Options, Provider
from compact_chat.results import Compaction

Result = Compaction
Extra = Literal["messages", "prompt", "raw"]
Shape = Literal["anthropic", "openai-chat"]


class Params(Struct, frozen=True, rename="camel"):
    """A chat or a plan, who writes the summary, and what is wanted beside it."""

    chat: ChatRef | None = None
    options: Options = Options()
    plan_id: Annotated[str | None, Meta(description="Carry out this plan of preview or prompt.")] = None
    reply: Annotated[str | None, Meta(description="The text of a model of yours, or your own.")] = None
    provider: Annotated[Provider | None, Meta(description="Who writes the summary.")] = None
    include: Annotated[tuple[Extra, ...], Meta(description="What the result holds beside the summary.")] = ()
    messages_as: Annotated[Shape | None, Meta(description="The shape of the messages that are included.")] = None


def run(asked: Params, desk: Desk, work: Work) -> Compaction:
    """Plan, write, check, splice."""
    made = _planned(asked, desk, work)
    written = _written(made, asked, desk)
    done = finish(made, written, Wanted(frozenset(asked.include), asked.messages_as), desk)
    desk.plans.remember(made.id, made.made_of)
    return done


def _planned(asked: Params, desk: Desk, work: Work) -> Draft:
    if asked.plan_id is not None:
        made = draft_again(asked.plan_id, asked.chat, asked.options, desk, work)
    elif asked.chat is not None:
        made = draft(asked.chat, asked.options, desk, work)
    else:
        raise InvalidParams.at("$.chat", "expected a chat, or the planId of a preview")
    if made.plan.action == "none":
        raise NothingToCompact(made.plan.reason)
    return made


def _written(made: Draft, asked: Params, desk: Desk) -> Written:
    if made.plan.action != "compact":
        if asked.reply is not None:
            raise InvalidParams.at("$.reply", "this plan needs no summary, so there is no place for a reply")
        return nothing_written()
    if asked.reply is not None:
        return from_reply(asked.reply, made)
    return write(made, desk)
