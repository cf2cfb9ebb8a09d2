"""Read the chat that a request names, and remember its bytes, or their hash, so that they can be archived."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from msgspec import Struct

from compact_chat.chat import Chat
from compact_chat.disk import Kept, SourceKind, open_file, path_of, read_siblings
from compact_chat.errors import ChatUnreadable, InvalidParams, NothingToCompact, TooLarge
from compact_chat.operations.job import json_text
from compact_chat.operations.params import ChatRef
from compact_chat.read import Blob, InMemory, Replaced, Source, check_length, newest_replaced, read_chat, title_of

LONGEST_TITLE = 80  # characters
_HEADING = re.compile(r"\A\s*#{1,6}\s+")  # markup of a first message that became the title


class ChatBytes(Struct, frozen=True):
    """What a chat was read from: the bytes, or of a large file their hash and size.

    Messages that are nested too deeply to be written have no hash.
    """

    ref: ChatRef
    data: bytes | None = None
    size: int = 0
    sha256: str = ""
    beside: Mapping[str, bytes] = {}

    @property
    def kind(self) -> SourceKind:
        """How the request gave the chat."""
        if self.ref.uri is not None:
            return "file"
        return "text" if self.ref.text is not None else "messages"

    def blocks(self) -> Iterator[bytes]:
        """Yield the bytes; of a file that has grown since, no more than were read."""
        if self.data is not None:
            yield self.data
            return
        left = self.size
        with open_file(self.ref.uri or "") as held:
            for block in held.blocks():
                yield block[:left]
                left -= len(block)
                if left <= 0:
                    return

    def note(self) -> Kept:
        """Note for the archive how to read the bytes again."""
        beside = {name: hashlib.sha256(data).hexdigest() for name, data in self.beside.items()}
        return Kept(self.kind, self.sha256, self.size, self.ref.format, self.ref.tool, beside)


def chat_of(ref: ChatRef, at: str = "$.chat") -> Chat:
    """Read a chat; `at` is its path in the request, for errors."""
    if sum(given is not None for given in (ref.uri, ref.text, ref.messages)) != 1:
        raise InvalidParams.at(at, "expected exactly one of uri, text and messages")
    with _errors_at(ref, at):
        check_length(len(ref.messages or ()))
        with _opened(ref) as source:
            return read_chat(source, ref.format, ref.tool)


def chat_and_bytes(ref: ChatRef) -> tuple[Chat, ChatBytes]:
    """Read a chat, and note the bytes that it was read from."""
    if ref.uri is None:
        return chat_of(ref), _bytes_of_request(ref)
    with _errors_at(ref, "$.chat"), open_file(ref.uri) as held:
        beside = read_siblings(ref.uri)
        chat = read_chat(Source.of_blob(held, ref.uri, beside), ref.format, ref.tool)
        return chat, _bytes_of_file(ref, held, beside)


def replaced_in(chat: Chat, ref: ChatRef) -> Replaced:
    """Find what the newest compaction by the chat's own tool replaced; raise NothingToCompact if none is recorded."""
    if ref.messages is not None:
        raise NothingToCompact("No compaction is recorded in messages; give a summary to check it against them.")
    with _opened(ref) as source:
        return newest_replaced(source, chat)


def folders(roots: Sequence[str]) -> tuple[str, ...]:
    """Return the paths of `$.roots`; refuse one that is no folder of this machine."""
    paths = []
    for place, uri in enumerate(roots):
        try:
            paths.append(path_of(uri))
        except InvalidParams:
            raise InvalidParams.at(f"$.roots[{place}]", "expected a file: URI on this machine") from None
    return tuple(paths)


@contextmanager
def _opened(ref: ChatRef) -> Iterator[Source]:
    """Open what a chat is read from."""
    if ref.uri is not None:
        with open_file(ref.uri) as held:
            yield Source.of_blob(held, ref.uri, read_siblings(ref.uri))
    elif ref.text is not None:
        yield Source.of_text(ref.text)
    else:
        yield Source.of_document({"messages": ref.messages, "system": ref.system, "tools": ref.tools})


def shown_title(title: str | None, clean: Callable[[str], str]) -> str | None:
    """Mask a title and make it one short line: masked first, since half a secret is not recognized as one."""
    line = title_of(_HEADING.sub("", clean(title))) if title else None
    if not line:
        return None
    if len(line) > LONGEST_TITLE:
        end = line.rfind(" ", LONGEST_TITLE * 3 // 4, LONGEST_TITLE)
        line = line[: LONGEST_TITLE - 1 if end < 0 else end].rstrip() + "…"
    # Strict clients would refuse a whole answer for half a surrogate pair.
    return line.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@contextmanager
def _errors_at(ref: ChatRef, at: str) -> Iterator[None]:
    """Add to errors where the chat is."""
    try:
        yield
    except InvalidParams as problem:
        raise problem.moved(at) from None
    except (ChatUnreadable, TooLarge) as problem:
        problem.data = {"uri": ref.uri, **problem.data}
        raise


def _bytes_of_file(ref: ChatRef, held: Blob, beside: Mapping[str, bytes]) -> ChatBytes:
    if isinstance(held, InMemory):
        data = held.whole()
        return ChatBytes(ref, data, len(data), hashlib.sha256(data).hexdigest(), beside)
    found, size = hashlib.sha256(), 0
    for block in held.blocks():
        found.update(block)
        size += len(block)
    return ChatBytes(ref, None, size, found.hexdigest(), beside)


def _bytes_of_request(ref: ChatRef) -> ChatBytes:
    """Write down a chat that came in a request; halves of surrogate pairs stay what they are."""
    try:
        text = json_text(ref.messages) if ref.text is None else ref.text
    except RecursionError:
        return ChatBytes(ref)
    data = text.encode(errors="surrogatepass")
    return ChatBytes(ref, data, len(data), hashlib.sha256(data).hexdigest())
