"""What the place of a chat's file tells of the folder that the chat was held in."""

from __future__ import annotations

import hashlib
import json
import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from compact_chat.disk.folders import folders_named, small_text
from compact_chat.disk.workspace import Workspace
from compact_chat.read.lenient import fields, word

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
