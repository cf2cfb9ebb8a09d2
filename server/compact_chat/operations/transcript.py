"""Show the messages of a chat as text: as it is now, as it was when it was compacted, or what its tool replaced."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from compact_chat.chat import Chat
from compact_chat.errors import InvalidParams
from compact_chat.measure import kind_of
from compact_chat.operations.desk import Desk
from compact_chat.operations.originals import chat_of, compacted_chat, original_of
from compact_chat.operations.params import ChatRef
from compact_chat.operations.recorded import replaced_in
from compact_chat.operations.titles import clean_title
from compact_chat.operations.work import Work
from compact_chat.plan import Places
from compact_chat.prompt import message_text
from compact_chat.redact import Redactor, masked_message
from compact_chat.wire import MessageText, Transcript

Result = Transcript


class Params(Struct, frozen=True, rename="camel"):
    """A chat, or the one that a compaction was made of, and which of its messages."""

    chat: ChatRef | None = None
    compaction_id: Annotated[str | None, Meta(description="The chat that this compaction was made of.")] = None
    original: Annotated[bool, Meta(description="Of a chat that was compacted before: its original, if kept.")] = False
    replaced: Annotated[bool, Meta(description="What the newest compaction by the chat's own tool replaced.")] = False
    ids: Annotated[tuple[str, ...], Meta(description="Only this message, by its id.")] = ()


def run(asked: Params, desk: Desk, work: Work) -> Transcript:
    """Give each message with its id and place, as `preview` and `countTokens` name them."""
    work.step("Reading the chat")
    chat = _chat(asked, desk)
    return Transcript(
        title=clean_title(chat.title, desk),
        tool=chat.tool,
        format=chat.format,
        messages=_messages(chat, _wanted(chat, asked), desk, work),
        warnings=chat.warnings,
    )


def _chat(asked: Params, desk: Desk) -> Chat:
    if asked.replaced and (asked.original or asked.compaction_id is not None):
        raise InvalidParams.at("$.replaced", "expected with chat alone")
    match asked.chat, asked.compaction_id:
        case ChatRef() as ref, None:
            return _chat_now(ref, asked, desk)
        case None, str(compaction_id):
            return compacted_chat(compaction_id, desk)
    raise InvalidParams.at("$", "expected exactly one of chat and compactionId")


def _chat_now(ref: ChatRef, asked: Params, desk: Desk) -> Chat:
    chat = chat_of(ref)
    if asked.replaced:
        return replace(chat, messages=replaced_in(chat, ref).before)
    return original_of(chat, desk) if asked.original else chat


def _wanted(chat: Chat, asked: Params) -> frozenset[int]:
    if not asked.ids:
        return frozenset(range(len(chat.messages)))
    places = Places(chat.messages)
    return frozenset(places.of(wanted, f"$.ids[{number}]") for number, wanted in enumerate(asked.ids))


def _messages(chat: Chat, wanted: frozenset[int], desk: Desk, work: Work) -> tuple[MessageText, ...]:
    """Mask all up to the last that is wanted, so that a secret has the number that it has in `preview`."""
    clean = Redactor(desk.settings.redact_emails, desk.settings.redact, desk.secrets)
    told = chat.messages[: max(wanted, default=-1) + 1]
    masked = [masked_message(message, clean) for message in work.each(told, "Masking secrets")]
    return tuple(
        MessageText(
            id=message.id,
            index=index,
            role=message.role,
            kind=kind_of(message),
            text=clean(message_text(masked[index])),
        )
        for index, message in enumerate(chat.messages)
        if index in wanted
    )
