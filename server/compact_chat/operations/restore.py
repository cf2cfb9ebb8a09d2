"""Give a chat back as it was before it was compacted."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, structs

from compact_chat.chat import JsonObject
from compact_chat.disk import Record, original_path, private_folder, put, state_folder
from compact_chat.operations.desk import Desk
from compact_chat.operations.originals import Trace, compaction_of, find, messages_in, original_bytes, original_chat
from compact_chat.operations.work import Work
from compact_chat.redact import Redactor
from compact_chat.resume import as_anthropic
from compact_chat.tools import api_of
from compact_chat.wire import Compaction, Restored

Result = Restored
RESTORED = "restored"


class Params(Struct, frozen=True, rename="camel"):
    """Which compaction is undone, and whether it is wanted too."""

    compaction_id: Annotated[str, Meta(description="The id that `summarize` gave, or `history` tells.")]
    include: Annotated[
        tuple[Literal["compaction"], ...], Meta(description="What the result holds beside the chat.")
    ] = ()


def run(asked: Params, desk: Desk, work: Work) -> Restored:
    """Give the messages, and a copy that equals the original byte for byte; who only looks again leaves no copy."""
    work.step("Looking into the archive")
    record, trace = find(asked.compaction_id, desk)
    sha256 = trace.head.original.sha256
    data = original_bytes(trace, sha256, desk)
    place = _kept(trace) if asked.include else _kept(trace) or _copy(sha256, data)
    archive = place.as_uri() if place else None
    return Restored(
        messages=_messages(trace, data, desk),
        uri=trace.head.uri,
        archive=archive,
        sha256=sha256,
        compaction=_given(record, archive, desk) if asked.include else UNSET,
    )


def _given(record: Record, archive: str | None, desk: Desk) -> Compaction:
    """The compaction as it was given, without what the user has masked by now."""
    clean = Redactor(desk.settings.redact_emails, desk.settings.redact)
    given = compaction_of(record, clean)
    return structs.replace(given, compaction_id=record.head.id, plan_id=record.head.plan_id, archive=archive)


def _messages(trace: Trace, data: bytes, desk: Desk) -> list[JsonObject]:
    """The caller's own messages as they came; those of a file or a text in the shape of the Anthropic API."""
    if trace.head.original.kind == "messages":
        return messages_in(data)
    chat = original_chat(trace, desk)
    own = api_of(chat.format) == "anthropic"
    messages = [structs.replace(message, parts=message.sent) for message in chat.messages]
    return as_anthropic(messages, use_raw=own, foreign=not own)


def _kept(trace: Trace) -> Path | None:
    """Where the archive has the copy; nowhere where this server only remembers it."""
    return trace.folder and original_path(trace.folder, trace.head.original.sha256)


def _copy(sha256: str, data: bytes) -> Path:
    """Make a copy of what is remembered only, since it was asked for."""
    if state := state_folder():
        with suppress(OSError):
            return _copied(state / RESTORED / sha256, data)
    return _copied(Path(tempfile.mkdtemp(prefix="compact-chat-")) / sha256, data)


def _copied(path: Path, data: bytes) -> Path:
    private_folder(path.parent)
    put(path, [data])
    return path
