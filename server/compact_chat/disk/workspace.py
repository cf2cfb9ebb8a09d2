"""Whether a chat was held in a folder: what its place tells of that, and how paths are compared."""

from __future__ import annotations

import ntpath
import os
import posixpath
import re
import unicodedata
from urllib.parse import unquote

from compact_chat.disk.names import path_of
from compact_chat.errors import InvalidParams

_REMOTE = re.compile(r"vscode-remote://[^/]*(/.*)", re.DOTALL)
_URI = re.compile(r"[a-z][a-z0-9+.-]+://[^/?#]*(/[^?#]*)", re.IGNORECASE)
_ON_A_DRIVE = re.compile(r"/(?=[a-z]:)", re.IGNORECASE)
_ELSEWHERE = ("//", "\\\\")


class Workspace:
    """The folder that chats are looked for in, under all of its names; what is below it belongs to it."""

    def __init__(self, uri: str, platform: str) -> None:
        self._platform = platform
        remote = _REMOTE.fullmatch(uri)
        path = unquote(remote[1], errors="surrogateescape") if remote else path_of(uri)
        self.paths = tuple(dict.fromkeys((path.rstrip("/\\") or path, path if remote else _resolved(path))))
        self._names = tuple(dict.fromkeys(comparable(one, platform) for one in self.paths))
        self._known: dict[str, bool] = {}

    def holds(self, place: str) -> bool:
        """Whether a folder, told by its path or URI, is this one or lies below it."""
        if place not in self._known:
            self._known[place] = self._is_within(comparable(place, self._platform)) or self._is_linked(place)
        return self._known[place]

    def _is_within(self, name: str) -> bool:
        return any(name == one or name.startswith(one.rstrip("/") + "/") for one in self._names)

    def _is_linked(self, place: str) -> bool:
        """Follow links, where the path looks like ours: to touch any path that a chat names could take for ever."""
        ours = {posixpath.basename(one) for one in self._names}
        if place.startswith(_ELSEWHERE) or ours.isdisjoint(comparable(place, self._platform).split("/")):
            return False
        return self._is_within(comparable(_resolved(place), self._platform))


def comparable(place: str, platform: str) -> str:
    """Write the path of a folder, or that of its URI, so that two ways of writing it are the same."""
    if uri := _URI.match(place):
        place = unquote(uri[1], errors="surrogateescape")
    place = _ON_A_DRIVE.sub("", place, count=1) if _ON_A_DRIVE.match(place) else place
    if platform == "win32" or ntpath.splitdrive(place)[0].endswith(":"):
        place = place.replace("\\", "/")
    path = posixpath.normpath(unicodedata.normalize("NFC", place))
    return path.casefold() if platform in ("win32", "darwin") else path


def workspace_of(uri: str, platform: str) -> Workspace:
    """Take the folder of a request; what is neither a `file:` URI nor one of a remote editor is refused."""
    try:
        return Workspace(uri, platform)
    except InvalidParams:
        raise InvalidParams.at("$.workspace", "expected a file: URI on this machine, or a vscode-remote: URI") from None


def _resolved(path: str) -> str:
    """Follow the links in a path; one that no system could have stays as it is."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path
