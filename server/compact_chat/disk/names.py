"""From a `file:` URI to the path it names on this machine."""

from __future__ import annotations

import os
import re
from urllib.parse import unquote

from compact_chat.errors import InvalidParams

# No system has names that need more, and to decode one of megabytes would take hundreds of them.
LONGEST_URI = 2**16
# Not `urlsplit`: it drops line ends, so that another file is named, and remembers whatever it was given.
_FILE_URI = re.compile(r"file:(?://(?:localhost)?)?(/[^?#]*)", re.IGNORECASE)
_ON_A_DRIVE = re.compile(r"/([a-z]:[/\\].*)", re.IGNORECASE | re.DOTALL)


def path_of(uri: str) -> str:
    """Give the absolute path of a `file:` URI; one of another machine is refused, since to open it gives us away."""
    found = _FILE_URI.match(uri) if len(uri) <= LONGEST_URI else None
    path = unquote(found[1], errors="surrogateescape") if found else ""
    if os.name == "nt":
        path = windows_path(path)
    if not path or path.startswith("//"):
        raise InvalidParams.at("$.uri", "expected a file: URI on this machine")
    return path


def windows_path(path: str) -> str:
    """Give the path as Windows writes it, or nothing where no drive is named: it would lead into the network."""
    found = _ON_A_DRIVE.fullmatch(path)
    return found[1].replace("/", "\\") if found else ""
