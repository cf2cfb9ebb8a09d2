"""Check what a compaction kept of a chat: one that its own tool made, or any summary."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from compact_chat.chat import Chat, Message, texts
from compact_chat.facts import collect, survival
from compact_chat.operations.chats import chat_of, replaced_in
from compact_chat.operations.job import Job
from compact_chat.operations.kept import original_gone
from compact_chat.operations.measured import window_for
from compact_chat.operations.original_chat import original_of
from compact_chat.operations.params import ChatRef
from compact_chat.resume import write_continuation
from compact_chat.styles import handed_in, judge, summary_of_unknown_style
from compact_chat.wire import Checked


class Params(Struct, frozen=True, rename="camel"):
    """A chat, and a summary of it."""

    chat: ChatRef
    summary: Annotated[str | None, Meta(description="A summary of the chat; else the one that its tool made last.")] = (
        None
    )
    original: Annotated[
        bool, Meta(description="With a summary, of a chat that was compacted before: it is one of the chat's original.")
    ] = False


def check(asked: Params, job: Job) -> Checked:
    """Report which facts survive, what is wrong with the summary, and how the next chat would open."""
    job.step("Reading the chat")
    client, chat = job.client, _chat_to_check(asked, job)
    summary, before = asked.summary, chat.messages
    after: tuple[Message, ...] = ()  # what a model gets in place of those before
    later: tuple[Message, ...] = ()  # and behind that
    if summary is None:
        found = replaced_in(chat, asked.chat)
        summary, before, after = found.summary, found.before, found.after
        stays = {message.id for message in after}
        later = tuple(one for one in chat.messages if one.id not in stays and not one.is_summary)
    clean, options = client.redactor(), client.default_options()
    room = window_for(chat, options, client).input  # characters: on the safe side, a token has more
    kept, opening = clean.messages(later), client.with_host(options.continuation)
    whole = handed_in(summary, opening.style).masked(clean)
    message = write_continuation(whole, kept, opening, room=room)
    masked = clean.messages(one for one in job.each(before, "Masking secrets") if not one.is_summary)
    text_left = "\n".join((summary, *(text for one in after for text in texts(one))))
    return Checked(
        survival=survival(collect(masked), clean(text_left), clean),
        warnings=(*chat.warnings, *judge(summary_of_unknown_style(whole.text), masked).faults),
        continuation=clean(message),
    )


def _chat_to_check(asked: Params, job: Job) -> Chat:
    chat = chat_of(asked.chat)
    if asked.summary is None or not asked.original:
        return chat
    original = original_of(chat, job.client)
    if original is chat:  # any summary would look good against the summary before it
        raise original_gone(None)
    return original
