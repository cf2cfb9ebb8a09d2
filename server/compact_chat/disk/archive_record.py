"""What the archive notes of a compaction: a short head to find it by, and a body with all that it gave."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Literal, TypeVar

import msgspec
from msgspec import Struct

from compact_chat.chat import JsonObject

VERSION = 1

T = TypeVar("T")
SourceKind = Literal["file", "text", "messages"]


class Kept(Struct, frozen=True, rename="camel"):
    """An original: what it was, the hash that names its bytes, and how it was read; files beside it by their names."""

    kind: SourceKind
    sha256: str
    bytes: int
    format: str | None = None
    tool: str | None = None
    beside: Mapping[str, str] = {}

    @property
    def hashes(self) -> frozenset[str]:
        """The names of all that it is made of."""
        return frozenset((self.sha256, *self.beside.values()))


class Beginning(Struct, frozen=True):
    """The hash of what something begins with, and how long that is."""

    mark: str
    length: int


class Marks(Struct, frozen=True, rename="camel"):
    """By what the compacted chat is known again: hashes of the summary, of the continuation and of the messages."""

    summary: str | None  # None, as the opening, where rules cut the chat
    opening: Beginning | None  # characters
    results: tuple[Beginning, ...]  # parts of messages, with secrets and without: the user may go on in the last one


class Head(Struct, frozen=True, rename="camel"):
    """What tells one compaction from the others."""

    id: str
    at: str
    uri: str | None
    title: str | None
    workspace: str | None
    plan_id: str
    provider: str
    model: str | None
    style: str
    chat_model: str | None  # the one that was talked to
    before: int
    after: int
    kept: float
    original: Kept
    marks: Marks | None  # None where nothing in the chat shows that it was compacted
    dropped: Mapping[str, str] = {}  # hashes of the messages that the user dropped, by their ids
    version: int = VERSION


class Body(Struct, frozen=True, rename="camel"):
    """The compaction as it was given back, the chat that it made, and the files that it was about."""

    compaction: JsonObject
    messages: list[JsonObject]
    read_files: tuple[str, ...] = ()
    modified_files: tuple[str, ...] = ()


class Record(Struct, frozen=True):
    """A head with its body."""

    head: Head
    body: Body


def encoded(record: Record) -> bytes:
    """Write a record in two lines, so that its head is found without the rest."""
    return b"".join(json.dumps(msgspec.to_builtins(part)).encode() + b"\n" for part in (record.head, record.body))


def decoded_head(line: bytes) -> Head | None:
    """Read a head; None where it is damaged."""
    return _decoded(line, Head)


def decoded(data: bytes) -> Record | None:
    """Read a record; None where it is damaged."""
    first, _, rest = data.partition(b"\n")
    head, body = _decoded(first, Head), _decoded(rest, Body)
    return Record(head, body) if head and body and rest.endswith(b"\n") else None


def _decoded(text: bytes, kind: type[T]) -> T | None:
    try:
        return msgspec.convert(json.loads(text), kind)
    except (ValueError, RecursionError):  # no JSON, or none of this shape
        return None
