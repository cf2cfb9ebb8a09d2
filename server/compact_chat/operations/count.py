"""How full the context is: read the chat, count it, report."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, Struct, structs

from compact_chat.operations.desk import Desk
from compact_chat.operations.measured import Measured, measure, reported
from compact_chat.operations.originals import chat_of
from compact_chat.operations.params import ChatRef
from compact_chat.operations.titles import clean_title
from compact_chat.operations.work import Work
from compact_chat.wire import Breakdown, Count, Options, TokenReport

Result = TokenReport


class Params(Struct, frozen=True, rename="camel"):
    """A chat, and what is known of its model."""

    chat: ChatRef
    options: Options = Options()
    model: Annotated[str | None, Meta(description="The chat's model.")] = None
    window: Annotated[Count | None, Meta(description="Tokens that fit into its context.")] = None
    per_message: Annotated[bool, Meta(description="Tell the size of each message too.")] = False
    biggest: Annotated[
        Annotated[int, Meta(ge=1, le=1000)] | None,
        Meta(description="Tell so many of the biggest messages, tools and files too."),
    ] = None


def run(asked: Params, desk: Desk, work: Work) -> TokenReport:
    """Report how full the context is, of what, and how sure we are."""
    work.step("Reading the chat")
    options = asked.options
    known = Options(
        model=asked.model or options.model,
        window=options.window if asked.window is None else asked.window,
        budget=options.budget,
        prune_at=options.prune_at,
        compact_at=options.compact_at,
    )
    chat = chat_of(asked.chat)
    chat = structs.replace(chat, title=clean_title(chat.title, desk))
    found = measure(chat, known, desk, work)
    breakdown = UNSET if asked.biggest is None else _breakdown(found, asked.biggest, desk, work)
    return reported(found, per_message=asked.per_message, breakdown=breakdown)


def _breakdown(found: Measured, most: int, desk: Desk, work: Work) -> Breakdown:
    from compact_chat.operations.biggest import biggest_things

    return biggest_things(found, most, desk, work)
