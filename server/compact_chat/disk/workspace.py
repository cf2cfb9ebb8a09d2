"""Whether a chat was held in a folder: what its file's location says, and how paths are compared."""

from __future__ import annotations

import hashlib
import ntpath
import os
import posixpath
import re
import sys
import unicodedata
from typing import Literal, NamedTuple
from urllib.parse import unquote

from compact_chat.disk.files import IN_THE_NETWORK, path_of, resolved, small_text
from compact_chat.errors import InvalidParams
from compact_chat.read import fields, objects, parsed, word

_REMOTE = re.compile(r"vscode-remote://[^/]*(/.*)", re.DOTALL)
_URI = re.compile(r"[a-z][a-z0-9+.-]+://[^/?#]*(/[^?#]*)", re.IGNORECASE)
_ON_A_DRIVE = re.compile(r"\A/(?=[a-z]:)", re.IGNORECASE)
_FORMS: tuple[Literal["NFC"], Literal["NFD"]] = ("NFC", "NFD")
LONGEST_PROJECT = 200  # characters of a path that Claude Code keeps in a folder's name

_LARGEST_NOTE = 2**16  # bytes of a file that lists folders
_STRING = r'("[^"\\]*+(?>\\.[^"\\]*+)*+"?)'
# People edit such files too, with comments and trailing commas.
_COMMENT = re.compile(_STRING + r"|//[^\n]*+|/\*[^*]*+(?>\*(?!/)[^*]*+)*+(?:\*/)?", re.DOTALL)
_LAST_COMMA = re.compile(_STRING + r"|,(?=\s*+[\]}])", re.DOTALL)


class Workspace:
    """The folder whose chats are wanted, with all its names; it includes everything below."""

    def __init__(self, uri: str, platform: str) -> None:
        self._platform = platform
        remote = _REMOTE.fullmatch(uri)
        path = unquote(remote[1], errors="surrogateescape") if remote else path_of(uri)
        self.paths = tuple(dict.fromkeys((path.rstrip("/\\") or path, path if remote else resolved(path))))
        self._names = tuple(dict.fromkeys(comparable(one, platform) for one in self.paths))
        self._known: dict[str, bool] = {}

    def holds(self, folder: str) -> bool:
        """Return whether a folder, by its path or URI, is this one or below it."""
        if folder not in self._known:
            name = comparable(folder, self._platform)
            # Resolve links only in paths that contain this folder's name: touching any other path could block forever.
            own = {posixpath.basename(one) for one in self._names}
            may_be_linked = not folder.startswith(IN_THE_NETWORK) and not own.isdisjoint(name.split("/"))
            self._known[folder] = self._is_within(name) or (
                may_be_linked and self._is_within(comparable(resolved(folder), self._platform))
            )
        return self._known[folder]

    def _is_within(self, name: str) -> bool:
        return any(name == one or name.startswith(one.rstrip("/") + "/") for one in self._names)


def workspace_of(uri: str, platform: str, at: str = "$.workspace") -> Workspace:
    """Return the folder of a request; refuse anything but a `file:` URI or one of a remote editor."""
    try:
        return Workspace(uri, platform)
    except InvalidParams:
        raise InvalidParams.at(at, "expected a file: URI on this machine, or a vscode-remote: URI") from None


def comparable(folder: str, platform: str) -> str:
    """Normalize the path of a folder or its URI for comparison."""
    if uri := _URI.match(folder):
        folder = unquote(uri[1], errors="surrogateescape")
    folder = _ON_A_DRIVE.sub("", folder)
    if platform == "win32" or ntpath.splitdrive(folder)[0].endswith(":"):
        folder = folder.replace("\\", "/")
    path = posixpath.normpath(unicodedata.normalize("NFC", folder))
    return path.casefold() if platform in ("win32", "darwin") else path


def project_name(folder: str) -> str:
    """Return how Claude Code names the folder with a folder's sessions; of a long name only the beginning is sure."""
    name = re.sub(r"[^a-zA-Z0-9]", "-", folder)
    return name if len(name) <= LONGEST_PROJECT else f"{name[:LONGEST_PROJECT]}-"


