"""What a chat was read from: enough of it to keep its bytes as they were read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from compact_chat.chat import Chat
from compact_chat.disk.archive_record import Kept, SourceKind
from compact_chat.disk.files import open_file
from compact_chat.errors import ChatUnreadable
from compact_chat.operations.json_text import json_text
from compact_chat.operations.params import ChatRef
from compact_chat.read.formats import read_chat
from compact_chat.read.held import Held, InMemory
from compact_chat.read.json_text import parse
from compact_chat.read.source import Source, Watch


class Origin(Struct, frozen=True):
    """A file, a text or messages; of a large file the hash and the size, since it is not held.

    Messages that are nested too deeply to be written have no hash.
    """

    ref: ChatRef
    data: bytes | None = None
    size: int = 0
    sha256: str = ""
    beside: Mapping[str, bytes] = {}

    @property
    def kind(self) -> SourceKind:
        """What it is."""
        if self.ref.uri is not None:
            return "file"
        return "text" if self.ref.text is not None else "messages"


def origin_of_file(ref: ChatRef, held: Held, beside: Mapping[str, bytes]) -> Origin:
    """Tell of a file what it takes to find the same bytes in it again, also where it has grown since."""
    if isinstance(held, InMemory):
        return _of_bytes(ref, held.whole(), beside)
    found, size = hashlib.sha256(), 0
    for block in held.blocks():
        found.update(block)
        size += len(block)
    return Origin(ref, None, size, found.hexdigest(), beside)


def origin_of_request(ref: ChatRef) -> Origin:
    """Tell the bytes of a chat that came in a request; halves of surrogate pairs stay what they are."""
    try:
        text = json_text(ref.messages) if ref.text is None else ref.text
    except RecursionError:
        return Origin(ref)
    return _of_bytes(ref, text.encode(errors="surrogatepass"), {})


def bytes_of(origin: Origin) -> Iterator[bytes]:
    """Give the bytes; of a file that has grown no more than there were when it was read."""
    if origin.data is not None:
        yield origin.data
        return
    with open_file(origin.ref.uri or "") as held:
        yield from _first(held.blocks(), origin.size)


def kept_origin(origin: Origin) -> Kept:
    """Note how to read it again."""
    beside = {name: hashlib.sha256(data).hexdigest() for name, data in origin.beside.items()}
    return Kept(origin.kind, origin.sha256, origin.size, origin.ref.format, origin.ref.tool, beside)


def read_again(kept: Kept, uri: str | None, data: bytes, beside: Mapping[str, bytes], watch: Watch = tuple) -> Chat:
    """Read a chat from what was kept of it, as it was read before."""
    return read_chat(_source(kept, uri, data, beside, watch), kept.format, kept.tool)


def messages_in(data: bytes) -> list[dict[str, object]]:
    """Give the messages that a request brought."""
    value = parse(data)
    if not isinstance(value, list):
        raise ChatUnreadable("The archive does not hold what it should.", uri=None, format=None, line=None)
    return value


def _source(kept: Kept, uri: str | None, data: bytes, beside: Mapping[str, bytes], watch: Watch) -> Source:
    if kept.kind == "messages":
        return Source.of_document({"messages": messages_in(data)}, watch)
    if kept.kind == "text":
        return Source.of_text(data.decode(errors="surrogatepass"), watch)
    return Source.of_bytes(data, uri or "", beside, watch)


def _of_bytes(ref: ChatRef, data: bytes, beside: Mapping[str, bytes]) -> Origin:
    return Origin(ref, data, len(data), hashlib.sha256(data).hexdigest(), beside)


def _first(blocks: Iterable[bytes], size: int) -> Iterator[bytes]:
    for block in blocks:
        yield block[:size]
        size -= len(block)
        if size <= 0:
            return
