"""List the chats on this machine: the files of all tools, newest first."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct, structs

from compact_chat.disk import Found, Scan, Wanted, list_chats
from compact_chat.errors import CompactChatError, InvalidParams
from compact_chat.operations.chats import chat_of, folders, masked_title, shown_title, wire_time, workspaces
from compact_chat.operations.job import Job
from compact_chat.operations.table import ChatRef
from compact_chat.tools import TOOLS
from compact_chat.wire import Count, Session, Sessions

NAMES = (*(tool.name for tool in TOOLS), "unknown")  # of chats with no sign of their tool


class Params(Struct, frozen=True, rename="camel"):
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


def sessions(asked: Params, job: Job) -> Sessions:
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
