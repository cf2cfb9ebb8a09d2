"""List the chats on this machine, newest first; only both ends of each file are read, and only after a change."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from msgspec import Struct

from compact_chat.cancel import checkpoint
from compact_chat.disk.files import ends_of, line_end
from compact_chat.disk.scan import Found, Home, Scan, changed, chats_once, homes, session_id
from compact_chat.disk.state import home_folder
from compact_chat.disk.workspace import Clues, workspace_of
from compact_chat.read import PACKED, Heading, folder_named, heading_of, may_be_chat, unpacked_beginning
from compact_chat.tools import tool_named, tool_of

T = TypeVar("T")


# What the ends of chat files say, cached while the files stay unchanged.


# Bytes read of the beginning, of a longer beginning if needed (Codex puts its instructions first), and of the end.
FIRST, MORE, LAST = 2**13, 2**17, 2**16
MOST_HEADS = 50_000  # cached files
_MORE_FOLLOWS = b"\n"
# VS Code rewrites a log as one line with the whole state, with the name of the chat at its end.
_STATE, _LONGEST_STATE = b'{"kind":0', 2**24


class Heads:
    """Cache of the headings read so far."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], tuple[object, Any]] = {}  # by file and by what was looked for
        self._lock = Lock()  # two requests may read at once

    def heading(self, one: Found) -> Heading | None:
        """Return a chat's heading; None if the file is no chat or has become unreadable."""
        return self._once(one, _heading)

    def folder(self, one: Found) -> str | None:
        """Return the folder that the chat itself names, if need be after its title."""
        names_it_first = one.expected is not None and tool_named(tool_of(one.expected)).folder_first
        if names_it_first and (named := self._once(one, _folder)):
            return named
        heading = self.heading(one)
        return (heading.workspace or self._once(one, _folder_in_more)) if heading else None

    def _once(self, one: Found, read: Callable[[Found], T]) -> T:
        key, stamp = (one.path, one.expected, read), (one.bytes, one.changed, one.identity)
        with self._lock:
            known = self._known.pop(key, (None, None))
        value: T = known[1] if known[0] == stamp else read(one)
        with self._lock:
            self._known[key] = (stamp, value)
            if len(self._known) > MOST_HEADS:
                del self._known[next(iter(self._known))]
        return value


def _heading(one: Found) -> Heading | None:
    """Read the beginning, and more of it if it has no title yet; only then use a truncated one."""
    heading = None
    for first, guess in ((FIRST, False), (MORE, False), (MORE, True)):
        if not guess:
            head, tail = _ends(one.path, first, LAST)
            is_between = head.startswith(_STATE) and b"\n" not in head and b"\n" in tail.rstrip(b"\n")
            if is_between and len(head) + len(tail) < one.bytes:  # the end of a long first line is in neither part
                with suppress(OSError, ValueError):
                    tail = line_end(one.path, len(head), LAST, _LONGEST_STATE) + b"\n" + tail
        heading = heading_of(head, tail, one.expected, guess=guess) if b"{" in head else None
        if not tail or (heading and heading.title) or not (heading or may_be_chat(head)):
            break
    return heading


def _folder(one: Found) -> str | None:
    return folder_named(_ends(one.path, FIRST, 0)[0])


def _folder_in_more(one: Found) -> str | None:
    head, tail = _ends(one.path, MORE, LAST) if one.bytes > FIRST else (b"", b"")
    heading = heading_of(head, tail, one.expected) if b"{" in head else None
    return heading.workspace if heading else None


def _ends(path: str, first: int, last: int) -> tuple[bytes, bytes]:
    """Read both ends of a file; a packed file has no readable end, a missing one is empty."""
    try:
        head, tail = ends_of(path, first, last)
    except (OSError, ValueError):
        return b"", b""
    return (unpacked_beginning(head, first), _MORE_FOLLOWS) if head.startswith(PACKED) else (head, tail)


# The chats, newest first.


MOST_CHATS = 20_000  # chats examined for one listing


class Wanted(Struct, frozen=True):
    """Which chats to list: of a workspace, of these tools, in these folders; by default all.

    Chats in `more_roots` are wanted whatever workspace they were held in.
    """

    workspace: str | None = None
    tools: Collection[str] = ()
    roots: Sequence[str] = ()
    more_roots: Sequence[str] = ()


