"""The newest chats of a workspace, looked at again and again: only seldom is all looked through."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

from msgspec import Struct

from compact_chat.disk.discover import Wanted, chats
from compact_chat.disk.heads import Heads
from compact_chat.disk.homes import homes
from compact_chat.disk.workspace import workspace_of

MOST = 20  # chats whose files are looked at each time
OFTEN, SELDOM = 1.0, 60.0  # seconds between two looks through all: soon after folders have changed, and else
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
    """Remembers the newest chats, and the folders in which new ones would appear."""

    def __init__(self, workspace: str, heads: Heads, check: Callable[[], None]) -> None:
        workspace_of(workspace, sys.platform)  # raises where it is none
        self._wanted, self._heads, self._check = Wanted(workspace), heads, check
        self._known: list[Recent] = []
        self._folders: dict[str, int] = {}
        self._looked = self._stirred = -SELDOM

    def newest(self) -> list[Recent]:
        """Give the chats, the one that was written last first."""
        now = time.monotonic()
        if _changes(self._folders) != self._folders:
            self._stirred = now
        if now - self._looked >= (OFTEN if now - self._stirred < SOON else SELDOM):
            self._look_through(now)
        else:
            self._known = list(_as_now(self._known))
        return sorted(self._known, key=lambda one: (-one.changed, one.path))

    def _look_through(self, now: float) -> None:
        self._looked = now
        found = islice(chats(self._wanted, self._heads, self._check), MOST)
        before = _changes(_home_folders())
        self._known = [
            Recent(one.changed, Path(one.path).absolute().as_uri(), one.path, told.format, told.tool)
            for one, told in found
        ]
        self._folders = {**_changes(_above(one.path for one in self._known)), **before}


def _as_now(known: Iterable[Recent]) -> Iterator[Recent]:
    for one in known:
        changed = _changed(one.path)
        if changed:
            yield one if changed == one.changed else Recent(changed, one.uri, one.path, one.format, one.tool)


def _home_folders() -> Iterator[str]:
    """The folders of all tools, down to the one in which there is another for each project or day."""
    for home in homes(sys.platform, os.environ, os.path.expanduser("~")):
        yield os.path.join(home.folder, home.below.partition("*")[0])


def _above(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        for _ in range(_LEVELS):
            path = os.path.dirname(path)
            yield path


def _changes(folders: Iterable[str]) -> dict[str, int]:
    return {folder: _changed(folder) for folder in dict.fromkeys(folders)}


def _changed(path: str) -> int:
    """When a file or folder was changed; 0 where there is none."""
    try:
        return os.stat(path).st_mtime_ns
    except (OSError, ValueError):
        return 0
