"""Where a tool opens a session again: the place of a compacted copy among its chats, and that of an original."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from compact_chat import resume
from compact_chat.disk import LONGEST_PROJECT, Head, path_of, project_name, projects_folder, put_new, workspace_path
from compact_chat.errors import InvalidParams, NoPlace
from compact_chat.operations.job import Job
from compact_chat.operations.sessions import Params, sessions
from compact_chat.resume import Export, as_vscode_session
from compact_chat.tools import FORMATS, Tool, tool_named, tool_of
from compact_chat.wire import Resume

_OWNER_ONLY = 0o700
_PLAIN = re.compile(r"\w[\w-]{0,99}", re.ASCII)  # ids that are safe in a command
_ASKED = 20  # sessions of one folder that are looked at for the name of their own


class Spot(NamedTuple):
    """Where a copy goes, the folder that it continues in, and how it is written and opened."""

    path: Path
    workspace: str | None
    write: Callable[[Export], str]
    resume: Resume


def spot_of(form: str, session: str, held_in: str | None, folder: str | None, job: Job) -> Spot:
    """Find the place of a new session among those of a tool; raise if that form has none, or nothing says where."""
    row = FORMATS.get(form)
    if row is None or row.export is None:
        raise InvalidParams.at("$.place", "expected a form that a tool opens")
    tool, given = tool_named(tool_of(form)), None if folder is None else _path(folder)
    if not tool.resumes:
        return _in_window(tool, session, given)
    workspace = next(
        (one for one in (workspace_path(held_in), given) if one and one != "/" and Path(one).is_dir()), None
    )
    if workspace is None:
        raise NoPlace(f"Open the folder that the chat is about first: a {tool.label} session belongs to a folder.")
    workspace = os.path.realpath(workspace)
    path = _project(tool, workspace, job) / f"{session}{row.export.ending}"
    _make(path.parent)
    return Spot(path, workspace, getattr(resume, row.export.writer), _resume(tool, session, workspace))


def original_in_place(head: Head, data: bytes, folder: str | None) -> Resume | None:
    """Say how the tool opens the original, which is written again if it is gone; None if it cannot open it here."""
    if head.uri is None or head.original.kind != "file":
        return None
    try:
        path = Path(path_of(head.uri))
    except InvalidParams:  # of another machine
        return None
    tool, workspace = tool_named(head.tool), workspace_path(head.workspace)
    if not _PLAIN.fullmatch(path.stem):
        return None
    if folder is not None and os.path.realpath(path.parent) == os.path.realpath(_path(folder)):
        found = _resume(tool, path.stem, None)
    elif (
        not tool.resumes or path.parent.parent != projects_folder(tool) or not workspace or not Path(workspace).is_dir()
    ):
        return None
    elif path.parent.name.startswith(project_name(os.path.realpath(workspace))):
        found = _resume(tool, path.stem, workspace)
    else:
        return None
    _make(path.parent)
    write_once(path, data)
    return found


def write_once(path: Path, data: bytes) -> None:
    """Write a session for its tool; one that is already there stays as it is, since it may have gone on."""
    try:
        with suppress(FileExistsError):
            put_new(path, [data])
    except (OSError, ValueError) as problem:
        raise _no_place(path, problem) from None


def _make(folder: Path) -> None:
    try:
        folder.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
    except (OSError, ValueError) as problem:  # ValueError: a NUL in the name
        raise _no_place(folder, problem) from None


def _no_place(path: Path, problem: OSError | ValueError) -> NoPlace:
    reason = getattr(problem, "strerror", None) or "no such name is possible"
    return NoPlace(f"The session cannot be written to {path}: {reason}.")


def _in_window(tool: Tool, session: str, folder: str | None) -> Spot:
    """Write as the window's other sessions are written: as logs, unless all are from before VS Code 1.109."""
    if folder is None:
        raise InvalidParams.at("$.folder", "expected the folder with the chats of the window")
    place = Path(folder)
    is_old = place.is_dir() and not any(place.glob("*.jsonl")) and any(place.glob("*.json"))
    _make(place)
    path = place / f"{session}{'.json' if is_old else '.jsonl'}"
    return Spot(
        path, None, lambda contents: as_vscode_session(contents, is_log=not is_old), _resume(tool, session, None)
    )


def _resume(tool: Tool, session: str, folder: str | None) -> Resume:
    command = tuple(part.format(id=session) for part in tool.resumes)
    return Resume(tool.name, session, folder, command or None)


def _project(tool: Tool, folder: str, job: Job) -> Path:
    """Return the folder with the sessions of a folder; a long name ends in a hash, so an existing one is looked for."""
    name, projects = project_name(folder), projects_folder(tool)
    if len(name) <= LONGEST_PROJECT:
        return projects / name
    asked = Params(workspace=Path(folder).as_uri(), tools=(tool.name,), limit=_ASKED)
    for one in sessions(asked, job).sessions:
        found = Path(path_of(one.uri)).parent
        if found.name.startswith(name):
            return found
    raise NoPlace(
        f"The path of this folder is too long to tell where {tool.label} keeps its chats: start one there first."
    )


def _path(uri: str) -> str:
    try:
        return path_of(uri)
    except InvalidParams as problem:
        raise problem.moved("$.folder") from None
