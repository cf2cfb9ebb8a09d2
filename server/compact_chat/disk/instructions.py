"""Summary instructions in a project's own files."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from compact_chat.disk.files import IN_THE_NETWORK, resolved, small_text
from compact_chat.disk.workspace import workspace_of
from compact_chat.errors import InvalidParams
from compact_chat.facts import instruction_sections
from compact_chat.wire import Instructions

NAMES = (
    "CLAUDE.md",
    "CLAUDE.local.md",
    ".claude/CLAUDE.md",
    "AGENTS.override.md",
    "AGENTS.md",
    ".github/copilot-instructions.md",
)
LARGEST_FILE = 2**20
LONGEST_PATH = 4096  # characters: of a longer one the folders above alone would take gigabytes
_URI = re.compile(r"[a-z][a-z0-9+.-]+:/", re.IGNORECASE)  # a drive has one letter


def find_instructions(workspace: str | None) -> tuple[Instructions, ...]:
    """Read the summary sections in the instruction files of a chat's folder and its parents, nearest first."""
    found: dict[str, Instructions] = {}  # by text, so that a copy in another file counts once
    for path in _files(workspace or ""):
        for text in instruction_sections(small_text(path, LARGEST_FILE)):
            found.setdefault(text, Instructions(Path(path).as_uri(), text))
    return tuple(found.values())


def instruction_text(workspace: str | None, *more: str) -> str:
    """Read the instruction files of a folder and its parents as they are, and more files: their tool sends them all."""
    paths = dict.fromkeys((*_files(workspace or ""), *more))
    return "\n".join(filter(None, (small_text(path, LARGEST_FILE) for path in paths)))


def _files(workspace: str) -> Iterator[str]:
    """Yield the instruction files from the folder up to the one with `.git`, if any; never follow a link out of it."""
    try:
        folder = workspace_of(workspace, sys.platform).paths[0] if _URI.match(workspace) else workspace
    except (InvalidParams, ValueError):
        return
    if not os.path.isabs(folder) or folder.startswith(IN_THE_NETWORK) or len(folder) > LONGEST_PATH:
        return
    folders = [os.path.normpath(folder)]
    while not os.path.lexists(os.path.join(folders[-1], ".git")):
        above = os.path.dirname(folders[-1])
        if above == folders[-1]:
            del folders[1:]
            break
        folders.append(above)
    top = os.path.join(resolved(folders[-1]), "")
    for one in folders:
        paths = [os.path.join(one, *name.split("/")) for name in NAMES]
        yield from (path for path in paths if resolved(path).startswith(top))
