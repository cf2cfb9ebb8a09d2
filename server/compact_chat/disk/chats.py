"""Find chat files, and list them by their ends."""

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
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from msgspec import Struct

from compact_chat.disk.files import ends_of, line_end
from compact_chat.disk.home import changed, home_folder
from compact_chat.disk.workspace import Clues, workspace_of
from compact_chat.errors import checkpoint
from compact_chat.read import PACKED, Heading, folder_named, heading_of, may_be_chat, unpacked_beginning
from compact_chat.tools import EDITOR, TOOLS, Tool, tool_named, tool_of

_EDITORS = ("Code", "Code - Insiders", "VSCodium", "VSCodium - Insiders", "Cursor", "Windsurf")
_SERVERS = (
    ".vscode-server",
    ".vscode-server-insiders",
    ".vscode-remote",
    ".vscodium-server",
    ".cursor-server",
    ".windsurf-server",
)

MOST_ENTRIES = 200_000  # files and folders examined for one listing
_ENDINGS = (".json", ".jsonl", ".jsonl.zst", ".traj")
# Files of a chat's agents are no chats of their own; installed packages hold none either.
_NOT_ENTERED = frozenset({"subagents", "node_modules", ".git", "chatEditingSessions", "debug-logs"})
_SUBAGENT = "agent-"
_SESSIONS, _COPILOT = "hatSessions", "GitHub.copilot-chat"  # `chatSessions`, or such of another kind
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
# File names of which one may be the chat, the most complete first.
_FULLEST = {name: tool.files[0] for tool in TOOLS for name in tool.files[1:]}

Join = Callable[..., str]
T = TypeVar("T")


# Where each tool keeps its chats, by platform conventions and the user's environment variables.


class Home(Struct, frozen=True):
    """A folder of one tool; chats are below it at a path in which `*` is any folder, with these file endings."""

    format: str
    folder: str
    below: str
    endings: tuple[str, ...]

    @property
    def tool(self) -> str:
        """The tool, by its name on the wire."""
        return tool_of(self.format)


def homes(platform: str, env: Mapping[str, str], home: str) -> tuple[Home, ...]:
    """List all folders on a platform (`linux`, `darwin`, `win32`); `home` is the user's."""
    env = {name: value for name, value in env.items() if value.strip()}
    join = ntpath.join if platform == "win32" else posixpath.join
    editors = tuple(_editor_folders(platform, env, home, join))
    found: dict[Home, None] = {}
    for row in (row for tool in TOOLS for row in tool.folders):
        roots = editors
        if row.roots != (EDITOR,):
            root = first_root(row.roots, env, home, join)
            roots = (root,) if root else ()
        found.update((Home(row.format, root, row.below, row.endings), None) for root in roots)
    return tuple(found)


def first_root(roots: Sequence[str], env: Mapping[str, str], home: str, join: Join) -> str | None:
    """Name the first of a row's paths whose variable is set; `~` is the user's home."""
    for root in roots:
        first, *below = root.split("/")
        base = home if first == "~" else env.get(first.removeprefix("$"))
        if base is not None:
            return str(join(base, *below))
    return None


def projects_folder(tool: Tool) -> Path:
    """Return the folder in which a tool has one for the sessions of each folder."""
    row = tool.folders[0]
    root = first_root(row.roots, os.environ, home_folder(), os.path.join)
    return Path(root or home_folder(), row.below.removesuffix("/*"))


def _editor_folders(platform: str, env: Mapping[str, str], home: str, join: Join) -> Iterator[str]:
    """Yield the user data folders of editors, local ones and servers for remote ones."""
    if "VSCODE_PORTABLE" in env:
        yield join(env["VSCODE_PORTABLE"], "user-data", "User")
    if platform == "win32":
        settings = env.get("APPDATA") or join(home, "AppData", "Roaming")
        data = join(env.get("LOCALAPPDATA") or join(home, "AppData", "Local"), "code-server", "Data")
    else:  # code-server follows the Linux conventions on macOS too
        macos = join(home, "Library", "Application Support")
        settings = macos if platform == "darwin" else env.get("XDG_CONFIG_HOME") or join(home, ".config")
        data = join(env.get("XDG_DATA_HOME") or join(home, ".local", "share"), "code-server")
    settings = env.get("VSCODE_APPDATA") or settings
    yield from (join(settings, editor, "User") for editor in _EDITORS)
    servers = [join(home, server) for server in _SERVERS]
    if "VSCODE_AGENT_FOLDER" in env:
        servers.append(env["VSCODE_AGENT_FOLDER"])
    yield from (join(server, "data", "User") for server in servers)
    yield join(data, "User")


# Look for files.


class Found(Struct, frozen=True):
    """A file that may be a chat, with its metadata when found; `expected` is the format that its folder suggests."""

    path: str
    bytes: int
    changed: int  # in nanoseconds
    identity: object  # shared by two names of one file
    expected: str | None = None


