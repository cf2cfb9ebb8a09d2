"""Where the program keeps its state, and how it opens files.

Imports no other module here, so that a status line starts in milliseconds.
"""

from __future__ import annotations

import errno
import ntpath
import os
import posixpath
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

NAME = "compact-chat"
# Do not wait for the other end of a pipe, take a controlling terminal, or change line ends on Windows.
READ_ONLY = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOCTTY", "O_BINARY"))
NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)


def home_folder() -> str:
    """Return the user's home folder, or `~` for a user without one; an empty variable counts as unset."""
    if os.name == "nt" or os.environ.get("HOME") != "":
        return os.path.expanduser("~")
    import pwd  # not on Windows

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return "~"


def folder_for(platform: str, env: Mapping[str, str], home: str) -> str:
    """Return the state folder on a platform (`linux`, `darwin`, `win32`) below `home`; relative paths are ignored.

    Empty if there is none: never use the folder that the program happens to run in.
    """
    if platform == "win32":
        local = env.get("LOCALAPPDATA", "")
        folder = ntpath.join(local if ntpath.isabs(local) else ntpath.join(home, "AppData", "Local"), NAME)
        return folder if ntpath.isabs(folder) else ""
    usual = ("Library", "Application Support") if platform == "darwin" else (".local", "state")
    state = env.get("XDG_STATE_HOME", "")
    folder = posixpath.join(state if posixpath.isabs(state) else posixpath.join(home, *usual), NAME)
    return folder if posixpath.isabs(folder) else ""


class NotRegular(OSError):
    """A pipe, a socket, a device or a folder, or a link where none is followed."""


@contextmanager
def regular_file(path: str | os.PathLike[str], *, is_ours: bool = False) -> Iterator[tuple[int, int]]:
    """Open a regular file with its size; refuse links to our own files. Raises OSError, or ValueError for odd names.

    Check first, since opening a device may have side effects, and again, since the file may have been replaced.
    """
    _check(os.stat(path, follow_symlinks=not is_ours))
    handle = os.open(path, READ_ONLY | (NO_FOLLOW if is_ours else 0))
    try:
        found = os.fstat(handle)
        _check(found)
        yield handle, found.st_size
    finally:
        os.close(handle)


def _check(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise NotRegular(errno.EINVAL, "it is not a regular file")


def changed(path: str) -> int:
    """Return the modification time of a file or folder in nanoseconds; 0 if missing."""
    try:
        return os.stat(path).st_mtime_ns
    except (OSError, ValueError):
        return 0
