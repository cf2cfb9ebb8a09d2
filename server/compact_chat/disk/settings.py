"""What a user set for coding tools: their own compaction, and the summary instructions in a project's files."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from math import isfinite
from pathlib import Path

from compact_chat.chat import JsonObject
from compact_chat.disk.chats import first_root
from compact_chat.disk.files import IN_THE_NETWORK, resolved, small_text
from compact_chat.disk.home import home_folder
from compact_chat.disk.workspace import workspace_of
from compact_chat.errors import InvalidParams
from compact_chat.measure import ToolSettings
from compact_chat.read import parsed
from compact_chat.tools import Tool, tool_named
from compact_chat.wire import Instructions

LARGEST_FILE = 2**20
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
_MOST = 10**9  # tokens; more is a mistake


def read_tool_settings(tool_name: str, workspace: str | None) -> ToolSettings:
    """Read what applies to a chat of the tool that was held in this folder."""
    documents: list[JsonObject] = []
    for path in settings_files(tool_name, workspace):
        text = small_text(path, LARGEST_FILE)
        document = parsed(text)
        if path.endswith(".toml"):
            import tomllib  # one tool needs it

            with suppress(ValueError, RecursionError):
                document = tomllib.loads(text)
        documents += [document] if isinstance(document, dict) else []
    return settings_in(tool_named(tool_name), documents, os.environ)


def settings_in(tool: Tool, documents: Sequence[JsonObject], env: Mapping[str, str]) -> ToolSettings:
    """Find the settings in parsed files, the stronger first; variables that a file sets replace those of `env`."""
    found: dict[str, float] = {}
    is_off = False
    for knob in tool.knobs:
        if knob.name.startswith("$"):
            name = knob.name.removeprefix("$")
            value = next(_values(documents, ("env", name)), env.get(name))
        else:
            value = next(_values(documents, knob.name.split(".")), None)
        word = _word(value)
        if knob.moves in ("on", "off"):
            is_off |= word in (_TRUE if knob.moves == "off" else _FALSE)
        elif number := _number(word, {"share": 1, "percent": 100}.get(knob.moves, _MOST)):
            found.setdefault(knob.moves, number)
    window, tokens = (int(found.get(name, 0)) for name in ("window", "tokens"))
    return ToolSettings(is_off, window, tokens, found.get("percent", 0.0), found.get("share", 0.0))


def settings_files(tool_name: str, workspace: str | None) -> Iterator[str]:
    """List the files that may hold the tool's settings, the stronger first; a missing one may appear later."""
    place = workspace or ""
    is_local = os.path.isabs(place) and not place.startswith(IN_THE_NETWORK)
    for roots in tool_named(tool_name).settings:
        if roots[0].startswith(("$", "~")):
            path = first_root(roots, os.environ, home_folder(), os.path.join)
        else:
            path = os.path.join(place, *roots[0].split("/")) if is_local else None
        if path and os.path.isabs(path):
            yield path


def _values(documents: Sequence[JsonObject], path: Sequence[str]) -> Iterator[object]:
    """Give what each document holds at the path."""
    for document in documents:
        value: object = document
        for name in path:
            value = value.get(name) if isinstance(value, dict) else None
        if value is not None:
            yield value


def _word(value: object) -> str:
    """Write a value as it stands in a variable; nothing for a list, an object or a number beyond measure."""
    if isinstance(value, str):
        return value.strip().lower()
    is_plain = isinstance(value, bool | float) or (isinstance(value, int) and abs(value) <= _MOST)
    return str(value).lower() if is_plain else ""


def _number(word: str, most: float) -> float:
    """Read a number that is above 0 and no larger; 0 for anything else."""
    with suppress(ValueError):
        number = float(word)
        if isfinite(number) and 0 < number <= most:
            return number
    return 0.0


# Summary instructions in a project's own files.

