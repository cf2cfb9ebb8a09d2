"""Keep a compaction with the original of its chat, so that it can be undone, exported and found again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import msgspec
from msgspec import UNSET, Struct, structs

from compact_chat.chat import JsonObject, Message, Warning
from compact_chat.disk import archive
from compact_chat.disk.archive_places import archive_folder, is_off, known_folders, remember_folder
from compact_chat.disk.archive_record import Body, Head, Record
from compact_chat.errors import CompactChatError, PlanOutdated
from compact_chat.facts.files import file_records
from compact_chat.facts.told_results import with_told_results
from compact_chat.operations.desk import Desk
from compact_chat.operations.draft import Draft
from compact_chat.operations.marking import marks_of, message_mark, read_messages
from compact_chat.operations.origin import Origin, bytes_of, kept_origin
from compact_chat.operations.titles import clean_title
from compact_chat.operations.undo import Remembered
from compact_chat.plan.exchanges import find_exchanges
from compact_chat.plan.scope import find_marks
from compact_chat.redact import Redactor
from compact_chat.results import Compaction

Originals = Mapping[str, Callable[[], Iterator[bytes]]]


class Stored(Struct, frozen=True):
    """Where the original is kept, or why it is not."""

    archive: str | None
    warnings: tuple[Warning, ...] = ()


def store(made: Draft, done: Compaction, messages: list[JsonObject], desk: Desk, origin: Origin) -> Stored:
    """Keep a compaction, the chat that it made and the bytes that it was made of, as they were read.

    Where they cannot be written, this server alone remembers them; raises PlanOutdated where they are gone.
    """
    if not origin.sha256:
        return Stored(None, (Warning("notArchived", "The original was not archived: it is nested too deeply."),))
    folder = archive_folder(desk.settings.archive, origin.ref.uri)
    record = _record(made, done, messages, desk, origin, folder)
    originals: Originals = {
        origin.sha256: partial(bytes_of, origin),
        **{sha256: partial(_once, origin.beside[name]) for name, sha256 in record.head.original.beside.items()},
    }
    try:
        return _kept(folder, record, originals, desk)
    except (archive.OtherBytes, CompactChatError) as problem:
        raise PlanOutdated("The chat has changed while it was compacted.", reason="chatChanged") from problem


def forget(compaction_id: str, desk: Desk) -> None:
    """Take a compaction back, since nobody will get its id."""
    desk.undo.forget(compaction_id)
    for folder in known_folders(desk.settings.archive):
        with suppress(OSError):
            archive.forget(folder, compaction_id)


def _kept(folder: Path | None, record: Record, originals: Originals, desk: Desk) -> Stored:
    if folder is None:
        _remember(record, originals, desk)
        return Stored(None, () if is_off(desk.settings.archive) else (_not_archived(None),))
    try:
        remember_folder(folder)
        archive.store(folder, record, originals, desk.settings.archive_limit)
    except (OSError, RecursionError) as problem:
        _remember(record, originals, desk)
        return Stored(None, (_not_archived(problem),))
    return Stored(archive.original_path(folder, record.head.original.sha256).as_uri())


def _remember(record: Record, originals: Originals, desk: Desk) -> None:
    held = {sha256: b"".join(archive.checked(blocks(), sha256)) for sha256, blocks in originals.items()}
    body = structs.replace(record.body, compaction={**record.body.compaction, "archive": None})
    desk.undo.keep(Remembered(structs.replace(record, body=body), held))


def _record(
    made: Draft, done: Compaction, messages: list[JsonObject], desk: Desk, origin: Origin, folder: Path | None
) -> Record:
    place = archive.original_path(folder, origin.sha256).as_uri() if folder else None
    bare = structs.replace(done, archive=place, messages=UNSET, prompt=UNSET, raw=UNSET)
    files = file_records(made.masked)
    body = Body(msgspec.to_builtins(bare), messages, files.read, files.modified)
    return Record(_head(made, done, messages, desk, origin), body)


def _head(made: Draft, done: Compaction, messages: list[JsonObject], desk: Desk, origin: Origin) -> Head:
    clean = Redactor(desk.settings.redact_emails, desk.settings.redact, made.work.check, desk.secrets)
    return Head(
        id=done.compaction_id,
        at=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        uri=origin.ref.uri,
        title=clean_title(made.chat.title, desk),
        workspace=made.chat.workspace,
        plan_id=done.plan_id,
        provider=done.provider,
        model=done.model,
        style=done.style,
        chat_model=made.chat.model,
        before=done.before,
        after=done.after,
        kept=done.survival.kept,
        original=kept_origin(origin),
        marks=marks_of(done.summary, done.continuation, read_messages(messages), clean, made.work.watched),
        dropped={message.id: message_mark(message) for message in _dropped(made)},
    )


def _dropped(made: Draft) -> list[Message]:
    """What the user dropped, which rules may leave out as well."""
    messages = made.chat.messages
    if not made.options.drop:
        return []
    exchanges = find_exchanges(tuple(with_told_results(messages)))
    return [messages[index] for index in sorted(find_marks(messages, made.options, exchanges).drops)]


def _once(data: bytes) -> Iterator[bytes]:
    yield data


def _not_archived(problem: BaseException | None) -> Warning:
    cause = problem.strerror if isinstance(problem, OSError) and problem.strerror else "there is no place for it"
    return Warning("notArchived", f"The original was not archived ({cause}); this server remembers it while it runs.")
