"""What helps to find a fault: versions, agents, and where chats and archives are; nothing of a chat's text."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from compact_chat import __version__, wire
from compact_chat.agents import overview
from compact_chat.cli.terminal import NAME, Terminal, place_of
from compact_chat.cli.views import size_text
from compact_chat.disk import known_folders, known_homes
from compact_chat.operations import ClientState, Job, run_alone
from compact_chat.tools import tool_named

MOST_EXAMINED = 20_000  # chats


def show_doctor(client: ClientState, terminal: Terminal) -> Iterator[str]:
    """Yield the lines, each when it is known; counting the chats takes longest."""
    yield f"Compact Chat {__version__}, Python {platform.python_version()}, {sys.platform}-{platform.machine()}"
    yield f"program: {terminal.safe(str(Path(sys.argv[0]).resolve()))}"
    found = shutil.which(NAME)
    yield f"on PATH: {terminal.safe(found) if found else f'no {NAME}'}"
    yield ""
    yield from map(terminal.safe, overview())
    yield ""
    yield from _chats(client, terminal)
    yield ""
    yield from _archives(client, terminal)


def _chats(client: ClientState, terminal: Terminal) -> Iterator[str]:
    """Count the chats in each folder in which tools keep them."""
    listed: wire.Sessions = run_alone("sessions", {"limit": MOST_EXAMINED}, Job(client))
    found = [Path(place_of(one.uri)).resolve() for one in listed.sessions]
    absent = 0
    yield f"chats: {len(found):,}{'' if listed.complete else ' or more'}"
    for folder, tool in {Path(one.folder, one.below.partition("*")[0]): one.tool for one in known_homes()}.items():
        if folder.is_dir():
            count = sum(path.is_relative_to(folder.resolve()) for path in found)
            yield f"  {count:>6,}  {tool_named(tool).label}: {terminal.safe(str(folder))}"
        else:
            absent += 1
    yield f"  {absent} more folders were looked for and are not there"


def _archives(client: ClientState, terminal: Terminal) -> Iterator[str]:
    """Tell the number and size of what is kept of compactions."""
    kept: wire.History = run_alone("history", {"limit": MOST_EXAMINED}, Job(client))
    yield f"compactions: {len(kept.compactions):,}"
    for folder in filter(Path.is_dir, known_folders(client.settings.archive)):
        yield f"  {size_text(_size(folder)):>6}  {terminal.safe(str(folder))}"


def _size(folder: Path) -> int:
    """Return the bytes of the files in a folder; 0 if it is not there."""
    size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # removed meanwhile
                size += Path(place, name).lstat().st_size
    return size