def workspace_path(folder: str | None) -> str | None:
    """Return the path of a folder that a chat names by its path or URI; None for one on another machine."""
    try:
        return Workspace(folder, sys.platform).paths[0] if folder and _URI.match(folder) else folder
    except InvalidParams:
        return None


class Clue(NamedTuple):
    """Whether a chat was held in the workspace; an uncertain one counts unless the chat itself says otherwise."""

    inside: bool
    sure: bool


INSIDE, ELSEWHERE = Clue(inside=True, sure=True), Clue(inside=False, sure=True)
LIKELY, UNKNOWN = Clue(inside=True, sure=False), Clue(inside=False, sure=False)


class Clues:
    """What the locations of chat files say about one workspace; each location is examined once."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._known: dict[str, Clue] = {}
        # Accented letters may be composed or decomposed: macOS does either.
        self._paths = frozenset(unicodedata.normalize(form, path) for path in workspace.paths for form in _FORMS)
        self._letters = frozenset(map(_letters, self._paths))
        encoded = (path.encode(errors="surrogatepass") for path in self._paths)
        self._hashes = frozenset(hashlib.sha256(path).hexdigest() for path in encoded)

    def of(self, path: str) -> Clue:
        """Return what a file's location says."""
        folder = os.path.dirname(path)
        if folder not in self._known:
            self._known[folder] = self._look(folder)
        return self._known[folder]

    def _look(self, folder: str) -> Clue:
        above, name = os.path.split(folder)
        match name:
            case "chatSessions":
                return self._in_storage(above)
            case "transcripts":
                return self._in_storage(os.path.dirname(above))
            case "emptyWindowChatSessions":
                return ELSEWHERE
            case "chats":  # Gemini CLI names a project's folder after the hash of its path, or writes the path into it
                if os.path.basename(above) in self._hashes:
                    return INSIDE
                root = small_text(os.path.join(above, ".project_root"), _LARGEST_NOTE).strip()
                return self._clue(root) if root else UNKNOWN
        if os.path.basename(above) != "projects":
            return UNKNOWN
        # Claude Code names a project's folder after its path, with one character for everything but letters and digits.
        letters = _letters(name)
        if letters in self._letters:
            return LIKELY
        return UNKNOWN if any(map(letters.startswith, self._letters)) else ELSEWHERE

    def _in_storage(self, storage: str) -> Clue:
        """VS Code writes the folder next to its chats; extensions write only its name."""
        noted, about = _noted(storage, "workspace.json"), _noted(storage, "meta.json")
        if folder := word(noted.get("folder")):
            return self._clue(folder)
        file = word(noted.get("workspace")) or word(noted.get("configuration")) or word(about.get("configuration"))
        if file:  # lists several folders: a chat belongs to each of them
            if folders := folders_named(file):
                return INSIDE if any(map(self.workspace.holds, folders)) else ELSEWHERE
            return INSIDE if self.workspace.holds(file) else UNKNOWN
        name = word(about.get("name"))
        return LIKELY if name and name in map(os.path.basename, self._paths) else UNKNOWN

    def _clue(self, folder: str) -> Clue:
        return INSIDE if self.workspace.holds(folder) else ELSEWHERE


def _letters(path: str) -> str:
    return "".join(re.findall(r"[a-z0-9]+", path[:LONGEST_PROJECT].lower()))


def _noted(folder: str, name: str) -> dict[str, object]:
    return fields(parsed(small_text(os.path.join(folder, name), _LARGEST_NOTE)))


def folders_named(uri: str) -> tuple[str, ...]:
    """Return the folders, as paths or URIs, that a workspace file lists; none if unreadable.

    Paths in it are relative to its folder, by the rules of the platform that its own path is of.
    """
    try:
        path = path_of(uri)
    except InvalidParams:
        return ()
    text = small_text(path, _LARGEST_NOTE)
    for pattern in (_COMMENT, _LAST_COMMA):
        text = pattern.sub(lambda found: found[1] or "", text)
    named = fields(parsed(text)).get("folders")
    rules = ntpath if ntpath.splitdrive(path)[0] else posixpath
    found = ((word(folder.get("uri")), word(folder.get("path"))) for folder in objects(named))
    return tuple(
        uri or rules.normpath(rules.join(rules.dirname(path), relative)) for uri, relative in found if uri or relative
    )
