"""Review a chat: its messages as text, including those that a compaction replaced, and what that compaction kept."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, structs

from compact_chat.chat import Message, texts
from compact_chat.errors import InvalidParams
from compact_chat.operations.archives import Original, compacted_chat, original_gone, original_of, shows_compaction
from compact_chat.operations.chats import chat_of, earlier_in, replaced_by, replaced_in, shown_title
from compact_chat.operations.job import Job
from compact_chat.operations.table import ChatRef
from compact_chat.wire import Checked, MessageText, Transcript

_NEVER_COMPACTED = "this chat was never compacted by Compact Chat; check its summary without this"


class TranscriptParams(Struct, frozen=True, rename="camel"):
    """A chat, or the one that a compaction was made from, and which of its messages."""

    chat: ChatRef | None = None
    compaction_id: Annotated[str | None, Meta(description="The chat that this compaction was made of.")] = None
    original: Annotated[bool, Meta(description="Of a chat that was compacted before: its original, if kept.")] = False
    replaced: Annotated[bool, Meta(description="What the newest compaction by the chat's own tool replaced.")] = False
    ids: Annotated[tuple[str, ...], Meta(description="Only this message, by its id.")] = ()


def transcript(asked: TranscriptParams, job: Job) -> Transcript:
    """Return each message with its id and position, as `preview` and `countTokens` number them."""
    from compact_chat.measure import kind_of
    from compact_chat.operations.record import learn
    from compact_chat.plan import MessageIndex
    from compact_chat.prompt import message_text

    job.step("Reading the chat")
    if asked.replaced and (asked.original or asked.compaction_id is not None):
        raise InvalidParams.at("$.replaced", "expected with chat alone")
    if (asked.chat is None) == (asked.compaction_id is None):
        raise InvalidParams.at("$", "expected exactly one of chat and compactionId")
    clean = job.client.redactor()
    if asked.chat is None:
        found = compacted_chat(asked.compaction_id or "", job.client)
    else:
        chat = chat_of(asked.chat)
        found = original_of(chat, job.client) if asked.original else Original(chat)
    chat = found.chat
    segments = found.earlier(asked.chat)
    learn(clean, chat, segments, job)
    if asked.replaced and asked.chat:
        chat, segments = structs.replace(chat, messages=replaced_in(chat, asked.chat).messages), ()
    messages, first = chat.messages, 0
    if asked.ids:  # facts are also of messages that the chat's own tool has replaced
        messages = (*replaced_by(segments), *messages)
        first = len(chat.messages) - len(messages)
    places = MessageIndex(messages)
    wanted = {places.of(one, f"$.ids[{number}]") for number, one in enumerate(asked.ids)}
    if not asked.ids:
        wanted = set(range(len(messages)))
    return Transcript(
        title=shown_title(chat.title, clean),
        tool=chat.tool,
        format=chat.format,
        messages=tuple(
            MessageText(
                message.id, first + place, message.role, kind_of(message), clean(message_text(clean.message(message)))
            )
            for place, message in enumerate(job.each(messages, "Masking secrets"))
            if place in wanted
        ),
        warnings=chat.warnings,
    )


class CheckParams(Struct, frozen=True, rename="camel"):
    """A chat, and a summary of it."""

    chat: ChatRef
    summary: Annotated[str | None, Meta(description="A summary of the chat; else the one that its tool made last.")] = (
        None
    )
    include: Annotated[tuple[Literal["facts"], ...], Meta(description="What else to return.")] = ()
    original: Annotated[
        bool, Meta(description="With a summary, of a chat that was compacted before: it is one of the chat's original.")
    ] = False


def check(asked: CheckParams, job: Job) -> Checked:
    """Report which facts survive, what is wrong with the summary, and how the next chat would open."""
    from compact_chat.measure import Counter
    from compact_chat.operations.count import window_for
    from compact_chat.operations.record import kept_of, learn, record_of
    from compact_chat.resume import write_continuation
    from compact_chat.styles import handed_in, judge, summary_of_unknown_style

    job.step("Reading the chat")
    client, original = job.client, Original(chat_of(asked.chat))
    clean, options = client.redactor(), client.default_options()
    if asked.summary is not None and asked.original:
        original = original_of(original.chat, client)
        if original.first is None:  # compared with an earlier summary, any summary would look good
            is_ours = shows_compaction(original.chat)
            raise original_gone(None) if is_ours else InvalidParams.at("$.original", _NEVER_COMPACTED)
    chat = original.chat
    later: tuple[Message, ...] = ()  # what a model gets after the summary
    if asked.summary is None:
        found = replaced_in(chat, asked.chat)
        segments = earlier_in(chat, asked.chat)  # what an earlier compaction dropped is missing all the same
        learn(clean, chat, segments, job)
        stayed = [one for one in found.after if not one.is_summary]
        record = record_of(clean.messages(job.each(stayed, "Masking secrets")), segments, clean, job)
        summary = found.summary
        text = "\n".join((clean(summary), *(text for one in clean.messages(found.after) for text in texts(one))))
        stays = {message.id for message in found.after}
        later = tuple(one for one in chat.messages if one.id not in stays and not one.is_summary)
    else:
        segments = original.earlier(asked.chat)
        learn(clean, chat, segments, job, asked.summary)
        masked = clean.messages(job.each(chat.messages, "Masking secrets"))
        record = record_of(masked, segments if options.record == "whole" else (), clean, job)
        summary, text = asked.summary, clean(asked.summary)
    room = window_for(chat, options, client).input  # a safe bound in characters, since a token has more
    kept, opening = clean.messages(later), client.with_host(options.continuation)
    handed = handed_in(summary, opening.style).masked(clean)
    message = write_continuation(handed, kept, opening, room=room)
    of: Literal["continuation", "messages"] = "messages" if asked.summary is None else "continuation"
    survival, _ = kept_of(record, text, of, clean, Counter().count, listed="facts" in asked.include)
    messages = [one for one in record.messages if not one.is_summary]
    return Checked(
        survival=survival,
        warnings=(*chat.warnings, *judge(summary_of_unknown_style(handed.text), messages).faults),
        continuation=clean(message),
    )
