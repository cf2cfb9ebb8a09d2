"""How full the context is, of what, and what takes the most room: read the chat, count it, report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from msgspec import UNSET, Meta, Struct, structs

from compact_chat.chat import ToolResult
from compact_chat.facts import find_pieces, shown_path
from compact_chat.measure import Name, Owner, Piece, break_down, divided, weigh
from compact_chat.operations.chats import chat_of, shown_title
from compact_chat.operations.job import Job
from compact_chat.operations.measured import Measured, measure
from compact_chat.operations.params import ChatRef
from compact_chat.wire import Breakdown, Count, Options, TokenReport

LONGEST_NAME = 1_000  # characters


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


def count_tokens(asked: Params, job: Job) -> TokenReport:
    """Report how full the context is, of what, and how sure we are."""
    job.step("Reading the chat")
    options = asked.options
    known = Options(
        model=asked.model or options.model,
        window=options.window if asked.window is None else asked.window,
        budget=options.budget,
        prune_at=options.prune_at,
        compact_at=options.compact_at,
    )
    chat = chat_of(asked.chat)
    found = measure(structs.replace(chat, title=shown_title(chat.title, job.client.redactor())), known, job)
    breakdown = UNSET if asked.biggest is None else biggest_things(found, asked.biggest, job)
    return found.report(per_message=asked.per_message, breakdown=breakdown)


def biggest_things(found: Measured, most: int, job: Job) -> Breakdown:
    """Break the chat down into at most so many of its biggest messages, tools and files, without secrets."""
    from compact_chat.operations.preview import excerpt

    clean = job.client.redactor()
    by_id = {message.id: message for message in found.chat.messages}

    def label(name: Name) -> str:
        if name.kind in ("message", "summary"):
            message = clean.message(by_id[name.name])
            tools_speak = message.sends_results and not message.text and not message.is_summary
            return f"{'results' if tools_speak else message.role}: {excerpt(message)}"
        path, half = clean(shown_path(name.name)), LONGEST_NAME // 2
        return path if len(path) <= LONGEST_NAME else f"{path[:half]}…{path[-half:]}"

    return break_down(found.chat.messages, found.meter, tuple(_pieces(found, job)), most, label)


def _pieces(found: Measured, job: Job) -> Iterator[Piece]:
    """Divide the tokens of each message among its pieces, by what each weighs alone."""
    messages, tokens, family = found.chat.messages, found.meter.tokens, found.family
    pieces = list(find_pieces(messages, found.chat.workspace or ""))
    for index in job.each(range(len(messages)), "Looking for the biggest"):
        sizes = []
        for piece in pieces[index]:
            weight = weigh(structs.replace(messages[index], parts=(piece.part,)), found.count, family)
            # What surrounds a message is there once, not for each of its pieces.
            around = 0 if isinstance(piece.part, ToolResult) else family.per_message
            sizes.append(max(0, weight.total - around))
        yield from divided(index, tokens[index], sizes, [Owner(one.tool, one.files) for one in pieces[index]])
