"""The newest chats of a workspace, or below some folders, looked at again and again: all is looked through seldom."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

from msgspec import Struct

from compact_chat.disk.discover import Wanted, chats_seen
from compact_chat.disk.heads import Heads
from compact_chat.disk.homes import homes
from compact_chat.disk.scan import Found, Scan, changed, identity
from compact_chat.disk.workspace import workspace_of

MOST = 20  # chats whose files are looked at each time
MOST_FOLDERS = 50  # below the folders of the client's choice, of which the same holds
OFTEN, SELDOM = 0.25, 60.0  # seconds between two looks through all: soon after folders have changed, and else
REST = 5  # times as long as it took to look through all, at least, until that is done again
SOON = 5.0  # seconds, in which a new folder gets its chats
_LEVELS = 3  # folders above a file in which another chat would show first


class Recent(Struct, frozen=True):
    """A chat's file, when it was written, and what is to be expected in it."""

    changed: int  # in nanoseconds
    uri: str
    path: str
    format: str
    tool: str


class RecentChats:
    """Remembers the newest chats, and the places in which new ones would appear."""

    def __init__(self, wanted: Wanted, heads: Heads, check: Callable[[], None]) -> None:
        if wanted.workspace is not None:
            workspace_of(wanted.workspace, sys.platform)  # raises where it is none
        self._wanted, self._heads, self._check = wanted, heads, check
        self._known: list[Recent] = []
        self._places: dict[str, int] = {}
        self._looked = self._stirred = -SELDOM
        self._pause = 0.0  # until the next look through all, soon after folders have changed

    def newest(self) -> list[Recent]:
        """Give the chats, the one that was written last first."""
        now = time.monotonic()
        if _changes(self._places) != self._places:
            self._stirred = now
        if now - self._looked >= (self._pause if now - self._stirred < SOON else SELDOM):
            self._look_through(now)
        else:
            self._known = list(_as_now(self._known))
        return sorted(self._known, key=lambda one: (-one.changed, one.path))

    def _look_through(self, now: float) -> None:
        self._looked = now
        scan = Scan(self._check)
        before = _changes(_places_of(self._wanted))
        found = list(islice(chats_seen(self._wanted, self._heads, scan), MOST))
        self._known = [
            Recent(one.changed, Path(one.path).absolute().as_uri(), one.path, told.format, told.tool)
            for one, told in found
        ]
        chosen = dict(islice(scan.folders.items(), MOST_FOLDERS)) | _no_chats_yet(scan.files, [one for one, _ in found])
        self._places = _changes(_above(one.path for one in self._known)) | before | chosen
        took = time.monotonic() - now if self._pause else 0.0  # the first look tells nothing: no cache is warm then
        self._pause = min(SELDOM, max(OFTEN, REST * took))


def _as_now(known: Iterable[Recent]) -> Iterator[Recent]:
    for one in known:
        if now := changed(one.path):
            yield one if now == one.changed else Recent(now, one.uri, one.path, one.format, one.tool)


def _places_of(wanted: Wanted) -> Iterator[str]:
    """The folders of the client's choice and of all tools, down to where there is another for each project or day."""
    yield from (*wanted.roots, *wanted.beside)
    if not wanted.roots:
        for home in homes(sys.platform, os.environ, os.path.expanduser("~")):
            yield os.path.join(home.folder, home.below.partition("*")[0])


def _no_chats_yet(files: Iterable[Found], known: Iterable[Found]) -> dict[str, int]:
    """The newest files of the client's choice that tell of no chat yet, and when they were changed."""
    ours = frozenset(map(identity, known))
    newest = sorted(files, key=lambda one: -one.changed)[:MOST]
    return {one.path: one.changed for one in newest if identity(one) not in ours}


def _above(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        for _ in range(_LEVELS):
            path = os.path.dirname(path)
            yield path


def _changes(folders: Iterable[str]) -> dict[str, int]:
    return {folder: changed(folder) for folder in dict.fromkeys(folders)}
