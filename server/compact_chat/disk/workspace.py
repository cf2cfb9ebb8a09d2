"""What the place of a chat's file tells of the folder that the chat was held in."""

from __future__ import annotations

import hashlib
import json
import ntpath
import os
import posixpath
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple
from urllib.parse import unquote

from compact_chat.disk.files import ends_of, path_of
from compact_chat.errors import InvalidParams
from compact_chat.read import fields, objects, word

# The folders that the file of a workspace with several of them names, and how such small files are read.


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


# Whether a chat was held in a folder: what its place tells of that, and how paths are compared.


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


# What the place of a chat's file tells of the folder that the chat was held in.


_FORMS: tuple[Literal["NFC"], Literal["NFD"]] = ("NFC", "NFD")
_LONGEST_NAME = 200  # characters of a path that Claude Code keeps in the name of a folder


class Clue(NamedTuple):
    """Whether a chat was held in the workspace; one that is not sure counts where the chat itself does not tell."""

    held: bool
    sure: bool


HELD, ELSEWHERE = Clue(held=True, sure=True), Clue(held=False, sure=True)
LIKELY, UNKNOWN = Clue(held=True, sure=False), Clue(held=False, sure=False)


class Clues:
    """What is known of the places of chats for one workspace; each place is looked at once."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._known: dict[str, Clue] = {}
        self._paths = frozenset(_forms(workspace.paths))
        self._letters = frozenset(map(_letters, self._paths))
        self._hashes = frozenset(map(_hash, self._paths))

    def of(self, path: str) -> Clue:
        """Tell what the place of a file says."""
        place = os.path.dirname(path)
        if place not in self._known:
            self._known[place] = self._look(place)
        return self._known[place]

    def _look(self, place: str) -> Clue:
        above, name = os.path.split(place)
        match name:
            case "chatSessions":
                return self._in_storage(above)
            case "transcripts":
                return self._in_storage(os.path.dirname(above))
            case "emptyWindowChatSessions":
                return ELSEWHERE
            case "chats":
                return self._in_project(above)
        return self._in_slug(name) if os.path.basename(above) == "projects" else UNKNOWN

    def _in_storage(self, storage: str) -> Clue:
        """VS Code notes the folder beside its chats; where an extension does it, only the folder's name."""
        noted, about = _noted(storage, "workspace.json"), _noted(storage, "meta.json")
        if place := word(noted.get("folder")):
            return self._clue(place)
        if (
            place := word(noted.get("workspace"))
            or word(noted.get("configuration"))
            or word(about.get("configuration"))
        ):
            return self._in_folders_of(place)
        name = word(about.get("name"))
        return LIKELY if name and name in map(os.path.basename, self._paths) else UNKNOWN

    def _in_folders_of(self, place: str) -> Clue:
        """A chat of several folders is held in each of them; the file that names them may lie anywhere."""
        if folders := folders_named(place):
            return HELD if any(map(self.workspace.holds, folders)) else ELSEWHERE
        return HELD if self.workspace.holds(place) else UNKNOWN

    def _in_project(self, project: str) -> Clue:
        """Gemini CLI names a project's folder after the hash of its path, or notes the path in it."""
        if os.path.basename(project) in self._hashes:
            return HELD
        root = _read(project, ".project_root").strip()
        return self._clue(root) if root else UNKNOWN

    def _in_slug(self, slug: str) -> Clue:
        """Claude Code names a project's folder after its path, with one sign for all that is no letter or digit."""
        letters = _letters(slug)
        if letters in self._letters:
            return LIKELY
        may_be = any(letters.startswith(ours) for ours in self._letters)
        return UNKNOWN if may_be else ELSEWHERE

    def _clue(self, place: str) -> Clue:
        return HELD if self.workspace.holds(place) else ELSEWHERE


def _forms(paths: Iterable[str]) -> Iterator[str]:
    """Write each path with its accents in their letters and beside them: macOS does either."""
    return (unicodedata.normalize(form, path) for path in paths for form in _FORMS)


def _letters(path: str) -> str:
    return "".join(re.findall(r"[a-z0-9]+", path[:_LONGEST_NAME].lower()))


def _hash(path: str) -> str:
    return hashlib.sha256(path.encode(errors="surrogatepass")).hexdigest()


def _noted(folder: str, name: str) -> dict[str, object]:
    try:
        return fields(json.loads(_read(folder, name)))
    except (ValueError, RecursionError):
        return {}


def _read(folder: str, name: str) -> str:
    return small_text(os.path.join(folder, name))
