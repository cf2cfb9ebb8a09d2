"""Which compactions were made, newest first."""

from __future__ import annotations

from itertools import islice
from typing import Annotated

from msgspec import Meta, Struct

from compact_chat.disk import Head, path_of
from compact_chat.errors import InvalidParams
from compact_chat.operations.desk import Desk
from compact_chat.operations.originals import traces
from compact_chat.operations.titles import clean_title
from compact_chat.operations.work import Work
from compact_chat.wire import Count, History, Past

Result = History


class ChatFile(Struct, frozen=True):
    """A chat in a file."""

    uri: str


class Params(Struct, frozen=True, rename="camel"):
    """Which compactions are wanted; nothing asks for those of all chats."""

    chat: Annotated[ChatFile | None, Meta(description="Only compactions of this chat.")] = None
    limit: Annotated[Count, Meta(description="The most that are told.")] = 50


def run(asked: Params, desk: Desk, work: Work) -> History:
    """List what the archives hold, and what this server remembers."""
    work.step("Looking into the archive")
    path = None if asked.chat is None else _path(asked.chat.uri)
    found = (trace.head for trace in traces(desk))
    wanted = (head for head in found if path is None or (head.uri is not None and _same(head.uri, path)))
    newest = sorted(wanted, key=lambda head: head.at, reverse=True)
    return History(tuple(_past(head, desk) for head in islice(newest, asked.limit)))


def _path(uri: str) -> str:
    try:
        return path_of(uri)
    except InvalidParams as problem:
        raise problem.moved("$.chat") from None


def _same(uri: str, path: str) -> bool:
    try:
        return path_of(uri) == path
    except InvalidParams:  # of another machine, whose archive lies in a shared folder
        return False


def _past(head: Head, desk: Desk) -> Past:
    return Past(
        compaction_id=head.id,
        uri=head.uri,
        title=clean_title(head.title, desk),
        at=head.at,
        provider=head.provider,
        model=head.model,
        before=head.before,
        after=head.after,
        kept=head.kept,
    )
