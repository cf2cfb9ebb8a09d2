"""What other chats with the same tool on this machine showed of it: found cheaply, read once, remembered as numbers."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from itertools import chain, islice
from threading import Lock
from typing import NamedTuple

from msgspec import Struct

from compact_chat.disk.chats import Found, Heads, Home, Scan, chats_once, known_homes
from compact_chat.disk.files import path_of
from compact_chat.disk.state import read_json, write_json
from compact_chat.errors import InvalidParams, checkpoint
from compact_chat.measure import Shown, folder_marks
from compact_chat.tools import tool_named

MOST_LOOKED_AT, MOST_NEAR, MOST_FAR = 60, 8, 4  # the newest chats, and how many of them in the folder and elsewhere
MOST_READ = 32 * 2**20  # bytes for one answer; what does not fit is read for the next one
WHOLE, BEGINNING = 16 * 2**20, 2**20  # bytes of a file that is read whole, and what is read of a larger one


class Place(NamedTuple):
    """Whose neighbors are wanted: the tool, the folder that the chat was held in, and its own file, if it has one."""

    tool: str
    workspace: str | None
    uri: str | None


def shown_by_neighbors(place: Place, heads: Heads, read: Callable[[Found], Shown]) -> tuple[Shown, ...]:
    """Return what the newest chats of the same tool showed, those of the same folder first.

    `read` takes what a file shows; it is asked once, for as long as the file stays as it is.
    """
    notes = read_json(NOTES, MOST_BYTES, dict[str, _Note]) or {}
    fresh, room = dict[str, _Note](), MOST_READ
    shown: list[Shown] = []
    for one in _nearest(place, heads, notes):
        checkpoint()
        note = notes.get(_key(one))
        if note is None or not note.is_of(one):
            room -= min(one.bytes, WHOLE)
            if room < 0:
                continue
            note = fresh[_key(one)] = _Note(one.changed, one.bytes, read(one))
        shown.append(note.shown)
    if fresh:
        newest = sorted({**notes, **fresh}.items(), key=lambda item: -item[1].changed)[:MOST_NOTES]
        with _WRITING:
            write_json(NOTES, dict(newest))
    return tuple(one for one in shown if one.tool == place.tool)


def _nearest(place: Place, heads: Heads, notes: dict[str, _Note]) -> list[Found]:
    """List the newest chats of the tool, those of the same folder first; only the beginning of a new one is read."""
    own, marks = "", folder_marks(place.workspace)
    homes = [home for home in known_homes() if home.tool == place.tool]
    with suppress(InvalidParams):
        own = path_of(place.uri) if place.uri else ""
    if own:  # next to it may be others, wherever it is
        homes += [Home(row.format, os.path.dirname(own), "", row.endings) for row in tool_named(place.tool).folders]
    found = chats_once(list(chain.from_iterable(map(Scan().at_home, homes))))
    near: list[Found] = []
    far: list[Found] = []
    for one in islice((one for one in found if one.path != own), MOST_LOOKED_AT):
        note = notes.get(_key(one))
        held_in = note.shown.folders if note and note.is_of(one) else folder_marks(heads.folder(one))
        (near if held_in == marks else far).append(one)
    return [*near[:MOST_NEAR], *far[:MOST_FAR]]


# Remembered in one small file, under a hash of each path.


NOTES = "neighbors.json"  # to be renamed when a number in it changes its meaning
MOST_NOTES, MOST_BYTES = 1_000, 2**20
_WRITING = Lock()


class _Note(Struct, frozen=True, array_like=True):
    """What a file showed, and the time and size that it had."""

    changed: int
    bytes: int
    shown: Shown

    def is_of(self, one: Found) -> bool:
        """Tell whether the file is as it was."""
        return (self.changed, self.bytes) == (one.changed, one.bytes)


def _key(one: Found) -> str:
    return hashlib.sha256(one.path.encode(errors="surrogatepass")).hexdigest()[:24]
