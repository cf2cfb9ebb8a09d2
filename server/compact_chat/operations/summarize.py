"""Compact a chat: carry out a plan with a summary of a provider's, of a host's own model or of a person."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from functools import partial
from threading import Event
from typing import Annotated, Literal

from msgspec import Meta, Struct, structs

from compact_chat.cancel import checkpoint
from compact_chat.errors import InvalidParams, NothingToCompact
from compact_chat.operations.compaction import Draft, draft, draft_again
from compact_chat.operations.desk import Desk
from compact_chat.operations.finish import Stored, Wanted, finish, forget, next_chat, store
from compact_chat.operations.params import ChatRef
from compact_chat.operations.work import Work
from compact_chat.operations.writing import Written, from_reply, nothing_written, write
from compact_chat.wire import Compaction, Options, Provider

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
    user_initiated: Annotated[bool, Meta(description="Somebody asked for it just now.")] = False
    include: Annotated[tuple[Extra, ...], Meta(description="What the result holds beside the summary.")] = ()
    messages_as: Annotated[Shape | None, Meta(description="The shape of the messages that are included.")] = None


async def run(asked: Params, desk: Desk, work: Work) -> Compaction:
    """Plan, write, check, splice, and keep the original."""
    made = await work.off(partial(_planned, asked, desk, work))
    written = await _written(made, asked, desk)
    done = await work.off(partial(finish, made, written, Wanted(frozenset(asked.include), asked.messages_as), desk))
    return await _with_archive(made, written, done, desk)


async def _with_archive(made: Draft, written: Written, done: Compaction, desk: Desk) -> Compaction:
    """Keep the original; where the request is cancelled meanwhile, however often, nothing is left of it."""
    begun = Event()
    storing = asyncio.ensure_future(made.work.off(partial(_stored, made, written, done, desk, begun)))
    try:
        kept = await asyncio.shield(storing)
    except asyncio.CancelledError:
        made.work.cancel()
        if not begun.is_set():
            storing.cancel()  # what still waits for its turn never begins
        await _to_its_end(_taken_back(storing, done.compaction_id, desk))
        raise
    return structs.replace(done, archive=kept.archive, warnings=(*done.warnings, *kept.warnings))


def _stored(made: Draft, written: Written, done: Compaction, desk: Desk, begun: Event) -> Stored:
    begun.set()
    made.work.step("Keeping the original")
    assert made.origin, "a plan that is carried out knows what it was made of"
    messages = next_chat(made, written, desk)
    checkpoint()
    kept = store(made, done, messages, desk, made.origin)
    desk.plans.remember(made.id, made.made_of)
    return kept


async def _taken_back(storing: asyncio.Future[Stored], compaction_id: str, desk: Desk) -> None:
    """Take back what was kept, once it is known whether it was."""
    await asyncio.wait([storing])
    if not storing.cancelled() and storing.exception() is None:
        await asyncio.to_thread(forget, compaction_id, desk)


async def _to_its_end(story: Coroutine[None, None, None]) -> None:
    """Carry something through, whatever is cancelled meanwhile."""
    task = asyncio.ensure_future(story)
    while not task.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait([task])


def _planned(asked: Params, desk: Desk, work: Work) -> Draft:
    if asked.plan_id is not None:
        made = draft_again(asked.plan_id, asked.chat, asked.options, desk, work)
    elif asked.chat is not None:
        made = draft(asked.chat, asked.options, desk, work, keep=True)
    else:
        raise InvalidParams.at("$.chat", "expected a chat, or the planId of a preview")
    if made.plan.action == "none":
        raise NothingToCompact(made.plan.reason)
    return made


async def _written(made: Draft, asked: Params, desk: Desk) -> Written:
    if made.plan.action != "compact":
        if asked.reply is not None:
            raise InvalidParams.at("$.reply", "this plan needs no summary, so there is no place for a reply")
        return nothing_written()
    if asked.reply is not None:
        return await made.work.off(partial(from_reply, asked.reply, made))
    made.work.step("Writing the summary")
    return await write(made, asked.provider or desk.settings.provider, asked.user_initiated, desk)
