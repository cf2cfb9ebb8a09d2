"""Past compactions: list them, restore an original, export a compacted chat, also to where its tool opens it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import UNSET, Meta, Struct, structs

from compact_chat import disk, resume
from compact_chat.convert import convert
from compact_chat.errors import ChatUnreadable, FileExists, InvalidParams, NoPlace, checkpoint
from compact_chat.operations.archives import ArchiveEntry, entries, find, masked_result, messages_in
from compact_chat.operations.chats import shown_title
from compact_chat.operations.job import Job
from compact_chat.read import Source, read_chat
from compact_chat.resume import Export, as_anthropic, as_json, as_markdown, as_vscode_session
from compact_chat.tools import FORMATS, Tool, api_of, tool_named, tool_of
from compact_chat.wire import Compaction, Count, Exported, ExportForm, History, Past, Restored, Resume

RESTORED, EXPORTS = "restored", "exports"  # folders in the state folder
MOST_OF_ONE = 10_000  # files with one compaction in one form
_OWNER_ONLY = 0o700
_PLAIN = re.compile(r"\w[\w-]{0,99}", re.ASCII)  # ids that are safe in a command
# Export forms that are no tool's own format.
_WRITERS: dict[str, tuple[str, Callable[[Export], str]]] = {
    "markdown": (".md", as_markdown),
    "json": (".json", as_json),
}


class ChatFile(Struct, frozen=True):
    """A chat in a file."""

    uri: str


class HistoryParams(Struct, frozen=True, rename="camel"):
    """Which compactions to list; without params, those of all chats."""

    chat: Annotated[ChatFile | None, Meta(description="Only compactions of this chat.")] = None
    limit: Annotated[Count, Meta(description="The most compactions to list.")] = 50


def history(asked: HistoryParams, job: Job) -> History:
    """List the compactions in the archives, and those that this server remembers."""
    job.step("Looking into the archive")
    with InvalidParams.below("$.chat"):
        path = disk.path_of(asked.chat.uri) if asked.chat else None
    found = []
    for entry in entries(job.client):
        checkpoint()
        with suppress(InvalidParams):  # from another machine, whose archive is in a shared folder
            if path is None or (entry.head.uri is not None and disk.path_of(entry.head.uri) == path):
                found.append(entry.head)
    newest = islice(sorted(found, key=lambda head: head.at, reverse=True), asked.limit)
    return History(
        tuple(
            Past(
                compaction_id=head.id,
                uri=head.uri,
                title=shown_title(head.title, job.client.redactor()),
                at=head.at,
                provider=head.provider,
                model=head.model,
                before=head.before,
                after=head.after,
                kept=head.kept,
                items_kept=head.items and head.items[0],
                items=head.items and head.items[1],
                message=head.message or None,
            )
            for head in newest
        )
    )


class RestoreParams(Struct, frozen=True, rename="camel"):
    """Which compaction to undo, and whether to return it too."""

    compaction_id: Annotated[str, Meta(description="The id that `summarize` gave, or `history` tells.")]
    include: Annotated[tuple[Literal["compaction"], ...], Meta(description="What else to return.")] = ()
    place: Annotated[
        Literal["tool"] | None,
        Meta(description="Where the original should be: where its tool opens it, written there again if it is gone."),
    ] = None
    folder: Annotated[str | None, Meta(description="With `place`, the folder with the chats of a VS Code window.")] = (
        None
    )


def restore(asked: RestoreParams, job: Job) -> Restored:
    """Return the messages, and a copy equal to the original byte for byte; merely looking makes no copy.

    A caller's own messages come back as they were; those of a file or text in the shape of the Anthropic API.
    """
    job.step("Looking into the archive")
    entry, body = find(asked.compaction_id, job.client)
    original, data = entry.head.original, entry.original()
    place = entry.original_path() or (None if asked.include else _copy(original.sha256, data))
    archive = place.as_uri() if place else None
    if original.kind == "messages":
        messages = messages_in(data)
    else:
        chat = entry.original_chat()
        own = api_of(chat.format) == "anthropic"
        sent = [structs.replace(message, parts=message.sent) for message in chat.messages]
        messages = as_anthropic(sent, foreign=not own)
    compaction = _compaction(entry, body, archive, job) if asked.include else UNSET
    resume = UNSET if asked.place is None else _original_in_place(entry.head, data, asked.folder)
    return Restored(messages, entry.head.uri, archive, original.sha256, compaction, resume)


def _compaction(entry: ArchiveEntry, body: disk.Body, archive: str | None, job: Job) -> Compaction:
    """Return the compaction as it was returned then, with the secrets masked that the user masks now; ids stay."""
    try:
        given = convert(job.client.redactor().json(body.compaction), Compaction)
    except msgspec.ValidationError:
        raise ChatUnreadable(
            "What the archive holds of this compaction is damaged, or of another version; summarize the chat again.",
            uri=entry.head.uri,
            format=None,
            line=None,
        ) from None
    return structs.replace(given, compaction_id=entry.head.id, plan_id=entry.head.plan_id, archive=archive)


def _copy(sha256: str, data: bytes) -> Path | None:
    """Write a requested copy of what is not in the archive: into the state folder, else into a new temporary one."""
    for folder_of in (_restored_folder, _temporary_folder):
        with suppress(OSError):
            path = folder_of() / sha256
            disk.put(path, [data])
            return path
    return None


def _restored_folder() -> Path:
    if (state := disk.state_folder()) is None:
        raise FileNotFoundError
    return disk.private_folder(state, RESTORED)


def _temporary_folder() -> Path:
    import tempfile

    return Path(tempfile.mkdtemp(prefix="compact-chat-"))


class ExportParams(Struct, frozen=True, rename={"as_": "as", "compaction_id": "compactionId"}):
    """Which compaction to export, in which form, and where."""

    compaction_id: Annotated[str, Meta(description="The id that `summarize` gave, or `history` tells.")]
    as_: Annotated[ExportForm, Meta(description="The form of the file.")]
    uri: Annotated[str | None, Meta(description="The new file; without it a new name in the state folder.")] = None
    place: Annotated[
        Literal["tool"] | None,
        Meta(description="Put it where the tool opens it, instead of `uri`; one that is already there stays as it is."),
    ] = None
    folder: Annotated[
        str | None,
        Meta(
            description="With `place`: the folder with the chats of a VS Code window, or for Claude Code the folder "
            "to continue in if the chat's own is gone."
        ),
    ] = None


def export(asked: ExportParams, job: Job) -> Exported:
    """Write the file; an existing one is never overwritten."""
    job.step("Looking into the archive")
    entry, body = find(asked.compaction_id, job.client)
    _compaction(entry, body, None, job)  # raises if it is damaged
    head, clean = entry.head, job.client.redactor()
    contents = Export(
        messages=masked_result(body, clean),
        compaction=clean.json(body.compaction),
        at=head.at,
        title=clean(head.title or "") or None,
        workspace=clean(body.workspace or head.workspace or "") or None,
        model=head.chat_model,
        read_files=tuple(map(clean, body.read_files)),
        modified_files=tuple(map(clean, body.modified_files)),
    )
    form = FORMATS[asked.as_].export if asked.as_ in FORMATS else None
    if asked.place is not None:
        return _export_in_place(asked, contents, body.workspace or head.workspace, job)
    suffix, write = (form.ending, getattr(resume, form.writer)) if form else _WRITERS[asked.as_]
    data = write(contents).encode(errors="surrogatepass")
    begun = None if form is None else _measured(data, asked, job)
    if asked.uri is not None:
        path = Path(disk.path_of(asked.uri))
        _write(path, data)
    else:
        stem = contents.session_id if form and form.named_by_session else asked.compaction_id
        path = _write_in_our_folder(asked.as_, stem, suffix, data)
    return Exported(path.absolute().as_uri(), len(data), *(begun or (None, None)))


def _export_in_place(asked: ExportParams, contents: Export, held_in: str | None, job: Job) -> Exported:
    spot = _spot_of(asked.as_, contents.session_id, held_in, asked.folder, job)
    if spot.workspace is not None:
        contents = structs.replace(contents, workspace=spot.workspace)
    data = spot.write(contents).encode(errors="surrogatepass")
    tokens, messages = _measured(data, asked, job)
    _write_once(spot.path, data)
    return Exported(spot.path.as_uri(), spot.path.stat().st_size, tokens, messages, spot.resume)


def _measured(data: bytes, asked: ExportParams, job: Job) -> tuple[int, int]:
    """Return what `countTokens` will say of an exported chat: its tokens and its messages."""
    from compact_chat.operations.count import measure_chat

    chat = read_chat(Source.of_bytes(data, asked.uri or "", {}), asked.as_)
    return measure_chat(chat, job.client.default_options(), job, asked.uri).meter.used, len(chat.messages)


def _write_in_our_folder(form: str, stem: str, suffix: str, data: bytes) -> Path:
    """Write under a new name in the state folder, even if other processes do the same."""
    state = disk.state_folder()
    if state is None:
        raise InvalidParams.at("$.uri", "expected a file: URI, since this user has no folder for what programs keep")
    try:
        folder = disk.private_folder(state, EXPORTS, form)
    except OSError as problem:
        raise InvalidParams.at("$.uri", "expected a file: URI, since our own folder cannot be written to") from problem
    for number in range(MOST_OF_ONE):
        path = folder / f"{stem}{f'-{number}' if number else ''}{suffix}"
        with suppress(FileExists):
            _write(path, data)
            return path
    raise InvalidParams.at("$.uri", "expected a file: URI, since our own folder is full of exports of this compaction")


def _write(path: Path, data: bytes) -> None:
    try:
        disk.put_new(path, [data])
    except FileExistsError:
        raise FileExists("There is a file of this name; an export never writes over one.", uri=path.as_uri()) from None
    except (OSError, ValueError) as problem:  # ValueError: a NUL in the name
        raise InvalidParams.at("$.uri", "no file can be written there") from problem


# Where a tool opens a session again: the place of a compacted copy among its chats, and that of an original.


class Spot(NamedTuple):
    """Where a copy goes, the folder that it continues in, and how it is written and opened."""

    path: Path
    workspace: str | None
    write: Callable[[Export], str]
    resume: Resume


def _spot_of(form: str, session: str, held_in: str | None, folder: str | None, job: Job) -> Spot:
    """Find the place of a new session among those of a tool; raise if that form has none, or nothing says where."""
    row = FORMATS.get(form)
    if row is None or row.export is None:
        raise InvalidParams.at("$.place", "expected a form that a tool opens")
    tool, given = tool_named(tool_of(form)), None if folder is None else _path(folder)
    if not tool.resumes:
        return _in_window(tool, session, given)
    workspace = next(
        (one for one in (disk.workspace_path(held_in), given) if one and one != "/" and Path(one).is_dir()), None
    )
    if workspace is None:
        raise NoPlace(f"Open the folder that the chat is about first: a {tool.label} session belongs to a folder.")
    workspace = os.path.realpath(workspace)
    path = _project(tool, workspace, job) / f"{session}{row.export.ending}"
    return Spot(path, workspace, getattr(resume, row.export.writer), _resume(tool, session, workspace))


def _original_in_place(head: disk.Head, data: bytes, folder: str | None) -> Resume | None:
    """Say how the tool opens the original, which is written again if it is gone; None if it cannot open it here."""
    if head.uri is None or head.original.kind != "file":
        return None
    try:
        path = Path(disk.path_of(head.uri))
    except InvalidParams:  # of another machine
        return None
    tool, workspace = tool_named(head.tool), disk.workspace_path(head.workspace)
    in_window = folder is not None and os.path.realpath(path.parent) == os.path.realpath(_path(folder))
    in_project = bool(
        tool.resumes
        and path.parent.parent == disk.projects_folder(tool)
        and workspace
        and Path(workspace).is_dir()
        and path.parent.name.startswith(disk.project_name(os.path.realpath(workspace)))
    )
    if not (_PLAIN.fullmatch(path.stem) and (in_window or in_project)):
        return None
    _write_once(path, data)
    return _resume(tool, path.stem, None if in_window else workspace)


def _write_once(path: Path, data: bytes) -> None:
    """Write a session for its tool; one that is already there stays as it is, since it may have gone on."""
    try:
        path.parent.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            disk.put_new(path, [data])
    except (OSError, ValueError) as problem:  # ValueError: a NUL in the name
        reason = getattr(problem, "strerror", None) or "no such name is possible"
        raise NoPlace(f"The session cannot be written to {path}: {reason}.") from None


def _in_window(tool: Tool, session: str, folder: str | None) -> Spot:
    """Write as the window's other sessions are written: as logs, unless all are from before VS Code 1.109."""
    if folder is None:
        raise InvalidParams.at("$.folder", "expected the folder with the chats of the window")
    place = Path(folder)
    is_old = place.is_dir() and not any(place.glob("*.jsonl")) and any(place.glob("*.json"))
    path = place / f"{session}{'.json' if is_old else '.jsonl'}"
    return Spot(
        path, None, lambda contents: as_vscode_session(contents, is_log=not is_old), _resume(tool, session, None)
    )


def _resume(tool: Tool, session: str, folder: str | None) -> Resume:
    command = tuple(part.format(id=session) for part in tool.resumes)
    program = shutil.which(command[0]) if command else None
    return Resume(tool.name, session, folder, command or None, bool(program and Path(program).is_absolute()))


def _project(tool: Tool, folder: str, job: Job) -> Path:
    """Return the folder with the sessions of a folder; a long name ends in a hash, so an existing one is looked for."""
    name, projects = disk.project_name(folder), disk.projects_folder(tool)
    if len(name) <= disk.LONGEST_PROJECT:
        return projects / name
    wanted = disk.Wanted((Path(folder).as_uri(),), frozenset((tool.name,)))
    for file, heading in disk.list_chats(wanted, job.client.heads, disk.Scan()):
        held_in, project = disk.workspace_path(heading.workspace), Path(file.path).parent
        if held_in and os.path.realpath(held_in) == folder and project.name.startswith(name):
            return project
    raise NoPlace(
        f"The path of this folder is too long to tell where {tool.label} keeps its chats: start one there first."
    )


def _path(uri: str) -> str:
    with InvalidParams.below("$.folder"):
        return disk.path_of(uri)
