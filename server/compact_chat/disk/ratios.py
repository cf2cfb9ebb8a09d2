"""What chats have taught of the models' tokens, kept in one small file: names of families, and two numbers for each."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from math import isfinite
from pathlib import Path
from threading import Lock

import msgspec

from compact_chat.disk.state import state_folder

FILE = "ratios.json"
MOST_BYTES, MOST_FAMILIES = 65_536, 100
Sums = tuple[float, float]

_WRITING = Lock()  # clients of one server take turns; of two servers the later one wins


def read_ratios() -> dict[str, Sums]:
    """Give what is remembered; a file that is damaged, too large or not there holds nothing."""
    folder = state_folder()
    if folder is None:
        return {}
    try:
        with (folder / FILE).open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        known = msgspec.json.decode(data[:MOST_BYTES], type=dict[str, Sums])
    except (OSError, ValueError, RecursionError):  # ValueError: no JSON, or none of this shape
        return {}
    return dict(list(_sound(known).items())[-MOST_FAMILIES:])


def write_ratio(family: str, sums: Sums) -> None:
    """Remember what a chat taught of a family; where that cannot be written, it is forgotten."""
    folder = state_folder()
    if folder is None:
        return
    with _WRITING, suppress(OSError):
        known = read_ratios()
        if known.get(family) == sums or not _sound({family: sums}):
            return
        known.pop(family, None)
        _replace(folder, {**known, family: sums})


def _sound(known: Mapping[str, Sums]) -> dict[str, Sums]:
    return {name: sums for name, sums in known.items() if all(isfinite(number) and number >= 0 for number in sums)}


def _replace(folder: Path, known: Mapping[str, Sums]) -> None:
    """Write beside the file and put it in its place, so that nobody ever reads half of it; only its owner can."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=FILE, dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(msgspec.json.encode(known))
        os.replace(name, folder / FILE)
    except OSError:
        with suppress(OSError):
            os.unlink(name)
        raise
