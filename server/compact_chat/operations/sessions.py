"""Which chats there are: the files of all tools, newest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from compact_chat.cancel import checkpoint
from compact_chat.disk import Found, Scan, Wanted, chats_seen
from compact_chat.errors import InvalidParams
from compact_chat.operations.desk import Desk
from compact_chat.operations.roots import folders
from compact_chat.operations.titles import shown_title
from compact_chat.operations.work import Work
from compact_chat.read import Told
from compact_chat.redact import Redactor
from compact_chat.tools import TOOLS
from compact_chat.wire import Count, Session, Sessions

Result = Sessions
# The names that chats bear in what is found; one that no tool signed is of an unknown one.
NAMES = (*(tool.name for tool in TOOLS), "unknown")
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


class Params(Struct, frozen=True):
    """Which chats are wanted; nothing, or an empty list, asks for all."""

    workspace: Annotated[str | None, Meta(description="Only chats held in this folder, or below it.")] = None
    tools: Annotated[tuple[str, ...], Meta(description="Only chats of this tool.")] = ()
    limit: Annotated[Count, Meta(description="The most that are told.")] = 50
    roots: Annotated[tuple[str, ...], Meta(description="Look in this folder, not where tools keep their chats.")] = ()


def run(asked: Params, desk: Desk, work: Work) -> Sessions:
    """List the newest chats; of each file only the ends are read, and only once for as long as it stays the same."""
    work.step("Looking for chats")
    _check_tools(asked.tools)
    wanted = Wanted(asked.workspace, frozenset(asked.tools), folders(asked.roots))
    clean = Redactor(desk.settings.redact_emails, desk.settings.redact)
    scan = Scan(checkpoint)
    found = islice(chats_seen(wanted, desk.heads, scan), asked.limit)
    listed = tuple(_session(one, told, clean) for one, told in found)
    return Sessions(listed, scan.is_complete)


def _check_tools(tools: Sequence[str]) -> None:
    for place, tool in enumerate(tools):
        if tool not in NAMES:
            raise InvalidParams.at(f"$.tools[{place}]", f"expected one of {', '.join(NAMES)}")


def _session(one: Found, told: Told, clean: Callable[[str], str]) -> Session:
    return Session(
        uri=Path(one.path).absolute().as_uri(),
        tool=told.tool,
        format=told.format,
        title=shown_title(told.title, clean),
        updated_at=_time(one.changed),
        bytes=one.bytes,
    )


def _time(nanoseconds: int) -> str:
    """Write a time as the wire does; one that no calendar knows becomes the first of all."""
    try:
        moment = datetime.fromtimestamp(nanoseconds / 1e9, UTC)
    except (OverflowError, OSError, ValueError):
        moment = _BEGINNING
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
