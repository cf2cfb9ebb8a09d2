"""Show the messages of a chat as text: as it is now, as it was when it was compacted, or what its tool replaced."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from compact_chat.chat import Chat
from compact_chat.errors import InvalidParams
from compact_chat.measure import kind_of
from compact_chat.operations.chats import chat_of, replaced_in, shown_title
from compact_chat.operations.job import Job
from compact_chat.operations.original_chat import compacted_chat, original_of
from compact_chat.operations.params import ChatRef
from compact_chat.plan import Places
from compact_chat.prompt import message_text
from compact_chat.wire import MessageText, Transcript


class Params(Struct, frozen=True, rename="camel"):
    """A chat, or the one that a compaction was made of, and which of its messages."""

    chat: ChatRef | None = None
    compaction_id: Annotated[str | None, Meta(description="The chat that this compaction was made of.")] = None
    original: Annotated[bool, Meta(description="Of a chat that was compacted before: its original, if kept.")] = False
    replaced: Annotated[bool, Meta(description="What the newest compaction by the chat's own tool replaced.")] = False
    ids: Annotated[tuple[str, ...], Meta(description="Only this message, by its id.")] = ()


def transcript(asked: Params, job: Job) -> Transcript:
    """Give each message with its id and place, as `preview` and `countTokens` name them."""
    job.step("Reading the chat")
    chat = _chat(asked, job)
    places = Places(chat.messages)
    wanted = {places.of(one, f"$.ids[{number}]") for number, one in enumerate(asked.ids)}
    if not asked.ids:
        wanted = set(range(len(chat.messages)))
    # Mask all up to the last that is wanted, so that a secret has the number that it has in `preview`.
    clean = job.client.redactor()
    messages = chat.messages[: max(wanted, default=-1) + 1]
    masked = clean.messages(job.each(messages, "Masking secrets"))
    return Transcript(
        title=shown_title(chat.title, job.client.redactor()),
        tool=chat.tool,
        format=chat.format,
        messages=tuple(
            MessageText(
                id=message.id,
                index=index,
                role=message.role,
                kind=kind_of(message),
                text=clean(message_text(masked[index])),
            )
            for index, message in enumerate(chat.messages)
            if index in wanted
        ),
        warnings=chat.warnings,
    )


def _chat(asked: Params, job: Job) -> Chat:
    if asked.replaced and (asked.original or asked.compaction_id is not None):
        raise InvalidParams.at("$.replaced", "expected with chat alone")
    if (asked.chat is None) == (asked.compaction_id is None):
        raise InvalidParams.at("$", "expected exactly one of chat and compactionId")
    if asked.chat is None:
        return compacted_chat(asked.compaction_id or "", job.client)
    chat = chat_of(asked.chat)
    if asked.replaced:
        return replace(chat, messages=replaced_in(chat, asked.chat).before)
    return original_of(chat, job.client) if asked.original else chat
