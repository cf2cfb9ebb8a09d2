"""Paths in one form, however tools write them: as URIs, with dots, with either slash, whole or from a folder."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import unquote, urlsplit

_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\|//[^/]")
_DRIVE_OF_URI = re.compile(r"/[A-Za-z]:(?:/|$)")


def same_path(path: str, folder: str = "") -> str:
    """What two paths of one file have in common; `folder` is where a path that is not whole starts from."""
    path, folder = without_scheme(path.strip()), without_scheme(folder)
    if not _is_whole(path) and _is_whole(folder):
        path = f"{folder}/{path}"
    if not _WINDOWS.match(path):
        return posixpath.normpath(path)
    return posixpath.normpath(path.replace("\\", "/")).casefold()  # which tells no large letters from small ones


def joined(folder: str, path: str) -> str:
    """The path as seen from outside the folder; a whole path stays as it is."""
    if not folder or _is_whole(path):
        return path
    separator = "\\" if _WINDOWS.match(folder) and "/" not in folder else "/"
    return f"{folder.rstrip(separator)}{separator}{path}"


def without_scheme(path: str) -> str:
    """The path that a `file:` URI tells, and any other text as it is."""
    if path[:7].lower() != "file://":
        return path
    try:
        parts = urlsplit(path)
    except ValueError:  # what stands for the host is none
        return path
    told = unquote(parts.path)
    if _DRIVE_OF_URI.match(told):
        return told[1:]
    return f"//{parts.netloc}{told}" if parts.netloc not in ("", "localhost") else told


def _is_whole(path: str) -> bool:
    return path.startswith(("/", "~")) or _WINDOWS.match(path) is not None
