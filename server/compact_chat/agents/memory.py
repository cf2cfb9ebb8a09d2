"""What hooks and status lines remember from run to run: small JSON files, some per session, in the state folder."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from compact_chat.disk import folder_for, home_folder, regular_file

FOLDER = "agents"
SETTINGS = "settings"
MOST = 400  # files
_LARGEST = 2**18  # bytes
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)

Values = dict[str, Any]


def state_of(session: str, part: str) -> str:
    """Return the name of a session's file; ids that no file name can have are hashed."""
    if not (session.isascii() and session.replace("-", "").replace("_", "").isalnum() and len(session) <= 64):
        import hashlib

        session = hashlib.blake2b(session.encode(errors="surrogatepass"), digest_size=16).hexdigest()
    return f"{session}.{part}"


def recall(name: str) -> Values:
    """Read what was remembered; empty if it is missing or damaged."""
    path = os.path.join(_folder(), f"{name}.json")
    with suppress(OSError, ValueError, RecursionError), regular_file(path, is_ours=True) as (handle, _):
        found = json.loads(os.read(handle, _LARGEST))
        return found if isinstance(found, dict) else {}
    return {}


def remember(name: str, values: Values) -> None:
    """Write it atomically; what cannot be written is forgotten."""
    with suppress(OSError, ValueError, RecursionError):
        folder = _folder()
        if not folder:
            return
        if not _is_ours(folder):
            from pathlib import Path

            from compact_chat.disk import private_folder

            private_folder(Path(folder).parent, FOLDER)
        path = os.path.join(folder, f"{name}.json")
        if not os.path.lexists(path):
            _make_room(folder)
        part = os.path.join(folder, f".part-{os.getpid()}-{name}")
        handle = os.open(part, _WRITE, 0o600)
        try:
            with open(handle, "wb") as file:
                file.write(json.dumps(values).encode())
            os.replace(part, path)
        except BaseException:
            os.unlink(part)
            raise


def member(values: object, name: str, kind: type = dict) -> Any:
    """Read a member of untrusted JSON; empty if it is of another type."""
    found = values.get(name) if isinstance(values, dict) else None
    return found if isinstance(found, kind) else kind()


def number(values: object, name: str, least: int = -1) -> int:
    """Read a whole number of untrusted JSON; the least one if it is less, or anything else."""
    found = values.get(name) if isinstance(values, dict) else None
    return found if type(found) is int and found > least else least


def update(name: str, change: Callable[[Values], None]) -> Values:
    """Change what is remembered while no other process does; raises OSError where it cannot be locked."""
    from pathlib import Path

    from compact_chat.disk import locked, private_folder

    folder = _folder()
    if not folder:
        raise FileNotFoundError
    private_folder(Path(folder).parent, FOLDER)
    with locked(Path(folder) / "lock"):
        values = recall(name)
        change(values)
        remember(name, values)
    return values


def _folder() -> str:
    state = folder_for(sys.platform, os.environ, home_folder())
    return os.path.join(state, FOLDER) if state else ""


def _is_ours(folder: str) -> bool:
    with suppress(OSError, ValueError):
        found = os.lstat(folder)
        return stat.S_ISDIR(found.st_mode) and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return False


def _make_room(folder: str) -> None:
    """Remove the files that were written longest ago, but never the settings."""
    with os.scandir(folder) as entries:
        files = [one for one in entries if one.name.endswith((".hook.json", ".line.json"))]
    if len(files) >= MOST:
        for one in sorted(files, key=lambda one: one.stat(follow_symlinks=False).st_mtime_ns)[: len(files) - MOST + 1]:
            os.unlink(one.path)
