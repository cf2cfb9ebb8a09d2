"""How full the context is: read the chat, count it, report."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct, structs

from compact_chat.chat import Chat
from compact_chat.measure.report import report
from compact_chat.operations.chats import chat_of
from compact_chat.operations.desk import Desk
from compact_chat.operations.measured import measure
from compact_chat.operations.params import ChatRef
from compact_chat.operations.work import Work
from compact_chat.options import Count, Options
from compact_chat.redact import Redactor
from compact_chat.results import TokenReport

Result = TokenReport


class Params(Struct, frozen=True, rename="camel"):
    """A chat, and what is known of its model."""

    chat: ChatRef
    options: Options = Options()
    model: Annotated[str | None, Meta(description="The chat's model.")] = None
    window: Annotated[Count | None, Meta(description="Tokens that fit into its context.")] = None
    per_message: Annotated[bool, Meta(description="Tell the size of each message too.")] = False


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
    chat = chat_of(asked.chat, watch=work.watched)
    chat = structs.replace(chat, messages=work.watched(chat.messages), title=_clean_title(chat, desk))
    found = measure(chat, known, desk, work)
    return report(
        found.chat,
        found.meter,
        found.window,
        found.advice,
        found.reason,
        per_message=asked.per_message,
    )


def _clean_title(chat: Chat, desk: Desk) -> str | None:
    """Mask what a title, which may be the first line that a person typed, holds of secrets."""
    return chat.title and Redactor(desk.settings.redact_emails, desk.settings.redact)(chat.title)
