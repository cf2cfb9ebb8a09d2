"""Find files that may be chats, by location and name; nothing is opened."""

from __future__ import annotations

import ntpath
import os
import posixpath
import re
import stat
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

from msgspec import Struct

from compact_chat.cancel import checkpoint
from compact_chat.tools import EDITOR, TOOLS, tool_of

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
_STRETCH = 1000  # names between two checkpoints

Join = Callable[..., str]


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

    def below(self, root: str) -> Iterator[Found]:
        """Find any tool's files in a folder and below, nearest first; links are not followed."""
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
        checkpoint()
        found: list[os.DirEntry[str]] = []
        try:
            with os.scandir(folder) as entries:
                while more := list(islice(entries, _STRETCH)):
                    checkpoint()
                    found += more[: self._left]
                    self._left -= len(more)
                    if self._left < 0:
                        self._left, self.is_complete = 0, False
                        break
        except (OSError, ValueError):  # ValueError: a NUL in the name
            pass
        return found


def changed(path: str) -> int:
    """Return the modification time of a file or folder in nanoseconds; 0 if missing."""
    try:
        return os.stat(path).st_mtime_ns
    except (OSError, ValueError):
        return 0


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
