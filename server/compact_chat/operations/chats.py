"""Read the chat that a request names, with its bytes or their hash for archiving; and list this machine's chats."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct, structs

from compact_chat import read
from compact_chat.chat import Chat, Message
from compact_chat.disk import (
    Found,
    Kept,
    Scan,
    SourceKind,
    Wanted,
    list_chats,
    open_file,
    path_of,
    read_siblings,
    workspace_of,
)
from compact_chat.errors import ChatUnreadable, CompactChatError, InvalidParams, NothingToCompact, TooLarge
from compact_chat.operations.job import Job
from compact_chat.operations.table import ChatRef
from compact_chat.text import json_text
from compact_chat.tools import TOOLS
from compact_chat.wire import Count, Session, Sessions

if TYPE_CHECKING:
    from compact_chat.redact import Redactor

LONGEST_TITLE = 80  # characters
_HEADING = re.compile(r"\A\s*#{1,6}\s+")  # markup in a first message that became the title


class ChatBytes(Struct, frozen=True):
    """What a chat was read from: the bytes or, for a large file, their hash and size."""

    ref: ChatRef
    data: bytes | None
    size: int
    sha256: str
    siblings: Mapping[str, bytes] = {}

    @property
    def kind(self) -> SourceKind:
        """How the request gave the chat."""
        if self.ref.uri is not None:
            return "file"
        return "text" if self.ref.text is not None else "messages"

    def blocks(self) -> Iterator[bytes]:
        """Yield the bytes; of a file that has grown since, only those read before."""
        if self.data is not None:
            yield self.data
            return
        left = self.size
        with open_file(self.ref.uri or "") as file:
            for block in file.blocks():
                yield block[:left]
                left -= len(block)
                if left <= 0:
                    return

    def note(self) -> Kept:
        """Describe for the archive how to read the bytes again."""
        siblings = {name: hashlib.sha256(data).hexdigest() for name, data in self.siblings.items()}
        return Kept(self.kind, self.sha256, self.size, self.ref.format, self.ref.tool, siblings)


def chat_of(ref: ChatRef, at: str = "$.chat") -> Chat:
    """Read a chat; `at` is its path in the request, for error messages."""
    with _opened(ref, at) as (source, _, _):
        return named_safely(read.read_chat(source, ref.format, ref.tool))


def whole_chat(ref: ChatRef, *, keep: bool) -> tuple[Chat, tuple[read.Segment, ...], ChatBytes | None]:
    """Read a chat and what its tool's compactions replaced in one opening; `keep` remembers its bytes."""
    with _opened(ref) as (source, file, siblings):
        chat = read.read_chat(source, ref.format, ref.tool)
        earlier = _earlier(source, chat)
        return named_safely(chat), earlier, _bytes_of(ref, file, siblings) if keep else None


def named_safely(chat: Chat) -> Chat:
    """Replace the ids of messages and the names of models that hold a secret: they are shown and logged unmasked."""
    from compact_chat.redact import Redactor

    model, other = (name and Redactor()(name) for name in (chat.model, chat.window_model))
    messages = _named_safely(chat.messages, "message")
    if messages is chat.messages and (model, other) == (chat.model, chat.window_model):
        return chat
    return structs.replace(chat, model=model, window_model=other, messages=messages)


def _named_safely(messages: tuple[Message, ...], head: str) -> tuple[Message, ...]:
    """Give messages whose ids hold a secret other ids with this head."""
    from compact_chat.redact import Redactor

    clean = Redactor()
    if not clean.find("\n".join(message.id for message in messages)):
        return messages
    return tuple(
        structs.replace(message, id=f"{head}-{place}") if clean.find(message.id) else message
        for place, message in enumerate(messages)
    )


def _segment(found: read.Segment, number: int) -> read.Segment:
    """Replace such ids of messages that a compaction replaced, and of those in their place."""
    messages, after = _named_safely(found.messages, f"replaced-{number}"), _named_safely(found.after, f"after-{number}")
    return structs.replace(found, messages=messages, after=after)