NAMES = (
    "CLAUDE.md",
    "CLAUDE.local.md",
    ".claude/CLAUDE.md",
    "AGENTS.override.md",
    "AGENTS.md",
    ".github/copilot-instructions.md",
)
LONGEST_PATH = 4096  # characters: of a longer one the folders above alone would take gigabytes
MOST_FILES = 100  # rules of a folder, and imports of a file
_IMPORT = re.compile(r"(?<!\S)@([\w.~/-]{1,256})")
_URI = re.compile(r"[a-z][a-z0-9+.-]+:/", re.IGNORECASE)  # a drive has one letter


def find_instructions(workspace: str | None) -> tuple[Instructions, ...]:
    """Read the summary sections in the instruction files of a chat's folder and its parents, nearest first."""
    from compact_chat.facts import instruction_sections  # which nothing else needs here

    found: dict[str, Instructions] = {}  # by text, so that a copy in another file counts once
    for path in _files(_folders(workspace or "")):
        for text in instruction_sections(small_text(path, LARGEST_FILE)):
            found.setdefault(text, Instructions(Path(path).as_uri(), text))
    return tuple(found.values())


def instruction_text(workspace: str | None, *more: str, climb: bool = False) -> str:
    """Read the instruction files of a folder and its parents as they are, and more files: their tool sends them all.

    Also rules in folders and what the files of Claude Code import, which reads its files at any height: `climb`.
    """
    project = _folders(workspace or "")
    folders = [*project]
    found = {path: small_text(path, LARGEST_FILE) for path in (*_files(project), *more)}
    for above in map(str, Path(project[-1]).parents) if climb and project else ():
        folders.append(above)
        for path in (os.path.join(above, *name.split("/")) for name in NAMES if "CLAUDE" in name):
            if _is_in(above, path):
                found[path] = small_text(path, LARGEST_FILE)
    for folder in folders:
        rules = os.path.join(folder, ".claude", "rules")
        walk = os.walk(rules) if _is_in(folder, rules) else ()
        paths = chain.from_iterable([os.path.join(at, name) for name in sorted(names)] for at, _, names in walk)
        for path in islice(paths, MOST_FILES):
            if path.endswith(".md") and _is_in(folder, path):
                found[path] = small_text(path, LARGEST_FILE)
    for path in [path for path in found if "CLAUDE" in os.path.basename(path)]:
        place = os.path.dirname(path)
        top = next((one for one in reversed(project) if _is_in(one, path)), place)
        for name in islice(_IMPORT.findall(found[path]), MOST_FILES):
            other = os.path.normpath(os.path.join(place, os.path.expanduser(name.rstrip("."))))
            if other not in found and not other.startswith(IN_THE_NETWORK) and _is_in(top, other):
                found[other] = small_text(other, LARGEST_FILE)
    return "\n".join(filter(None, found.values()))


def _files(folders: Sequence[str]) -> Iterator[str]:
    """Yield the instruction files of the folders; never follow a link out of the last one."""
    for one in folders:
        paths = [os.path.join(one, *name.split("/")) for name in NAMES]
        yield from (path for path in paths if _is_in(folders[-1], path))


def _is_in(folder: str, path: str) -> bool:
    return resolved(path).startswith(os.path.join(resolved(folder), ""))


def _folders(workspace: str) -> list[str]:
    """List the folder and those above it up to the one with `.git`; the folder alone without one."""
    try:
        folder = workspace_of(workspace, sys.platform).paths[0] if _URI.match(workspace) else workspace
    except (InvalidParams, ValueError):
        return []
    if not os.path.isabs(folder) or folder.startswith(IN_THE_NETWORK) or len(folder) > LONGEST_PATH:
        return []
    folders = [os.path.normpath(folder)]
    while not os.path.lexists(os.path.join(folders[-1], ".git")):
        above = os.path.dirname(folders[-1])
        if above == folders[-1]:
            return folders[:1]
        folders.append(above)
    return folders
