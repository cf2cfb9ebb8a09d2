"""The instructions for summaries that a project keeps in its own files."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from compact_chat.disk.files import read_path
from compact_chat.disk.workspace import workspace_of
from compact_chat.errors import CompactChatError
from compact_chat.facts import instruction_sections
from compact_chat.wire import Instructions

NAMES = ("CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md", ".github/copilot-instructions.md")
LARGEST_FILE = 2**20
_URI = re.compile(r"[a-z][a-z0-9+.-]+:/", re.IGNORECASE)  # a drive has one letter
_IN_THE_NETWORK = ("//", "\\\\")  # to open what lies on another machine gives us away, and may take for ever


def find_instructions(workspace: str | None) -> tuple[Instructions, ...]:
    """Read the sections for summaries in the files of a chat's folder and of those above it, the nearest first."""
    found: dict[str, Instructions] = {}  # by their text, so that a copy in another file does not count twice
    folder = _folder(workspace or "")
    for path in _files(folder) if folder else ():
        for text in instruction_sections(_text(path)):
            found.setdefault(text, Instructions(Path(path).as_uri(), text))
    return tuple(found.values())


def _folder(workspace: str) -> str:
    """Give the absolute path of the folder; empty where the chat names none on this machine."""
    try:
        path = workspace_of(workspace, sys.platform).paths[0] if _URI.match(workspace) else workspace
        return os.path.normpath(path) if os.path.isabs(path) and not path.startswith(_IN_THE_NETWORK) else ""
    except (CompactChatError, OSError, ValueError):
        return ""


def _files(folder: str) -> Iterator[str]:
    """Give the instruction files from the folder up to the top of its repository; no link leads out of it."""
    folders = _up_to_top(folder)
    top = os.path.join(_resolved(folders[-1]), "")
    for one in folders:
        for name in NAMES:
            path = os.path.join(one, *name.split("/"))
            if _is_small_file(path) and _resolved(path).startswith(top):
                yield path


def _up_to_top(folder: str) -> list[str]:
    """Give the folder and those above it, up to the one with `.git`; the folder alone where there is none."""
    folders = [folder]
    while not os.path.lexists(os.path.join(folders[-1], ".git")):
        above = os.path.dirname(folders[-1])
        if above == folders[-1]:
            return [folder]
        folders.append(above)
    return folders


def _is_small_file(path: str) -> bool:
    """Tell whether this is a regular file that a person may have written."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):  # ValueError: a NUL or half a surrogate pair in the name
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size <= LARGEST_FILE


def _resolved(path: str) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path


def _text(path: str) -> str:
    """Read a file, whatever bytes are in it; one that went away since is empty."""
    try:
        return read_path(path, Path(path).as_uri()).decode(errors="replace")
    except (CompactChatError, OSError, ValueError):
        return ""