def _bytes_of(ref: ChatRef, file: read.Blob | None, siblings: Mapping[str, bytes]) -> ChatBytes:
    if isinstance(file, read.InMemory):
        data = file.data
    elif file is not None:
        digest, size = hashlib.sha256(), 0
        for block in file.blocks():
            digest.update(block)
            size += len(block)
        return ChatBytes(ref, None, size, digest.hexdigest(), siblings)
    elif ref.text is not None:
        data = ref.text.encode(errors="surrogatepass")
    else:
        data = json_text(ref.messages).encode()
    return ChatBytes(ref, data, len(data), hashlib.sha256(data).hexdigest(), siblings)


def replaced_in(chat: Chat, ref: ChatRef) -> read.Segment:
    """Find what the newest compaction by the chat's own tool replaced; raise NothingToCompact if none is recorded."""
    if ref.messages is not None:
        raise NothingToCompact("No compaction is recorded in messages; give `summary` to check that against them.")
    with _opened(ref) as (source, _, _):
        return _segment(read.newest_replaced(source, chat), 0)


def earlier_in(chat: Chat, ref: ChatRef) -> tuple[read.Segment, ...]:
    """Find what each compaction by the chat's own tool replaced, the oldest first."""
    if ref.messages is not None or not _is_compacted(chat):
        return ()
    with _opened(ref) as (source, _, _):
        return _earlier(source, chat)


def _earlier(source: read.Source, chat: Chat) -> tuple[read.Segment, ...]:
    found = read.earlier(source, chat) if _is_compacted(chat) else ()
    return tuple(_segment(one, number) for number, one in enumerate(found))


def _is_compacted(chat: Chat) -> bool:
    return bool(chat.compactions) or any(message.is_summary for message in chat.messages)


def replaced_by(segments: Sequence[read.Segment]) -> list[Message]:
    """Return the messages that the tool's compactions replaced."""
    return [message for segment in segments for message in segment.messages]


def folders(roots: Sequence[str], at: str = "$.roots") -> tuple[str, ...]:
    """Return the paths of URIs; refuse any that is not one of a file on this machine."""
    paths = []
    for place, uri in enumerate(roots):
        try:
            paths.append(path_of(uri))
        except InvalidParams:
            raise InvalidParams.at(f"{at}[{place}]", "expected a file: URI on this machine") from None
    return tuple(paths)


def workspaces(first: str | None, more: Sequence[str]) -> tuple[str, ...]:
    """Return `$.workspace` and `$.workspaces`; refuse any that cannot be a folder here or of a remote editor."""
    given = {} if first is None else {"$.workspace": first}
    given |= {f"$.workspaces[{place}]": uri for place, uri in enumerate(more)}
    for at, uri in given.items():
        workspace_of(uri, sys.platform, at)
    return tuple(given.values())


def masked_title(chat: Chat, ref: ChatRef, clean: Redactor) -> str | None:
    """Mask and shorten a chat's title, with the secrets of those messages alone that may have it in common."""
    clean.learn_about(chat.title, chat.messages)
    if clean.may_hold_secret(chat.title):
        clean.learn_about(chat.title, replaced_by(earlier_in(chat, ref)))
    return shown_title(chat.title, clean)


