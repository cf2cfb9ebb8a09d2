"""Where the program keeps its state; imports no other module here, so that a status line starts in milliseconds."""

from __future__ import annotations

import ntpath
import os
import posixpath
from collections.abc import Mapping

NAME = "compact-chat"


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
