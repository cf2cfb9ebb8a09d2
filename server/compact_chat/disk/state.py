"""Our own folder among the user's, by the rules of each platform."""

from __future__ import annotations

import ntpath
import os
import posixpath
import sys
from collections.abc import Mapping
from pathlib import Path

NAME = "compact-chat"


def state_folder() -> Path | None:
    """Where we keep what we remember; it need not exist, and a user without a home has none."""
    folder = folder_for(sys.platform, os.environ, os.path.expanduser("~"))
    return Path(folder) if folder else None


def folder_for(platform: str, env: Mapping[str, str], home: str) -> str:
    """The folder on a platform (`linux`, `darwin`, `win32`); `home` is the user's, and only absolute paths count.

    Without any, it is empty: nothing of ours belongs where the program happens to run.
    """
    if platform == "win32":
        local = env.get("LOCALAPPDATA", "")
        folder = ntpath.join(local if ntpath.isabs(local) else ntpath.join(home, "AppData", "Local"), NAME)
        return folder if ntpath.isabs(folder) else ""
    usual = ("Library", "Application Support") if platform == "darwin" else (".local", "state")
    state = env.get("XDG_STATE_HOME", "")
    folder = posixpath.join(state if posixpath.isabs(state) else posixpath.join(home, *usual), NAME)
    return folder if posixpath.isabs(folder) else ""
