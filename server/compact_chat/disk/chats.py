"""The newest chats of a workspace, or below some folders, looked at again and again: all is looked through seldom."""

from __future__ import annotations

import ntpath
import os
import posixpath
import re
import stat
import sys
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from msgspec import Struct

from compact_chat.disk.files import ends_of, line_end
from compact_chat.disk.workspace import Clues, workspace_of
from compact_chat.read import (
    PACKED,
    InMemory,
    Told,
    Unpacking,
    folder_named,
    may_be_chat,
    tell,
)
from compact_chat.tools import EDITOR, TOOLS, tool_named, tool_of

# Where each tool keeps its chats, by the rules of each platform and by what the user has moved elsewhere.


Join = Callable[..., str]
_EDITORS = ("Code", "Code - Insiders", "VSCodium", "VSCodium - Insiders", "Cursor", "Windsurf")
_SERVERS = (
    ".vscode-server",
    ".vscode-server-insiders",
    ".vscode-remote",
    ".vscodium-server",
    ".cursor-server",
    ".windsurf-server",
)


class Home(Struct, frozen=True):
    """A folder of one tool; chats lie in it by a path in which `*` is any folder, under names that end so."""

    format: str
    folder: str
    below: str
    endings: tuple[str, ...]

    @property
    def tool(self) -> str:
        """The tool, by its name on the wire."""
        return tool_of(self.format)


def homes(platform: str, env: Mapping[str, str], home: str) -> tuple[Home, ...]:
    """Name all places on a platform (`linux`, `darwin`, `win32`); `home` is the user's folder."""
    known = {name: value for name, value in env.items() if value.strip()}
    join = ntpath.join if platform == "win32" else posixpath.join
    users = tuple(dict.fromkeys(_users(platform, known, home, join)))
    return tuple(
        dict.fromkeys(
            Home(row.format, root, row.below, row.endings)
            for tool in TOOLS
            for row in tool.folders
            for root in (users if row.roots == (EDITOR,) else _root(row.roots, known, home, join))
        )
    )


def _root(roots: Sequence[str], env: Mapping[str, str], home: str, join: Join) -> Iterator[str]:
    """Give the first of the roots whose variable is set."""
    for root in roots:
        first, *below = root.split("/")
        base = home if first == "~" else env.get(first.removeprefix("$"))
        if base is not None:
            yield join(base, *below)
            return


def _users(platform: str, env: Mapping[str, str], home: str, join: Join) -> Iterator[str]:
    """The folders in which editors, on this machine or serving one elsewhere, keep what is a user's."""
    if "VSCODE_PORTABLE" in env:
        yield join(env["VSCODE_PORTABLE"], "user-data", "User")
    settings = env.get("VSCODE_APPDATA") or _settings(platform, env, home, join)
    yield from (join(settings, editor, "User") for editor in _EDITORS)
    servers = [join(home, server) for server in _SERVERS]
    if "VSCODE_AGENT_FOLDER" in env:
        servers.append(env["VSCODE_AGENT_FOLDER"])
    yield from (join(server, "data", "User") for server in servers)
    yield join(_data(platform, env, home, join), "User")


def _settings(platform: str, env: Mapping[str, str], home: str, join: Join) -> str:
    """Where programs keep their settings."""
    if platform == "win32":
        return env.get("APPDATA") or join(home, "AppData", "Roaming")
    if platform == "darwin":
        return join(home, "Library", "Application Support")
    return env.get("XDG_CONFIG_HOME") or join(home, ".config")


def _data(platform: str, env: Mapping[str, str], home: str, join: Join) -> str:
    """Where code-server keeps its data, on macOS too by the rules of Linux."""
    if platform == "win32":
        return join(env.get("LOCALAPPDATA") or join(home, "AppData", "Local"), "code-server", "Data")
    return join(env.get("XDG_DATA_HOME") or join(home, ".local", "share"), "code-server")


# Which files may be chats, by where they lie and what they are called; nothing is opened.


