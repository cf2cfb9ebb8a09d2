"""Check what a compaction kept of a chat: one that its own tool made, or any summary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct

from compact_chat.cancel import checkpoint
from compact_chat.chat import Chat, Message, texts
from compact_chat.facts import collect, survival
from compact_chat.operations.desk import Desk
from compact_chat.operations.measured import window_for
from compact_chat.operations.originals import chat_of, original_gone, original_of
from compact_chat.operations.params import ChatRef
from compact_chat.operations.recorded import replaced_in
from compact_chat.operations.work import Work
from compact_chat.redact import Redactor, masked_message
from compact_chat.resume import write_continuation
from compact_chat.styles import handed_in, judge, summary_of_unknown_style
from compact_chat.wire import Checked

Result = Checked


class Params(Struct, frozen=True, rename="camel"):
    """A chat, and a summary of it."""

    chat: ChatRef
    summary: Annotated[str | None, Meta(description="A summary of the chat; else the one that its tool made last.")] = (
        None
    )
    original: Annotated[
        bool, Meta(description="With a summary, of a chat that was compacted before: it is one of the chat's original.")
    ] = False


class _Case(Struct, frozen=True):
    """A summary, what it stands for, what a model gets in the place of that, and what it gets behind it."""

    summary: str
    before: Sequence[Message]
    after: Sequence[Message]
    later: Sequence[Message]


def run(asked: Params, desk: Desk, work: Work) -> Checked:
    """Tell which facts survive, what is wrong with the summary, and how the next chat would open."""
    work.step("Reading the chat")
    chat = _wanted(asked, desk)
    case = _recorded(chat, asked.chat) if asked.summary is None else _Case(asked.summary, chat.messages, (), ())
    clean = Redactor(desk.settings.redact_emails, desk.settings.redact)
    opening = desk.with_host(desk.usual().continuation)
    room = window_for(chat, desk.usual(), desk).input  # characters: on the safe side, a token has more
    later = [masked_message(message, clean) for message in case.later]
    message = write_continuation(handed_in(clean(case.summary), opening.style), later, opening, room=room)
    before = [masked_message(one, clean) for one in work.each(case.before, "Masking secrets") if not one.is_summary]
    stays = "\n".join((case.summary, *(text for one in case.after for text in texts(one))))
    return Checked(
        survival=survival(collect(before, checkpoint), clean(stays), clean),
        warnings=(*chat.warnings, *judge(summary_of_unknown_style(clean(case.summary)), before).faults),
        continuation=clean(message),
    )


def _wanted(asked: Params, desk: Desk) -> Chat:
    chat = chat_of(asked.chat)
    if asked.summary is None or not asked.original:
        return chat
    original = original_of(chat, desk)
    if original is chat:  # held against the summary before, any summary would look good
        raise original_gone(None)
    return original


def _recorded(chat: Chat, ref: ChatRef) -> _Case:
    """What the chat's own tool recorded of its newest compaction."""
    found = replaced_in(chat, ref)
    after = {message.id for message in found.after}
    later = [message for message in chat.messages if message.id not in after and not message.is_summary]
    return _Case(found.summary, found.before, found.after, later)
