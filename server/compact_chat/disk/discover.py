"""The chats on this machine, newest first; of each file no more is opened than its two ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain

from msgspec import Struct

from compact_chat.disk.clues import Clues
from compact_chat.disk.heads import Heads
from compact_chat.disk.homes import homes
from compact_chat.disk.scan import Found, Scan, chats_once, identity, session_id
from compact_chat.disk.workspace import workspace_of
from compact_chat.read.head import Told

MOST_CHATS = 20_000  # that are looked into for one listing


class Wanted(Struct, frozen=True):
    """Which chats are wanted: held in a workspace, of these tools, in these folders; all where nothing is said.

    Those in a folder `beside` the places of the tools are wanted wherever they say that they were held.
    """

    workspace: str | None = None
    tools: Collection[str] = ()
    roots: Sequence[str] = ()
    beside: Sequence[str] = ()


def chats(wanted: Wanted, heads: Heads, check: Callable[[], None]) -> Iterator[tuple[Found, Told]]:
    """Give one chat after the other; who has enough stops, and no more files are opened."""
    return chats_seen(wanted, heads, Scan(check))


def chats_seen(wanted: Wanted, heads: Heads, scan: Scan) -> Iterator[tuple[Found, Told]]:
    """Give the chats that a look around finds; that tells in the end whether it was complete."""
    clues = None if wanted.workspace is None else Clues(workspace_of(wanted.workspace, sys.platform))
    listed: set[str] = set()
    looked_into = 0
    beside = list(chain.from_iterable(map(scan.below, wanted.beside)))
    ours = frozenset(map(identity, beside))
    for one in chats_once([*files(wanted, scan), *beside]):
        scan.check()
        if clues is not None and identity(one) not in ours and not _is_held(one, clues, heads):
            continue
        told = heads.told(one)
        if told is None:
            continue
        if looked_into == MOST_CHATS:
            scan.is_complete = False
            return
        looked_into += 1
        if (not wanted.tools or told.tool in wanted.tools) and _is_new(one, listed):
            yield one, told


def _is_new(one: Found, listed: set[str]) -> bool:
    """Whether this is no older copy of a chat: VS Code makes one where a folder is saved as a workspace."""
    name = session_id(one)
    is_new = name not in listed
    if name is not None:
        listed.add(name)
    return is_new


def files(wanted: Wanted, scan: Scan) -> Iterator[Found]:
    """Find all files that may be chats, where the tools keep them or where they are wanted from."""
    if wanted.roots:
        return chain.from_iterable(map(scan.below, wanted.roots))
    places = homes(sys.platform, os.environ, os.path.expanduser("~"))
    asked = [home for home in places if not wanted.tools or home.tool in wanted.tools]
    return chain.from_iterable(map(scan.at_home, asked))


def _is_held(one: Found, clues: Clues, heads: Heads) -> bool:
    """Ask the place of the file first, then the chat itself."""
    clue = clues.of(one.path)
    if clue.sure:
        return clue.held
    folder = heads.folder(one)
    return clue.held if folder is None else clues.workspace.holds(folder)