MOST_ENTRIES = 200_000  # names of files and folders looked at for one listing
_ENDINGS = (".json", ".jsonl", ".jsonl.zst", ".traj")
# The agents of a chat have files of their own, which are no chats; what is installed holds none either.
_NOT_ENTERED = frozenset({"subagents", "node_modules", ".git", "chatEditingSessions", "debug-logs"})
_SUBAGENT = "agent-"
_SESSIONS, _COPILOT = "hatSessions", "GitHub.copilot-chat"  # `chatSessions`, or such of another kind
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_STRETCH = 1000  # names between two moments at which a look around may be stopped
# By the names of files that may hold a chat: the fullest of them.
_LESSER = {name: tool.files[0] for tool in TOOLS for name in tool.files[1:]}
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
    return folder, _LESSER.get(name, name.removesuffix(".zst"))


def _holds_transcripts(folder: str) -> bool:
    """Whether the folder is the one of Copilot's that bears this name: anybody's may."""
    above, name = _parted(folder)
    return name == "transcripts" and _parted(above)[1] == _COPILOT


def _stem(name: str) -> str:
    return name.removesuffix(".jsonl").removesuffix(".json")


def _rank(path: str) -> int:
    """Say how much a form of a chat tells, the fullest first."""
    folder, name = _parted(path)
    if _holds_transcripts(folder) or name in _LESSER:
        return 2
    return 0 if name.endswith(".jsonl") or name in _LESSER.values() else 1


# What the ends of chats' files told, remembered for as long as the files stay as they are.


T = TypeVar("T")
# Bytes of the beginning, of it where that does not do, as where Codex puts its instructions first, and of the end.
FIRST, MORE, LAST = 2**13, 2**17, 2**16
MOST_HEADS = 50_000  # files that are remembered
_MORE_FOLLOWS = b"\n"
# VS Code writes a log anew as one line with the whole state, and the name of the chat at the end of that.
_STATE, _LONGEST_STATE = b'{"kind":0', 2**24


