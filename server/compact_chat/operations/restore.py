"""Give a chat back as it was before it was compacted."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, structs

from compact_chat.chat import JsonObject
from compact_chat.disk import Body, private_folder, put, state_folder
from compact_chat.errors import ChatUnreadable
from compact_chat.operations.job import Job
from compact_chat.operations.kept import ArchiveEntry, chat_of_bytes, find, messages_in
from compact_chat.redact import masked_values
from compact_chat.resume import as_anthropic
from compact_chat.tools import api_of
from compact_chat.wire import Compaction, Restored

Result = Restored
RESTORED = "restored"
_ADDED_LATER = {"fixed": 0}  # counts that the first compactions were stored without


class Params(Struct, frozen=True, rename="camel"):
    """Which compaction is undone, and whether it is wanted too."""

    compaction_id: Annotated[str, Meta(description="The id that `summarize` gave, or `history` tells.")]
    include: Annotated[
        tuple[Literal["compaction"], ...], Meta(description="What the result holds beside the chat.")
    ] = ()


def run(asked: Params, job: Job) -> Restored:
    """Give the messages, and a copy that equals the original byte for byte; none is made to look at a compaction."""
    job.step("Looking into the archive")
    entry, body = find(asked.compaction_id, job.client)
    data = entry.original()
    place = entry.original_path() or (None if asked.include else _copy(entry.head.original.sha256, data))
    archive = place.as_uri() if place else None
    return Restored(
        messages=_messages(entry, data),
        uri=entry.head.uri,
        archive=archive,
        sha256=entry.head.original.sha256,
        compaction=_compaction(entry, body, archive, job) if asked.include else UNSET,
    )


def _messages(entry: ArchiveEntry, data: bytes) -> list[JsonObject]:
    """Return the caller's own messages as they came; those of a file or text in the shape of the Anthropic API."""
    if entry.head.original.kind == "messages":
        return messages_in(data)
    chat = chat_of_bytes(entry.original_bytes())
    own = api_of(chat.format) == "anthropic"
    messages = [structs.replace(message, parts=message.sent) for message in chat.messages]
    return as_anthropic(messages, use_raw=own, foreign=not own)


def _compaction(entry: ArchiveEntry, body: Body, archive: str | None, job: Job) -> Compaction:
    """Return the compaction as it was given, with what the user masks by now masked; ids stay."""
    kept, counts = body.compaction, body.compaction.get("counts")
    if isinstance(counts, dict):
        kept = {**kept, "counts": {**_ADDED_LATER, **counts}}
    try:
        given = msgspec.convert(masked_values(kept, job.client.redactor()), Compaction)
    except msgspec.ValidationError:
        raise ChatUnreadable(
            "What the archive holds of this compaction is damaged, or of another version; summarise the chat again.",
            uri=entry.head.uri,
            format=None,
            line=None,
        ) from None
    return structs.replace(given, compaction_id=entry.head.id, plan_id=entry.head.plan_id, archive=archive)


def _copy(sha256: str, data: bytes) -> Path:
    """Write a copy of what is in memory only, since it was asked for."""
    if state := state_folder():
        with suppress(OSError):
            return _written(state / RESTORED / sha256, data)
    return _written(Path(tempfile.mkdtemp(prefix="compact-chat-")) / sha256, data)


def _written(path: Path, data: bytes) -> Path:
    private_folder(path.parent)
    put(path, [data])
    return path
