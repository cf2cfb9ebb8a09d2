"""Where archives are: in the user's state folder, in a folder of the user's choice, or beside the chats' files."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from compact_chat.disk.archive_writing import private_folder, put
from compact_chat.disk.names import path_of
from compact_chat.disk.state import state_folder

USUAL, ELSEWHERE = "archive", "archives"
MOST_PLACES = 1000


def archive_folder(setting: str, uri: str | None) -> Path | None:
    """Name the folder that keeps the chat of a URI; None where archives are off, or a user has no place for them.

    A folder that is not absolute is taken from the one that holds the chat's file. A chat that is no file, and one
    that is never saved, goes where archives usually are.
    """
    wished = setting.strip()
    if is_off(wished):
        return None
    folder = Path(os.path.expanduser(wished))
    if wished.lower() in ("on", "") or not (folder.is_absolute() or uri):
        return _usual()
    return folder if folder.is_absolute() else _beside(uri or "") / folder


def is_off(setting: str) -> bool:
    """Whether the user wants no archives."""
    return setting.strip().lower() == "off"


def known_folders(setting: str) -> list[Path]:
    """Name all folders in which compactions may be found: as it is set now, and those that were ever written to."""
    set_now = archive_folder(setting, None)
    return list(dict.fromkeys(folder for folder in (_usual(), set_now, *_remembered()) if folder))


def remember_folder(folder: Path) -> None:
    """Note a folder that is not where archives usually are, so that what it keeps is found again."""
    state = state_folder()
    if state is None or folder == _usual():
        return
    name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:32]
    if not (state / ELSEWHERE / name).exists():
        private_folder(state / ELSEWHERE)
        put(state / ELSEWHERE / name, [os.fsencode(folder)])


def _usual() -> Path | None:
    state = state_folder()
    return state / USUAL if state else None


def _beside(uri: str) -> Path:
    return Path(path_of(uri)).parent


def _remembered() -> list[Path]:
    state = state_folder()
    found: list[Path] = []
    with suppress(OSError):
        if state:
            paths = sorted((state / ELSEWHERE).iterdir())[:MOST_PLACES]
            found = [Path(os.fsdecode(path.read_bytes())) for path in paths if not path.name.startswith(".")]
    return [folder for folder in found if folder.is_absolute()]