class Heads:
    """What was told so far; nothing of it is kept but in memory."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], tuple[object, Any]] = {}  # each look has its own keys
        self._lock = Lock()  # two requests may ask at once

    def told(self, one: Found) -> Told | None:
        """What a chat tells of itself; None where it is none, or cannot be read any more."""
        return self._once(one, _told)

    def folder(self, one: Found) -> str | None:
        """The folder in which a chat was held, as the chat itself tells it."""
        names_it_first = one.expected is not None and tool_named(tool_of(one.expected)).folder_first
        if names_it_first and (named := self._once(one, _folder)):
            return named
        told = self.told(one)
        return (told.workspace or self._once(one, _folder_in_more)) if told else None

    def _once(self, one: Found, look: Callable[[Found], T]) -> T:
        key, stamp = (one.path, one.expected, look), (one.bytes, one.changed, one.identity)
        with self._lock:
            known = self._known.pop(key, (None, None))
        value: T = known[1] if known[0] == stamp else look(one)
        with self._lock:
            self._known[key] = (stamp, value)
            if len(self._known) > MOST_HEADS:
                del self._known[next(iter(self._known))]
        return value


def _told(one: Found) -> Told | None:
    """Read the beginning, more of it where it gives no title yet, and take what breaks off there only then."""
    told = None
    for first, guess in ((FIRST, False), (MORE, False), (MORE, True)):
        if not guess:
            head, tail = _ends(one.path, first, LAST)
            tail = _end_of_state(one, head, tail) + tail
        told = tell(head, tail, one.expected, guess=guess) if b"{" in head else None
        if not tail or (told and told.title) or not (told or may_be_chat(head)):
            break
    return told


def _end_of_state(one: Found, head: bytes, tail: bytes) -> bytes:
    """The end of a long first line, where it lies between the two ends of the file."""
    is_between = head.startswith(_STATE) and b"\n" not in head and b"\n" in tail.rstrip(b"\n")
    if not is_between or len(head) + len(tail) >= one.bytes:
        return b""
    try:
        return line_end(one.path, len(head), LAST, _LONGEST_STATE) + b"\n"
    except (OSError, ValueError):
        return b""


def _folder(one: Found) -> str | None:
    head, _ = _ends(one.path, FIRST, 0)
    return folder_named(head)


def _folder_in_more(one: Found) -> str | None:
    """The folder that a chat tells of behind its title."""
    head, tail = _ends(one.path, MORE, LAST) if one.bytes > FIRST else (b"", b"")
    told = tell(head, tail, one.expected) if b"{" in head else None
    return told.workspace if told else None


def _ends(path: str, first: int, last: int) -> tuple[bytes, bytes]:
    """Read both ends of a file; of a packed one the end cannot be told, and of one that is gone there is none."""
    try:
        head, tail = ends_of(path, first, last)
    except (OSError, ValueError):
        return b"", b""
    return (_unpacked(head, first), _MORE_FOLLOWS) if head.startswith(PACKED) else (head, tail)


def _unpacked(packed: bytes, room: int) -> bytes:
    held = b""
    for block in Unpacking(InMemory(packed)).blocks():
        held += block
        if len(held) >= room:
            break
    return held[:room]


# The chats on this machine, newest first; of each file no more is opened than its two ends.


MOST_CHATS = 20_000  # that are looked into for one listing


class Wanted(Struct, frozen=True):
    """Which chats are wanted: held in a workspace, of these tools, in these folders; all where nothing is said.

    Those in a folder `beside` the places of the tools are wanted wherever they say that they were held.
    """

    workspace: str | None = None
    tools: Collection[str] = ()
    roots: Sequence[str] = ()
    beside: Sequence[str] = ()


def chats(wanted: Wanted, heads: Heads, check: Callable[[], None]) -> Iterator[tuple[Found, Told]]:
    """Give one chat after the other; who has enough stops, and no more files are opened."""
    return chats_seen(wanted, heads, Scan(check))


def chats_seen(wanted: Wanted, heads: Heads, scan: Scan) -> Iterator[tuple[Found, Told]]:
    """Give the chats that a look around finds; that tells in the end whether it was complete."""
    clues = None if wanted.workspace is None else Clues(workspace_of(wanted.workspace, sys.platform))
    listed: set[str] = set()
    looked_into = 0
    beside = list(chain.from_iterable(map(scan.below, wanted.beside)))
    ours = frozenset(map(identity, beside))
    for one in chats_once([*files(wanted, scan), *beside]):
        scan.check()
        if clues is not None and identity(one) not in ours and not _is_held(one, clues, heads):
            continue
        told = heads.told(one)
        if told is None:
            continue
        if looked_into == MOST_CHATS:
            scan.is_complete = False
            return
        looked_into += 1
        if (not wanted.tools or told.tool in wanted.tools) and _is_new(one, listed):
            yield one, told


def _is_new(one: Found, listed: set[str]) -> bool:
    """Whether this is no older copy of a chat: VS Code makes one where a folder is saved as a workspace."""
    name = session_id(one)
    is_new = name not in listed
    if name is not None:
        listed.add(name)
    return is_new


def files(wanted: Wanted, scan: Scan) -> Iterator[Found]:
    """Find all files that may be chats, where the tools keep them or where they are wanted from."""
    if wanted.roots:
        return chain.from_iterable(map(scan.below, wanted.roots))
    places = homes(sys.platform, os.environ, os.path.expanduser("~"))
    asked = [home for home in places if not wanted.tools or home.tool in wanted.tools]
    return chain.from_iterable(map(scan.at_home, asked))


def _is_held(one: Found, clues: Clues, heads: Heads) -> bool:
    """Ask the place of the file first, then the chat itself."""
    clue = clues.of(one.path)
    if clue.sure:
        return clue.held
    folder = heads.folder(one)
    return clue.held if folder is None else clues.workspace.holds(folder)


# The newest chats of a workspace, or below some folders, looked at again and again: all is looked through seldom.


MOST_RECENT = 20  # chats whose files are looked at each time
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
        found = list(islice(chats_seen(self._wanted, self._heads, scan), MOST_RECENT))
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
    newest = sorted(files, key=lambda one: -one.changed)[:MOST_RECENT]
    return {one.path: one.changed for one in newest if identity(one) not in ours}


def _above(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        for _ in range(_LEVELS):
            path = os.path.dirname(path)
            yield path


def _changes(folders: Iterable[str]) -> dict[str, int]:
    return {folder: changed(folder) for folder in dict.fromkeys(folders)}
