"""Which files may be chats, by where they lie and what they are called; nothing is opened."""

from __future__ import annotations

import os
import re
import stat
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from msgspec import Struct

from compact_chat.disk.homes import Home
from compact_chat.read.beside import API_HISTORY, UI_MESSAGES

MOST_ENTRIES = 200_000  # names of files and folders looked at for one listing
_ENDINGS = (".json", ".jsonl", ".jsonl.zst", ".traj")
# The agents of a chat have files of their own, which are no chats; what is installed holds none either.
_NOT_ENTERED = frozenset({"subagents", "node_modules", ".git", "chatEditingSessions", "debug-logs"})
_SUBAGENT = "agent-"
_SESSIONS, _COPILOT = "hatSessions", "GitHub.copilot-chat"  # `chatSessions`, or such of another kind
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_STRETCH = 1000  # names between two moments at which a look around may be stopped
_parted = os.path.split


class Found(Struct, frozen=True):
    """A file that may be a chat, as it was when we looked; `expected` is the format its place speaks for."""

    path: str
    bytes: int
    changed: int  # in nanoseconds
    identity: tuple[int, int]
    expected: str | None = None


class Scan:
    """One look around; it ends where too much was seen, and stops where `check` raises."""

    def __init__(self, check: Callable[[], None]) -> None:
        self.check = check
        self.is_complete = True  # so far nothing was left out because there was too much of it
        self.folders: dict[str, int] = {}  # that were looked at below a root, and when each was changed before that
        self.files: list[Found] = []  # that were found there
        self._left = MOST_ENTRIES

    def at_home(self, home: Home) -> Iterator[Found]:
        """Find the files of a tool."""
        for folder in self._folders(home.folder, home.below.split("/")):
            for entry in self._entries(folder):
                if entry.name.endswith(home.endings) and (found := _found(entry, home.format)):
                    yield found

    def below(self, root: str) -> Iterator[Found]:
        """Find the files of any tool in a folder and all that are in it, the nearest first; no link is entered."""
        waiting = deque([root])
        while waiting:
            folder = waiting.popleft()
            self.folders[folder] = changed(folder)
            for entry in self._entries(folder):
                if _is_folder(entry, follow=False):
                    waiting += [entry.path] if entry.name not in _NOT_ENTERED else []
                elif entry.name.endswith(_ENDINGS) and (found := _found(entry, None)):
                    self.files.append(found)
                    yield found

    def _folders(self, folder: str, levels: Sequence[str]) -> Iterator[str]:
        if not levels:
            yield folder
        elif levels[0] != "*":
            yield from self._folders(os.path.join(folder, levels[0]), levels[1:])
        else:
            for entry in self._entries(folder):
                if _is_folder(entry, follow=True):
                    yield from self._folders(entry.path, levels[1:])

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        self.check()
        seen: list[os.DirEntry[str]] = []
        try:
            with os.scandir(folder) as entries:
                while more := list(islice(entries, _STRETCH)):
                    self.check()
                    seen += more[: self._left]
                    self._left -= len(more)
                    if self._left < 0:
                        self._left, self.is_complete = 0, False
                        break
        except (OSError, ValueError):  # ValueError: a NUL in the name
            pass
        return seen


def changed(path: str) -> int:
    """When a file or folder was changed, in nanoseconds; 0 where there is none."""
    try:
        return os.stat(path).st_mtime_ns
    except (OSError, ValueError):
        return 0


def chats_once(found: Sequence[Found]) -> list[Found]:
    """Leave out what is the same file again, or a lesser form of a chat that lies beside it; the newest come first."""
    best: dict[tuple[str, str], Found] = {}
    for one in {identity(one): one for one in reversed(found)}.values():
        key = _chat(one.path)
        if key not in best or _rank(one.path) < _rank(best[key].path):
            best[key] = one
    return sorted(best.values(), key=lambda one: (-one.changed, one.path))


def identity(one: Found) -> object:
    """What two names of one file share; some systems tell nothing."""
    return one.identity if one.identity[1] else one.path


def session_id(one: Found) -> str | None:
    """The id of a chat that VS Code may keep twice; a name that a person may have chosen is none."""
    folder, name = _parted(one.path)
    stem = _stem(name)
    if not folder.endswith(_SESSIONS) or not (one.expected or _ID.fullmatch(stem)):
        return None
    return stem


def _found(entry: os.DirEntry[str], expected: str | None) -> Found | None:
    """Look at a file; what is gone, empty, no regular file, or an agent's own is none."""
    try:
        seen = entry.stat()
    except OSError:
        return None
    if not stat.S_ISREG(seen.st_mode) or not seen.st_size or _is_subagents(entry.name):
        return None
    return Found(entry.path, seen.st_size, seen.st_mtime_ns, (seen.st_dev, seen.st_ino), expected)


def _is_subagents(name: str) -> bool:
    return name.startswith(_SUBAGENT) and name.endswith(".jsonl")


def _is_folder(entry: os.DirEntry[str], *, follow: bool) -> bool:
    try:
        return entry.is_dir(follow_symlinks=follow)
    except OSError:
        return False


def _chat(path: str) -> tuple[str, str]:
    """What the files of one chat share: an older form, a packed one, a transcript, the files of a task."""
    folder, name = _parted(path)
    if _holds_transcripts(folder):
        return os.path.join(_parted(_parted(folder)[0])[0], "chatSessions"), _stem(name)
    if folder.endswith(_SESSIONS):
        return folder, _stem(name)
    return folder, API_HISTORY if name in UI_MESSAGES else name.removesuffix(".zst")


def _holds_transcripts(folder: str) -> bool:
    """Whether the folder is the one of Copilot's that bears this name: anybody's may."""
    above, name = _parted(folder)
    return name == "transcripts" and _parted(above)[1] == _COPILOT


def _stem(name: str) -> str:
    return name.removesuffix(".jsonl").removesuffix(".json")


def _rank(path: str) -> int:
    """Say how much a form of a chat tells, the fullest first."""
    folder, name = _parted(path)
    if _holds_transcripts(folder) or name in UI_MESSAGES:
        return 2
    return 0 if name.endswith(".jsonl") or name == API_HISTORY else 1
