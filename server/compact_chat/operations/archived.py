"""A chat that is named by its archived original: read as it was then, and known by where it came from."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import cast

from compact_chat.chat import Chat
from compact_chat.disk import archive
from compact_chat.operations.desk import Desk
from compact_chat.operations.origin import Origin
from compact_chat.operations.params import ChatRef, FormatHint
from compact_chat.operations.past import Trace, original_bytes, original_chat, traces
from compact_chat.read.source import Watch


def archived_as(ref: ChatRef, desk: Desk) -> Trace | None:
    """Find the newest compaction of the original that is named; None where the address is another file's."""
    uri = ref.uri or ""
    if PurePosixPath(uri).parent.name != archive.ORIGINALS:
        return None
    return next((trace for trace in traces(desk) if _place(trace) == uri), None)


def chat_of_original(trace: Trace, desk: Desk, watch: Watch) -> tuple[Chat, Origin]:
    """Read it by the name and with the files that the chat had, and give its bytes as those of that chat."""
    chat, kept = original_chat(trace, desk, watch), trace.head.original
    data = original_bytes(trace, kept.sha256, desk)
    beside = {name: original_bytes(trace, sha256, desk) for name, sha256 in kept.beside.items()}
    return chat, Origin(_ref(trace), data, len(data), kept.sha256, beside)


def _place(trace: Trace) -> str | None:
    return archive.original_path(trace.folder, trace.head.original.sha256).as_uri() if trace.folder else None


def _ref(trace: Trace) -> ChatRef:
    """What tells where the chat came from, and how it was read; not its text once more."""
    kept = trace.head.original
    hint = cast("FormatHint | None", kept.format)  # of another version it may be one that is not known here
    match kept.kind:
        case "file":
            return ChatRef(uri=trace.head.uri, format=hint, tool=kept.tool)
        case "text":
            return ChatRef(text="", format=hint, tool=kept.tool)
        case "messages":
            return ChatRef(messages=[], format=hint, tool=kept.tool)
