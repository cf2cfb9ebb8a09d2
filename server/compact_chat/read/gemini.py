"""Sessions of Gemini CLI: one object, or JSON lines that replace, rewind and add; and its saved checkpoints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compact_chat.chat import Chat, JsonObject, Message, Text
from compact_chat.read.gemini_host import typed_texts, workspace_of
from compact_chat.read.gemini_log import checkpoint_records, session_of
from compact_chat.read.gemini_messages import KINDS, messages_of
from compact_chat.read.lenient import fields, word
from compact_chat.read.records import left_out, title_of
from compact_chat.read.source import Source
from compact_chat.read.summaries import with_summary_marked

_NAME = "gemini"


def sniff(source: Source) -> bool:
    """Whether a record is one that Gemini CLI writes, or the whole is a checkpoint of it."""
    if source.strict:
        return False
    return any(map(_is_ours, source.records)) or bool(checkpoint_records(source.document))


def read(source: Source) -> Chat:
    """Replay the records, and read what is left of them."""
    session = session_of(checkpoint_records(source.document) or source.records)
    records = session.messages
    messages = with_summary_marked(messages_of([record for record in records if record.get("type") in KINDS]))
    return Chat(
        format=_NAME,
        tool=_NAME,
        messages=messages,
        model=next(filter(None, (word(record.get("model")) for record in reversed(records))), None),
        title=next(filter(None, _titles(session.about, messages)), None),
        workspace=workspace_of(message.text for message in messages if message.by_host),
        warnings=(*source.damage, *left_out(list(_faults(records)))),
    )


def _is_ours(record: JsonObject) -> bool:
    """Whether a record tells of Gemini: the first line may be missing."""
    changes = fields(record.get("$set"))
    return (
        isinstance(record.get("projectHash"), str)
        or isinstance(record.get("$rewindTo"), str)
        or isinstance(changes.get("messages"), list)
        or (record.get("type") == "gemini" and isinstance(record.get("id"), str))
    )


def _titles(about: JsonObject, messages: Sequence[Message]) -> Iterator[str | None]:
    yield title_of(word(about.get("summary")))
    for message in messages:
        texts = [part.text for part in message.parts if isinstance(part, Text)]
        yield from map(title_of, typed_texts(texts) if message.role == "user" and not message.by_host else ())


def _faults(records: Sequence[JsonObject]) -> Iterator[str]:
    for place, record in enumerate(records):
        if record.get("type") not in KINDS and record.get("type") not in ("info", "error", "warning"):
            yield f"message {place + 1} is of an unknown kind"
