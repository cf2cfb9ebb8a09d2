"""The folders that the file of a workspace with several of them names, and how such small files are read."""

from __future__ import annotations

import json
import ntpath
import posixpath
import re
from collections.abc import Iterator

from compact_chat.disk.ends import ends_of
from compact_chat.disk.names import path_of
from compact_chat.errors import InvalidParams
from compact_chat.read.lenient import fields, objects, word

_MOST = 2**16  # bytes
_STRING = r'("[^"\\]*+(?>\\.[^"\\]*+)*+"?)'
# People write such files too, with comments and with a comma behind the last item.
_COMMENT = re.compile(_STRING + r"|//[^\n]*+|/\*[^*]*+(?>\*(?!/)[^*]*+)*+(?:\*/)?", re.DOTALL)
_LAST_COMMA = re.compile(_STRING + r"|,(?=\s*+[\]}])", re.DOTALL)


def folders_named(uri: str) -> tuple[str, ...]:
    """Give the paths or URIs of the folders in the file that a `file:` URI names; none where it cannot be read."""
    try:
        path = path_of(uri)
    except InvalidParams:
        return ()
    return tuple(_folders(small_text(path), path))


def small_text(path: str) -> str:
    """Read a small file, where it is there."""
    try:
        head, _ = ends_of(path, _MOST, 0)
    except (OSError, ValueError):
        return ""
    return head.decode(errors="replace").removeprefix("\ufeff")


def _folders(text: str, path: str) -> Iterator[str]:
    for folder in objects(fields(_decoded(text)).get("folders")):
        if uri := word(folder.get("uri")):
            yield uri
        elif place := word(folder.get("path")):
            yield _beside(path, place)


def _decoded(text: str) -> object:
    bare = _LAST_COMMA.sub(_string, _COMMENT.sub(_string, text))
    try:
        value: object = json.loads(bare)
    except (ValueError, RecursionError):
        return None
    return value


def _string(found: re.Match[str]) -> str:
    string: str | None = found[1]
    return string or ""


def _beside(path: str, place: str) -> str:
    """Take a path by the place of the file that holds it."""
    if ntpath.splitdrive(path)[0]:
        return ntpath.normpath(ntpath.join(ntpath.dirname(path), place))
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), place))
