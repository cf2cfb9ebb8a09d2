"""Write a compacted chat into a new file: to hand over, to keep, or for another tool to open."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from compact_chat import resume
from compact_chat.disk import path_of, private_folder, put_new, state_folder
from compact_chat.errors import FileExists, InvalidParams
from compact_chat.operations.job import Job
from compact_chat.operations.kept import find
from compact_chat.operations.original_chat import read_messages
from compact_chat.redact import masked_message, masked_values
from compact_chat.resume import Export, as_anthropic, as_json, as_markdown, session_id
from compact_chat.tools import FORMATS
from compact_chat.wire import Exported, ExportForm

Result = Exported
EXPORTS = "exports"
MOST_OF_ONE = 10_000  # files with one compaction in one form

# The forms that are no tool's own format.
_WRITERS: dict[str, tuple[str, Callable[[Export], str]]] = {
    "markdown": (".md", as_markdown),
    "json": (".json", lambda export: as_json(export, as_anthropic(export.messages))),
}


class Params(Struct, frozen=True, rename={"as_": "as", "compaction_id": "compactionId"}):
    """Which compaction, in which form, and where to."""

    compaction_id: Annotated[str, Meta(description="The id that `summarize` gave, or `history` tells.")]
    as_: Annotated[ExportForm, Meta(description="The form of the file.")]
    uri: Annotated[str | None, Meta(description="The new file; without it a new name in the state folder.")] = None


def run(asked: Params, job: Job) -> Exported:
    """Write the file; one that is there is never overwritten."""
    job.step("Looking into the archive")
    export = _without_secrets(asked.compaction_id, job)
    form = FORMATS[asked.as_].export if asked.as_ in FORMATS else None
    suffix, write = (form.ending, getattr(resume, form.writer)) if form else _WRITERS[asked.as_]
    data = write(export).encode(errors="surrogatepass")
    if asked.uri is not None:
        path = Path(path_of(asked.uri))
        _write(path, data)
    else:
        stem = session_id(export) if form and form.named_by_session else asked.compaction_id
        path = _write_in_our_folder(asked.as_, stem, suffix, data)
    return Exported(path.absolute().as_uri(), len(data))


def _without_secrets(compaction_id: str, job: Job) -> Export:
    entry, body = find(compaction_id, job.client)
    head, clean = entry.head, job.client.redactor()
    return Export(
        messages=tuple(masked_message(message, clean) for message in read_messages(body.messages)),
        compaction=masked_values(body.compaction, clean),
        at=head.at,
        title=clean(head.title or "") or None,
        workspace=head.workspace,
        model=head.chat_model,
        read_files=tuple(map(clean, body.read_files)),
        modified_files=tuple(map(clean, body.modified_files)),
    )


def _write_in_our_folder(form: str, stem: str, suffix: str, data: bytes) -> Path:
    """Write under a new name in our own folder, also if others do so at the same time."""
    state = state_folder()
    if state is None:
        raise InvalidParams.at("$.uri", "expected a file: URI, since this user has no folder for what programs keep")
    folder = state / EXPORTS / form
    for number in range(MOST_OF_ONE):
        path = folder / f"{stem}{f'-{number}' if number else ''}{suffix}"
        with suppress(FileExists):
            _write(path, data, is_ours=True)
            return path
    raise InvalidParams.at("$.uri", "expected a file: URI, since our own folder is full of exports of this compaction")


def _write(path: Path, data: bytes, *, is_ours: bool = False) -> None:
    try:
        if is_ours:
            private_folder(path.parent)
        put_new(path, [data])
    except FileExistsError:
        raise FileExists("There is a file of this name; an export never writes over one.", uri=path.as_uri()) from None
    except (OSError, ValueError) as problem:  # ValueError: a NUL in the name
        raise InvalidParams.at("$.uri", "no file can be written there") from problem
