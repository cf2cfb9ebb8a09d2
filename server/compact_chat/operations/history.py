"""Which compactions were made, newest first."""

from __future__ import annotations

from itertools import islice
from typing import Annotated

from msgspec import Meta, Struct

from compact_chat.cancel import checkpoint
from compact_chat.disk import path_of
from compact_chat.errors import InvalidParams
from compact_chat.operations.chats import shown_title
from compact_chat.operations.job import Job
from compact_chat.operations.kept import entries
from compact_chat.wire import Count, History, Past

Result = History


class ChatFile(Struct, frozen=True):
    """A chat in a file."""

    uri: str


class Params(Struct, frozen=True, rename="camel"):
    """Which compactions are wanted; nothing asks for those of all chats."""

    chat: Annotated[ChatFile | None, Meta(description="Only compactions of this chat.")] = None
    limit: Annotated[Count, Meta(description="The most that are told.")] = 50


def run(asked: Params, job: Job) -> History:
    """List what the archives hold, and what this server remembers."""
    job.step("Looking into the archive")
    path, found = None if asked.chat is None else _path(asked.chat.uri), []
    for entry in entries(job.client):
        checkpoint()
        if path is None or (entry.head.uri is not None and _is_at(entry.head.uri, path)):
            found.append(entry.head)
    newest = islice(sorted(found, key=lambda head: head.at, reverse=True), asked.limit)
    clean = job.client.redactor
    return History(
        tuple(
            Past(
                compaction_id=head.id,
                uri=head.uri,
                title=shown_title(head.title, clean()),
                at=head.at,
                provider=head.provider,
                model=head.model,
                before=head.before,
                after=head.after,
                kept=head.kept,
            )
            for head in newest
        )
    )


def _path(uri: str) -> str:
    try:
        return path_of(uri)
    except InvalidParams as problem:
        raise problem.moved("$.chat") from None


def _is_at(uri: str, path: str) -> bool:
    try:
        return path_of(uri) == path
    except InvalidParams:  # of another machine, whose archive lies in a shared folder
        return False
