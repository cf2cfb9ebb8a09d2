"""Carry a plan out: splice the summary in, check that something is won, tell what survived and how to go on."""

from __future__ import annotations

import secrets as randomness
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import UNSET, Struct, structs

from compact_chat.cancel import checkpoint
from compact_chat.chat import JsonObject, Message, Warning, texts
from compact_chat.disk import Body, Head, Record, archive, archive_folder, is_off, known_folders, remember_folder
from compact_chat.errors import CompactChatError, NoGain, PlanOutdated
from compact_chat.facts import collect, file_records, survival
from compact_chat.operations.compaction import Draft, Outcome, one_request, opening_of, outcome, room_for_kept
from compact_chat.operations.desk import Desk, RememberedUndo
from compact_chat.operations.originals import Origin, bytes_of, kept_origin, marks_of, message_mark, read_messages
from compact_chat.operations.titles import clean_title
from compact_chat.operations.writing import Written, is_over_budget, remarks
from compact_chat.plan import find_exchanges, find_marks
from compact_chat.prompt import skipped
from compact_chat.redact import Redactor
from compact_chat.resume import as_anthropic, as_openai_chat, as_openai_responses, kind_text, write_continuation
from compact_chat.tools import api_of
from compact_chat.wire import Compaction, ContinuationOptions, Counts, Survival

# Keep a compaction with the original of its chat, so that it can be undone, exported and found again.


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
    desk.undo.keep(RememberedUndo(structs.replace(record, body=body), held))


def _record(
    made: Draft, done: Compaction, messages: list[JsonObject], desk: Desk, origin: Origin, folder: Path | None
) -> Record:
    place = archive.original_path(folder, origin.sha256).as_uri() if folder else None
    bare = structs.replace(done, archive=place, messages=UNSET, prompt=UNSET, raw=UNSET)
    files = file_records(made.masked)
    body = Body(msgspec.to_builtins(bare), messages, files.read, files.modified)
    return Record(_head(made, done, messages, desk, origin), body)


def _head(made: Draft, done: Compaction, messages: list[JsonObject], desk: Desk, origin: Origin) -> Head:
    clean = Redactor(desk.settings.redact_emails, desk.settings.redact, desk.secrets)
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
        marks=marks_of(done.summary, done.continuation, read_messages(messages), clean),
        dropped={message.id: message_mark(message) for message in _dropped(made)},
    )


def _dropped(made: Draft) -> list[Message]:
    """What the user dropped, which rules may leave out as well."""
    messages = made.chat.messages
    if not made.options.drop:
        return []
    exchanges = find_exchanges(messages, made.chat.links)
    return [messages[index] for index in sorted(find_marks(messages, made.options, exchanges).drops)]


def _once(data: bytes) -> Iterator[bytes]:
    yield data


def _not_archived(problem: BaseException | None) -> Warning:
    cause = problem.strerror if isinstance(problem, OSError) and problem.strerror else "there is no place for it"
    return Warning("notArchived", f"The original was not archived ({cause}); this server remembers it while it runs.")


# Carry a plan out: splice the summary in, check that something is won, tell what survived and how to go on.


class Wanted(Struct, frozen=True):
    """What the caller wants beside the compaction."""

    include: frozenset[str]
    messages_as: Literal["anthropic", "openai-chat"] | None


def finish(made: Draft, written: Written, wanted: Wanted, desk: Desk) -> Compaction:
    """Give the finished compaction, unless nothing would be won."""
    made.work.step("Putting the summary in place")
    result = outcome(made, written.summary, desk)
    if result.tokens >= made.most:
        raise NoGain("The result would not be smaller than the chat; nothing was changed.")
    survived = _survival(made, written, result)
    return Compaction(
        compaction_id=randomness.token_hex(16),
        plan_id=made.id,
        provider=written.provider,
        model=written.model,
        style=made.options.style,
        summary=written.summary.text if written.summary else "",
        sections=written.summary.sections if written.summary else None,
        continuation=made.clean(_continuation(made, written, opening_of(made, desk))),
        before=made.measured.meter.used,
        after=result.tokens,
        counts=_counts(made, result),
        survival=survived,
        warnings=(*made.chat.warnings, *written.warnings, *remarks(made, written, result, survived)),
        attempts=written.attempts,
        usage=written.usage,
        archive=None,
        messages=_messages(made, result, wanted) if "messages" in wanted.include else UNSET,
        prompt=_prompt(made, desk) if "prompt" in wanted.include else UNSET,
        raw=made.clean(written.raw) if "raw" in wanted.include else UNSET,
    )


def next_chat(made: Draft, written: Written, desk: Desk) -> list[JsonObject]:
    """Give the resulting chat in one shape for all, to be kept beside the original."""
    return as_anthropic(outcome(made, written.summary, desk).messages, use_raw=False, foreign=True)


def _continuation(made: Draft, written: Written, opening: ContinuationOptions) -> str:
    """Write the message of the next chat; where rules cut the chat, there is no more to say than the kind's text."""
    plan = made.plan
    if written.summary is None:
        return kind_text(opening, kept=True) if opening.kind else ""
    kept = made.without_secrets((*plan.head, *plan.tail))
    room = room_for_kept(made, written.summary)
    return write_continuation(written.summary, kept, opening, direction=plan.direction, room=room)


def _counts(made: Draft, result: Outcome) -> Counts:
    plan, used = made.plan, made.measured.meter.used
    return Counts(
        before=len(plan.fates),
        after=len(result.messages) if plan.action == "compact" else len(plan.fates) - plan.dropped,
        summarized=len(plan.summarized),
        pruned=plan.pruned,
        dropped=plan.dropped,
        chars_pruned=plan.chars_removed,
        tokens_saved=used - result.tokens,
        skipped=skipped(plan.summarized),
        fixed=made.measured.meter.fixed,
        over_budget=is_over_budget(made, result),
    )


def _survival(made: Draft, written: Written, result: Outcome) -> Survival:
    """Look for what the chat holds in the summary and in the messages that stay."""
    stay = "\n".join(text for message in result.messages for text in texts(message))
    facts = collect(made.masked, checkpoint)
    return survival(facts, f"{written.summary.text if written.summary else ''}\n{made.clean(stay)}", made.clean)


def _messages(made: Draft, result: Outcome, wanted: Wanted) -> list[JsonObject]:
    """Give the resulting chat in the caller's own shape, or the one asked for."""
    messages, own = result.to_send, api_of(made.chat.format)
    shape = wanted.messages_as or own
    if shape == "openai-responses":
        return as_openai_responses(messages, use_raw=True)
    if shape == "openai-chat":
        return as_openai_chat(messages, use_raw=own == shape, foreign=own != shape)
    return as_anthropic(messages, use_raw=own == "anthropic", foreign=own != "anthropic")


def _prompt(made: Draft, desk: Desk) -> JsonObject:
    """Give what a model would have been sent; rules alone need none."""
    if made.plan.action != "compact":
        return {"system": None, "messages": []}
    request = one_request(made, desk)
    return {"system": request.system or None, "messages": [{"role": "user", "content": request.message}]}
