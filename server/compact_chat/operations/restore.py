"""Give a chat back as it was before it was compacted."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from compact_chat.chat import JsonObject
from compact_chat.disk import archive
from compact_chat.disk.archive_writing import private_folder, put
from compact_chat.disk.state import state_folder
from compact_chat.operations.desk import Desk
from compact_chat.operations.origin import messages_in
from compact_chat.operations.past import Trace, find, original_bytes, original_chat
from compact_chat.operations.work import Work
from compact_chat.results import Restored
from compact_chat.resume.shapes import as_anthropic

Result = Restored
RESTORED = "restored"
_ANTHROPIC = ("anthropic", "claude-code")  # formats whose messages are those of that API


class Params(Struct, frozen=True, rename="camel"):
    """Which compaction is undone."""

    compaction_id: Annotated[str, Meta(description="The id that `summarize` gave, or `history` tells.")]


def run(asked: Params, desk: Desk, work: Work) -> Restored:
    """Give the messages, and a copy that equals the original byte for byte."""
    work.step("Looking into the archive")
    _, trace = find(asked.compaction_id, desk)
    sha256 = trace.head.original.sha256
    data = original_bytes(trace, sha256, desk)
    return Restored(
        messages=_messages(trace, data, desk, work),
        uri=trace.head.uri,
        archive=_place(trace, data).as_uri(),
        sha256=sha256,
    )


def _messages(trace: Trace, data: bytes, desk: Desk, work: Work) -> list[JsonObject]:
    """The caller's own messages as they came; those of a file or a text in the shape of the Anthropic API."""
    if trace.head.original.kind == "messages":
        return messages_in(data)
    chat = original_chat(trace, desk, work.watched)
    own = chat.format in _ANTHROPIC
    return as_anthropic(chat.messages, use_raw=own, foreign=not own)


def _place(trace: Trace, data: bytes) -> Path:
    """Where the copy is; of what is remembered only, one is made now, since it was asked for."""
    sha256 = trace.head.original.sha256
    if trace.folder is not None:
        return archive.original_path(trace.folder, sha256)
    if state := state_folder():
        with suppress(OSError):
            return _copied(state / RESTORED / sha256, data)
    return _copied(Path(tempfile.mkdtemp(prefix="compact-chat-")) / sha256, data)


def _copied(path: Path, data: bytes) -> Path:
    private_folder(path.parent)
    put(path, [data])
    return path