def list_chats(wanted: Wanted, heads: Heads, scan: Scan) -> Iterator[tuple[Found, Heading]]:
    """Yield the chats one by one; stopping early opens no more files."""
    clues = None if wanted.workspace is None else Clues(workspace_of(wanted.workspace, sys.platform))
    listed: set[str] = set()
    looked_into = 0
    others = list(chain.from_iterable(map(scan.below, wanted.more_roots)))
    wanted_anyway = {one.identity for one in others}
    if wanted.roots:
        found = chain.from_iterable(map(scan.below, wanted.roots))
    else:
        asked = [home for home in known_homes() if not wanted.tools or home.tool in wanted.tools]
        found = chain.from_iterable(map(scan.at_home, asked))
    for one in chats_once([*found, *others]):
        checkpoint()
        if clues is not None and one.identity not in wanted_anyway:
            clue = clues.of(one.path)
            folder = None if clue.sure else heads.folder(one)
            if not (clue.inside if folder is None else clues.workspace.holds(folder)):
                continue
        heading = heads.heading(one)
        if heading is None:
            continue
        if looked_into == MOST_CHATS:
            scan.is_complete = False
            return
        looked_into += 1
        if wanted.tools and heading.tool not in wanted.tools:
            continue
        name = session_id(one)
        if name is None or name not in listed:  # VS Code copies a chat when a folder is saved as a workspace
            yield one, heading
        listed.update([name] if name else ())


def known_homes() -> tuple[Home, ...]:
    """Name the folders of all tools for this user."""
    return homes(sys.platform, os.environ, home_folder())


# The newest chats, polled often: full searches are rare.


MOST_RECENT = 20  # chats whose files are checked on each poll
MOST_FOLDERS = 50  # below the folders that the client chose; the same applies
OFTEN, SELDOM = 0.25, 60.0  # seconds between two full searches: shortly after folders changed, and otherwise
REST = 5  # minimum time until the next full search, as a multiple of what the last one took
SOON = 5.0  # seconds in which a new folder is expected to get chats
_LEVELS = 3  # ancestor folders in which a new chat would show first


class Recent(Struct, frozen=True):
    """A chat's file, its modification time, and its expected format."""

    changed: int  # in nanoseconds
    uri: str
    path: str
    format: str
    tool: str


class RecentChats:
    """The newest chats, and the folders in which new ones would appear."""

    def __init__(self, wanted: Wanted, heads: Heads) -> None:
        if wanted.workspace is not None:
            workspace_of(wanted.workspace, sys.platform)  # raises if there is none
        self._wanted, self._heads = wanted, heads
        self._known: list[Recent] = []
        self._watched: dict[str, int] = {}  # files and folders with their modification times
        self._searched = self._stirred = -SELDOM
        self._pause = 0.0  # until the next full search, shortly after folders changed

    def newest(self) -> list[Recent]:
        """Return the chats, last written first."""
        now = time.monotonic()
        if _changes(self._watched) != self._watched:
            self._stirred = now
        if now - self._searched >= (self._pause if now - self._stirred < SOON else SELDOM):
            self._search(now)
        else:
            stamps = ((one, changed(one.path)) for one in self._known)
            self._known = [Recent(stamp, one.uri, one.path, one.format, one.tool) for one, stamp in stamps if stamp]
        return sorted(self._known, key=lambda one: (-one.changed, one.path))

    def _search(self, now: float) -> None:
        self._searched = now
        scan = Scan()
        starts = [*self._wanted.roots, *self._wanted.more_roots]
        if not self._wanted.roots:  # the folders of all tools, down to those for each project or day
            starts += [os.path.join(home.folder, home.below.partition("*")[0]) for home in known_homes()]
        before = _changes(starts)
        found = list(islice(list_chats(self._wanted, self._heads, scan), MOST_RECENT))
        self._known = [
            Recent(one.changed, Path(one.path).absolute().as_uri(), one.path, heading.format, heading.tool)
            for one, heading in found
        ]
        chats = {one.identity for one, _ in found}
        files = sorted(scan.files, key=lambda one: -one.changed)[:MOST_RECENT]
        no_chats_yet = {one.path: one.changed for one in files if one.identity not in chats}
        chosen = dict(islice(scan.folders.items(), MOST_FOLDERS)) | no_chats_yet
        above = (str(folder) for one in self._known for folder in islice(Path(one.path).parents, _LEVELS))
        self._watched = _changes(above) | before | chosen
        took = time.monotonic() - now if self._pause else 0.0  # the first search takes longer, before caches are warm
        self._pause = min(SELDOM, max(OFTEN, REST * took))


def _changes(paths: Iterable[str]) -> dict[str, int]:
    return {path: changed(path) for path in dict.fromkeys(paths)}
