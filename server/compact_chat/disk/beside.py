"""Read the files that belong to a chat and lie in its folder."""

from __future__ import annotations

from pathlib import Path

from compact_chat.disk.files import read_path
from compact_chat.disk.names import path_of
from compact_chat.errors import CompactChatError
from compact_chat.read.beside import needed_beside


def read_beside(uri: str) -> dict[str, bytes]:
    """Give the contents of the files, by their names; one that is not there, or cannot be read, is left out."""
    chat = Path(path_of(uri))
    found: dict[str, bytes] = {}
    for name in needed_beside(chat.name):
        try:
            found[name] = read_path(str(chat.with_name(name)), uri)
        except CompactChatError:
            continue
    return found