class Scan:
    """One search; it stops early if there are too many files."""

    def __init__(self) -> None:
        self.is_complete = True  # False once something was skipped for lack of budget
        self.folders: dict[str, int] = {}  # searched below a root, with their modification times
        self.files: list[Found] = []  # found there
        self._left = MOST_ENTRIES

    def at_home(self, home: Home) -> Iterator[Found]:
        """Find a tool's files."""
        for folder in self._folders(home.folder, home.below.split("/")):
            for entry in self._entries(folder):
                if entry.name.endswith(home.endings) and (found := _found(entry, home.format)):
                    yield found

    def below(self, root: str, *, deep: bool = True) -> Iterator[Found]:
        """Find any tool's files in a folder and, if it is to be `deep`, below; nearest first, without links."""
        waiting = deque([root])
        while waiting:
            folder = waiting.popleft()
            self.folders[folder] = changed(folder)
            for entry in self._entries(folder):
                if _is_folder(entry, follow=False):
                    waiting += [entry.path] if deep and entry.name not in _NOT_ENTERED else []
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
        checkpoint()
        found: list[os.DirEntry[str]] = []
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    checkpoint()
                    if not self._left:
                        self.is_complete = False
                        break
                    self._left -= 1
                    found.append(entry)
        except (OSError, ValueError):  # ValueError: a NUL in the name
            pass
        return found


def chats_once(found: Sequence[Found]) -> list[Found]:
    """Drop duplicates of a file, and less complete forms of the same chat; newest first."""
    best: dict[tuple[str, str], tuple[int, Found]] = {}
    for one in {one.identity: one for one in reversed(found)}.values():
        chat, rank = _form(one.path)
        if chat not in best or rank < best[chat][0]:
            best[chat] = rank, one
    return sorted((one for _, one in best.values()), key=lambda one: (-one.changed, one.path))


def session_id(one: Found) -> str | None:
    """Return the id of a chat that VS Code may store twice; empty for a name that a person may have chosen."""
    folder, name = os.path.split(one.path)
    stem = _stem(name)
    return stem if folder.endswith(_SESSIONS) and (one.expected or _ID.fullmatch(stem)) else None


def _found(entry: os.DirEntry[str], expected: str | None) -> Found | None:
    """Examine a file; None if gone, empty, not a regular file, or an agent's own."""
    try:
        info = entry.stat()
    except OSError:
        return None
    is_agents = entry.name.startswith(_SUBAGENT) and entry.name.endswith(".jsonl")
    if not stat.S_ISREG(info.st_mode) or not info.st_size or is_agents:
        return None
    identity = (info.st_dev, info.st_ino) if info.st_ino else entry.path  # some systems have no file ids
    return Found(entry.path, info.st_size, info.st_mtime_ns, identity, expected)


def _is_folder(entry: os.DirEntry[str], *, follow: bool) -> bool:
    try:
        return entry.is_dir(follow_symlinks=follow)
    except OSError:
        return False


def _form(path: str) -> tuple[tuple[str, str], int]:
    """Return what the files of one chat share, and the rank of this form: 0 is the most complete."""
    folder, name = os.path.split(path)
    above, of = os.path.split(folder)
    if of == "transcripts" and os.path.basename(above) == _COPILOT:  # any folder may have this name
        return (os.path.join(os.path.dirname(above), "chatSessions"), _stem(name)), 2
    rank = 2 if name in _FULLEST else 0 if name.endswith(".jsonl") or name in _FULLEST.values() else 1
    if folder.endswith(_SESSIONS):
        return (folder, _stem(name)), rank
    return (folder, _FULLEST.get(name, name.removesuffix(".zst"))), rank


def _stem(name: str) -> str:
    return name.removesuffix(".jsonl").removesuffix(".json")


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
    heading = heading_of(*_ends(one.path, MORE, LAST), one.expected)
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
MOST_OWN = 200  # the newest files in a folder itself, which may hold any JSON


class Wanted(Struct, frozen=True):
    """Which chats to list: of any of some workspaces, of these tools, in these folders; by default all.

    Chats below `more_roots`, and those whose files are in one of `files_in` itself, are wanted whatever workspace they
    were held in; with `files_in` and no workspaces or roots, only these.
    """

    workspaces: Sequence[str] = ()
    tools: Collection[str] = ()
    roots: Sequence[str] = ()
    more_roots: Sequence[str] = ()
    files_in: Sequence[str] = ()


def list_chats(wanted: Wanted, heads: Heads, scan: Scan) -> Iterator[tuple[Found, Heading]]:
    """Yield the chats one by one; stopping early opens no more files."""
    clues = [Clues(workspace_of(one, sys.platform)) for one in wanted.workspaces]
    listed: set[str | None] = set()
    looked_into = 0
    others = list(chain.from_iterable(map(scan.below, wanted.more_roots)))
    for place in wanted.files_in:
        others += sorted(scan.below(place, deep=False), key=lambda one: -one.changed)[:MOST_OWN]
    wanted_anyway = {one.identity for one in others}
    found: Iterable[Found] = ()
    if wanted.roots:
        found = chain.from_iterable(map(scan.below, wanted.roots))
    elif clues or not wanted.files_in:
        asked = [home for home in known_homes() if not wanted.tools or home.tool in wanted.tools]
        found = chain.from_iterable(map(scan.at_home, asked))
    for one in chats_once([*found, *others]):
        checkpoint()
        if clues and one.identity not in wanted_anyway and not any(_is_held(one, some, heads) for some in clues):
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
        listed.add(name)


def _is_held(one: Found, clues: Clues, heads: Heads) -> bool:
    """Whether a chat was held in a workspace, by its location or by what its file says."""
    clue = clues.of(one.path)
    folder = None if clue.sure else heads.folder(one)
    return clue.inside if folder is None else clues.workspace.holds(folder)


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