def shown_title(title: str | None, clean: Callable[[str], str]) -> str | None:
    """Mask a title, then shorten it to one line: a truncated secret would not be recognized."""
    line = read.title_of(_HEADING.sub("", clean(title))) if title else None
    if not line:
        return None
    if len(line) > LONGEST_TITLE:
        end = line.rfind(" ", LONGEST_TITLE * 3 // 4, LONGEST_TITLE)
        line = line[: LONGEST_TITLE - 1 if end < 0 else end]
        opened = max(line.rfind("("), line.rfind("["))  # not inside brackets
        if opened > max(LONGEST_TITLE // 2, line.rfind(")"), line.rfind("]")):
            line = line[:opened]
        line = line.rstrip() + "…"
    # Strict clients would reject a whole answer for half a surrogate pair.
    return line.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def wire_time(seconds: float | None = None) -> str:
    """Format a time, or the present, as on the wire; one outside the calendar becomes the earliest of all."""
    try:
        moment = datetime.now(UTC) if seconds is None else datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        moment = datetime(1970, 1, 1, tzinfo=UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@contextmanager
def _opened(ref: ChatRef, at: str = "$.chat") -> Iterator[tuple[read.Source, read.Blob | None, Mapping[str, bytes]]]:
    """Open a chat's source; a file together with its bytes and those of its siblings. Errors name both."""
    if sum(given is not None for given in (ref.uri, ref.text, ref.messages)) != 1:
        raise InvalidParams.at(at, "expected exactly one of uri, text and messages")
    with InvalidParams.below(at), naming(ref.uri):
        if ref.uri is not None:
            with open_file(ref.uri) as file:
                siblings = read_siblings(ref.uri)
                yield read.Source.of_blob(file, ref.uri, siblings), file, siblings
        elif ref.text is not None:
            yield read.Source.of_text(ref.text), None, {}
        else:
            read.check_length(len(ref.messages or ()))
            whole = {"messages": ref.messages, "system": ref.system, "tools": ref.tools}
            yield read.Source.of_document(whole), None, {}


@contextmanager
def naming(uri: str | None) -> Iterator[None]:
    """Add the URI of a chat to the failure of reading it."""
    try:
        yield
    except (ChatUnreadable, TooLarge) as problem:
        problem.data = {"uri": uri, **problem.data}
        raise


NAMES = (*(tool.name for tool in TOOLS), "unknown")  # of chats with no sign of their tool


class SessionsParams(Struct, frozen=True, rename="camel"):
    """Which chats to list; nothing, or an empty list, means all."""

    workspace: Annotated[str | None, Meta(description="Only chats held in this folder, or below it.")] = None
    workspaces: Annotated[
        tuple[str, ...], Meta(description="More folders: chats held in any of them.", max_length=16)
    ] = ()
    tools: Annotated[tuple[str, ...], Meta(description="Only chats of this tool.")] = ()
    limit: Annotated[Count, Meta(description="The most chats to list.")] = 50
    roots: Annotated[tuple[str, ...], Meta(description="Look in this folder, not where tools keep their chats.")] = ()
    files_in: Annotated[
        tuple[str, ...],
        Meta(description="Also chats whose files are in this folder itself; without workspace and roots, only these."),
    ] = ()


def sessions(asked: SessionsParams, job: Job) -> Sessions:
    """List the newest chats; only the ends of each file are read, and cached until it changes."""
    job.step("Looking for chats")
    for place, tool in enumerate(asked.tools):
        if tool not in NAMES:
            raise InvalidParams.at(f"$.tools[{place}]", f"expected one of {', '.join(NAMES)}")
    spaces = workspaces(asked.workspace, asked.workspaces)
    files_in = folders(asked.files_in, "$.filesIn")
    wanted = Wanted(spaces, frozenset(asked.tools), folders(asked.roots), files_in=files_in)
    scan = Scan()
    listed = tuple(
        Session(
            uri=Path(file.path).absolute().as_uri(),
            tool=said.tool,
            format=said.format,
            title=_title(said.title, file, job),
            updated_at=wire_time(file.changed / 1e9),
            bytes=file.bytes,
        )
        for file, said in islice(list_chats(wanted, job.client.heads, scan), asked.limit)
    )
    return Sessions(listed, scan.is_complete)


def _title(title: str | None, file: Found, job: Job) -> str | None:
    """Mask a title; only if it may hold a secret, the chat is read for what names it."""
    clean = job.client.redactor()
    if clean.may_hold_secret(title):
        ref = ChatRef(uri=Path(file.path).absolute().as_uri())
        with suppress(CompactChatError):
            return masked_title(structs.replace(chat_of(ref), title=title), ref, clean)
    return shown_title(title, clean)
