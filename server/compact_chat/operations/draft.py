"""A draft: a compaction that a person changes until it is right, one operation for a screen.

Its versions are kept in its compaction's record in the archive, without secrets. Only what cannot be made again is
stored: options, a model's reply, and what a person wrote. Everything shown is made from these and from the original.
"""

from __future__ import annotations

import hashlib
from bisect import bisect, bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from threading import RLock
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import msgspec
from msgspec import Meta, Struct, structs

from compact_chat import wire
from compact_chat.chat import JsonObject, Thinking
from compact_chat.convert import convert
from compact_chat.disk import Body, Head, Record
from compact_chat.errors import (
    ChatUnreadable,
    CompactChatError,
    DraftOutdated,
    InvalidParams,
    NothingToCompact,
    checkpoint,
)
from compact_chat.facts import file_kind, find_steps
from compact_chat.offline import turns_of
from compact_chat.operations import summarize
from compact_chat.operations.archives import (
    ArchiveEntry,
    Stored,
    entries,
    find,
    find_head,
    masked_result,
    not_found,
    store,
)
from compact_chat.operations.chats import wire_time
from compact_chat.operations.compaction import LoadedChat, Planned, check_options, load
from compact_chat.operations.job import Job, Newest
from compact_chat.operations.preview import length_shown, preview_of, share_shown, stops_shown
from compact_chat.operations.table import ChatRef, typed, without_nulls
from compact_chat.prompt import DEFAULT_LIMITS, write_transcript
from compact_chat.styles import STYLES, Summary
from compact_chat.text import KEPT_HEADINGS, line_feeds
from compact_chat.tools import tool_named

if TYPE_CHECKING:
    from compact_chat.operations.job import ClientState

MOST_OPEN = 4  # drafts of a client whose chats stay in memory
ROOM_OPEN = 32 * 2**20  # bytes of their files; a larger single one is kept anyway
MOST_VERSIONS = 50
ROOM_VERSIONS = 2**21  # characters of their texts
_WRITTEN_BY = ("style", "instructions", "record", "immediate_task")  # options that a model's reply depends on
_WITH_FACTS = summarize.Params(include=("facts",))


class Rewrite(Struct, frozen=True, rename="camel"):
    """Who is to write the summary anew."""

    provider: Annotated[wire.Provider | None, Meta(description="Who writes the summary.")] = None


class Params(Struct, frozen=True, rename={"changes": "options", "draft_id": "draftId", "add_back": "addBack"}):
    """A chat to draft a compaction of, or a draft and how to change it."""

    chat: ChatRef | None = None
    draft_id: Annotated[str | None, Meta(description="The draft, by the id of its compaction.")] = None
    version: Annotated[
        wire.Count | None, Meta(description="The version that a change was made on; alone, an older one to go back to.")
    ] = None
    changes: Annotated[dict[str, Any], Meta(description="Only the options to change.", extra={"type": "Options"})] = {}
    add_back: Annotated[
        tuple[str, ...] | None, Meta(description="Ids of facts that the message must hold, whoever writes it.")
    ] = None
    text: Annotated[str | None, Meta(description="The message, as a person wrote it.")] = None
    write: Annotated[Rewrite | None, Meta(description="Write the summary anew.")] = None
    reopen: Annotated[
        bool, Meta(description="Show the chat's draft that was changed last, if the chat has not grown since.")
    ] = False

    @property
    def is_change(self) -> bool:
        """Whether the draft is to be changed."""
        return bool(self.changes) or any(one is not None for one in (self.add_back, self.text, self.write))

    def applied(self, options: JsonObject) -> JsonObject:
        """Return options with the changed ones."""
        added = {} if self.add_back is None else {"addBack": self.add_back}
        with InvalidParams.below("$.options"):
            changed: wire.Options = typed(wire.Options, without_nulls({**options, **self.changes, **added}))
        builtins: JsonObject = msgspec.to_builtins(changed)
        return builtins


async def draft(asked: Params, job: Job) -> wire.Draft:
    """Begin a draft, show it, or change it."""
    if (asked.chat is None) == (asked.draft_id is None):
        raise InvalidParams.at("$", "expected exactly one of chat and draftId")
    if asked.draft_id is None:
        if asked.version is not None:
            raise InvalidParams.at("$.version", "only a draft has versions; give its id in place of the chat")
        return await _begin(asked, job)
    if asked.write is None or asked.write.provider == "offline":
        return await job.off_loop(partial(_change, asked, job))
    made, provider = await job.off_loop(partial(_plan_rewrite, asked, job))
    written = await summarize.write(made, provider, user_initiated=True)
    return await job.off_loop(partial(_change, asked, job, (made, written)))


# What is stored of a draft.


class Edit(Struct, frozen=True):
    """What a person made of a message, which is None where that is not known any more.

    Once facts were added to it, `before` is the message and what the person made of it without them.
    """

    base: str | None
    text: str
    before: tuple[str, str] | None = None


class Version(Struct, frozen=True, rename="camel"):
    """One version: its options, a model's reply if one wrote it, and what a person changed after that."""

    version: int
    at: str
    by: Literal["offline", "model", "edit"]
    options: JsonObject
    provider: str = "offline"
    model: str | None = None
    reply: str | None = None
    attempts: tuple[wire.Attempt, ...] = ()
    usage: wire.TokensSpent | None = None
    edit: Edit | None = None
    tokens: int = 0
    kept: int = 0
    total: int = 0
    message: str = ""  # the fingerprint of what it shows; of a conflict, which has two texts, none
    restored: int | None = None  # the version that it brought back, which brought back none itself

    def written_by(self, written: summarize.Written | None, clean: Any) -> Version:
        """Return the version with another writer; None is the offline one."""
        if written is None or written.provider == "offline":
            attempts = written.attempts if written else ()
            return structs.replace(self, provider="offline", model=None, reply=None, attempts=attempts, usage=None)
        return structs.replace(
            self,
            provider=written.provider,
            model=written.model,
            reply=clean(written.raw),
            attempts=written.attempts,
            usage=written.usage,
        )

    @property
    def room(self) -> int:
        """The characters that it takes."""
        edit = self.edit
        return len(self.reply or "") + (
            sum(map(len, (edit.base or "", edit.text, *(edit.before or ())))) if edit else 0
        )


class Versions(Struct, frozen=True):
    """The versions of a draft, the oldest first."""

    versions: tuple[Version, ...]


def _before(versions: tuple[Version, ...]) -> int | None:
    """Return the version that an undo goes back to: the one before what is shown, however often that was brought back.

    Versions are never removed by going back, so each undo adds one, and the next undo begins where that one came from.
    """
    shown = versions[-1].restored or versions[-1].version
    return max((one.version for one in versions if one.version < shown), default=None)


def _bounded(versions: tuple[Version, ...]) -> tuple[Version, ...]:
    """Drop the oldest versions beyond the limits, those of the offline writer first; never the newest."""
    kept = list(versions)
    while len(kept) > MOST_VERSIONS or (len(kept) > 1 and sum(one.room for one in kept) > ROOM_VERSIONS):
        is_full = len(kept) > MOST_VERSIONS
        kept.pop(next((n for n, one in enumerate(kept[:-1]) if is_full and one.by == "offline"), 0))
    return tuple(kept)


# What a version comes to.


class Composed(Struct, frozen=True):
    """A version, with all that was made of it; `generated` is its message without what a person changed."""

    version: Version
    made: Planned
    written: summarize.Written
    generated: str
    done: wire.Compaction
    conflict: str | None = None


def _compose(
    loaded: LoadedChat,
    version: Version,
    job: Job,
    *,
    before: Planned | None = None,
    draft_id: str = "",
    asked: Params | None = None,
    last: Planned | None = None,
) -> Composed:
    """Write a version's message; a model's reply stays if the plan of `before`, which it was written for, allows it.

    A person's text is merged. Where what is `asked` changes only facts, it stays, with these added or removed: those
    that the plan of the version before, `last`, did not name, or all if it named the same.
    """
    made = _planned(loaded, version, job)
    if version.reply is not None and before and not _covers(version, version.reply, before, made):
        version = version.written_by(None, made.clean)
    written = _written(version, made)
    generated = made.next_chat(written.summary).continuation
    edit, conflict = version.edit, None
    if edit is not None:
        base = generated if edit.base is None else edit.base
        adds = asked is not None and asked.add_back is not None
        stays = asked is not None and adds and not asked.changes and asked.write is None
        before_facts, is_same = edit.before, stays or base == generated
        own = (base, edit.text) if is_same or not before_facts else before_facts
        merged = merge(generated if stays else own[0], own[1], generated) if written.summary else None
        if merged is not None and (adds or not is_same):
            now, named = {*made.add_back}, {*last.add_back} if last else set[str]()
            new = now if now == named or own == before_facts else now - named
            merged = made.with_added(merged, new if adds or before_facts else (), named - now if stays else ())
        if stays:
            before_facts = before_facts or (base, edit.text)
        if merged is None:
            conflict = edit.text  # to be merged again after the next change
        elif merged == generated:
            edit = None
        else:
            edit, written = (
                Edit(generated, merged, before_facts if is_same else None),
                _edited(made, written, generated, merged),
            )
    done = summarize.finish(made, written, _WITH_FACTS, any_size=edit is not None or _is_by_tool(version, made))
    opened = made.next_chat(written.summary).sizes.continuation
    kept, total = done.survival.items
    version = structs.replace(
        version,
        edit=edit,
        tokens=opened.tokens - opened.fixed if opened else done.after,
        kept=kept,
        total=total,
        message="" if conflict else _fingerprint(done.continuation),
    )
    done = structs.replace(done, compaction_id=draft_id or done.compaction_id)
    return Composed(version, made, written, generated, done, conflict)


def _planned(loaded: LoadedChat, version: Version, job: Job) -> Planned:
    options = convert(version.options, wire.Options)
    check_options(options, job)
    made = Planned(loaded, options, job)
    if made.plan.action == "none":
        raise NothingToCompact(made.plan.reason)
    return made


def _written(version: Version, made: Planned) -> summarize.Written:
    if made.plan.action != "compact":
        return summarize.Written(None, "", "none")
    if version.reply is None:
        return summarize.written_offline(made)
    if _is_by_tool(version, made):
        summary = Summary(made.style, version.reply, given={}).masked(made.clean)  # as it is, whatever its headings
        summary = made.completed(summary, by_model=False)
        made.next_chat(summary, made.clean(summary.text))  # with no title or closing of ours around it
        return summarize.Written(summary, version.reply, version.provider)
    again = summarize.written_again(made, version.reply, version.model)
    return structs.replace(again, provider=version.provider, attempts=version.attempts, usage=version.usage)


def _is_by_tool(version: Version, made: Planned) -> bool:
    return version.reply is not None and version.provider == made.chat.tool


def _covers(version: Version, reply: str, before: Planned, made: Planned) -> bool:
    """Whether a reply still fits: asked for in the same way, and for all that is summarized now.

    The chat's own tool wrote its text at one length; at another length we write a text.
    """
    one, other = before.options, made.options
    if _is_by_tool(version, made) and (one.summary_budget, one.length) != (other.summary_budget, other.length):
        return False
    if any(getattr(one, name) != getattr(other, name) for name in _WRITTEN_BY):
        return False
    is_shorter = made.summary_budget < made.tokens_of(reply)
    if one.summary_budget != other.summary_budget and is_shorter:  # in a longer text there is room for more facts
        return False
    known = {message.id for message in before.summarized}
    dropped = {made.chat.messages[place].id for place in made.plan.drops}
    return made.plan.action == "compact" and {one.id for one in made.summarized} <= known and not dropped & known


def _edited(made: Planned, written: summarize.Written, generated: str, text: str) -> summarize.Written:
    """Put a person's text in place of the message, and what it says in place of the summary."""
    assert written.summary, "a message without a summary is never merged"
    words, own = written.summary.text.strip(), text
    start = generated.find(words)
    head, tail = generated[: max(0, start)], generated[start + len(words) :] if start >= 0 else ""
    if start >= 0 and text.startswith(head) and text.endswith(tail) and len(text) > len(head) + len(tail):
        own = text[len(head) : len(text) - len(tail)]
    elif start < 0:  # a pinned message is in the middle of it
        own = merge(generated, text, words) or text
    summary = written.summary.with_text(own).masked(made.clean)
    made.next_chat(summary, made.clean(text))
    return structs.replace(written, summary=summary)


# How an edit is carried over to a new text: a three-way merge by lines.

_Change = tuple[int, int, Sequence[str]]  # lines of the new text from one place to another, and what replaces them


def merge(base: str, mine: str, theirs: str) -> str | None:
    """Apply to `theirs` what turned `base` into `mine`; None if a changed line is no longer there.

    Lines that were only added stay next to their neighbors or, without these, at the end of their section.
    """
    if base in (mine, theirs):
        return theirs if mine == base else mine
    old, own, new = (text.split("\n") for text in (base, mine, theirs))
    texts = _Texts(old, new)
    changes = list[_Change]()
    for start, end, lines in _changes(old, own):
        checkpoint()
        place = texts.place_of(start, end)
        if place is None:
            if lines or any(old[line].strip() and line in texts.places for line in range(start, end)):
                return None
            continue  # deleted in both
        changes.append((*place, lines))
    merged, at = list[str](), 0
    for begin, stop, lines in changes:
        if begin < at:
            return None
        merged += [*new[at:begin], *lines]
        at = stop
    return "\n".join([*merged, *new[at:]])


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[_Change]:
    """Yield what changed."""
    start, begin = 0, 0
    for line, place in (*_pairs(old, new), (len(old), len(new))):
        if (line, place) != (start, begin):
            yield start, line, new[begin:place]
        start, begin = line + 1, place + 1


def _pairs(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pair the lines that two texts have in common, in order: those that occur once, and equal ones next to these."""
    first, last = _common(old, new)
    yield from ((index, index) for index in range(first))
    start, begin = first, first
    ends = len(old) - last, len(new) - last
    for line, place in (*_anchors(old, new, first, *ends), ends):
        checkpoint()
        gap, other = old[start:line], new[begin:place]
        front, back = _common(gap, other)
        yield from ((start + n, begin + n) for n in range(front))
        yield from ((line - n, place - n) for n in range(back, 0, -1))
        if line < ends[0]:
            yield line, place
        start, begin = line + 1, place + 1
    yield from ((len(old) - n, len(new) - n) for n in range(last, 0, -1))


def _anchors(old: Sequence[str], new: Sequence[str], first: int, stop: int, end: int) -> list[tuple[int, int]]:
    """Pair as many lines as possible, in order, of those that both texts have once and that are not blank."""
    often, there = Counter(old[first:stop]), Counter(new[first:end])
    where = {new[place]: place for place in range(first, end) if new[place].strip() and there[new[place]] == 1}
    chain = list[tuple[int, int, int]]()  # a line, its place, and the pair before it
    tails, newest = list[int](), list[int]()  # of the chains of each length, the one that ends first: place and pair
    for line in range(first, stop):
        place = where.get(old[line]) if often[old[line]] == 1 else None
        if place is None:
            continue
        length = bisect_left(tails, place)
        tails[length : length + 1], newest[length : length + 1] = [place], [len(chain)]
        chain.append((line, place, newest[length - 1] if length else -1))
    found, at = list[tuple[int, int]](), newest[-1] if newest else -1
    while at >= 0:
        line, place, at = chain[at]
        found.append((line, place))
    return found[::-1]


def _common(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """Count the lines that two texts begin with in common, and of the rest those that they end with."""
    most = min(len(one), len(other))
    first = next((n for n in range(most) if one[n] != other[n]), most)
    last = next((n for n in range(most - first) if one[-1 - n] != other[-1 - n]), most - first)
    return first, last


class _Texts:
    """An old text and a new one, where the lines of the old one are in the new one, and both texts' sections."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        self._old, self._new = old, new
        self.places: Mapping[int, int] = dict(_pairs(old, new))
        self._headings = [line for line, text in enumerate(old) if text.startswith("#")]
        self._ends, heading = dict[int, int](), -1  # behind the last text of each section of the new one
        for place, text in enumerate(new):
            heading = place if text.startswith("#") else heading
            if text.strip():
                self._ends[heading] = place + 1

    def place_of(self, start: int, end: int) -> tuple[int, int] | None:
        """Return where the new text has these lines or, for an insertion, where it goes."""
        old, new, places = self._old, self._new, self.places
        if start < end:
            found = [places.get(index) for index in range(start, end)]
            at = found[0]
            return (at, at + len(found)) if at is not None and found == list(range(at, at + len(found))) else None
        before = next((index for index in range(start - 1, -1, -1) if old[index].strip()), -1)
        behind = next((index for index in range(start, len(old)) if old[index].strip()), len(old))
        if before < 0:
            return (0, 0) if places else None
        if before in places:
            at = places[before] + 1
            while at < len(new) and at - places[before] < start - before and not new[at].strip():
                at += 1
            return at, at
        if behind in places:
            return places[behind], places[behind]
        section = bisect(self._headings, before)
        heading = places.get(self._headings[section - 1]) if section else None
        return None if heading is None else (self._ends[heading], self._ends[heading])


# Drafts in use.


class OpenDraft:
    """A draft in memory: its chat, its versions, and what the newest one comes to, once that was asked for."""

    def __init__(self, draft_id: str, loaded: LoadedChat, versions: tuple[Version, ...], stored: int) -> None:
        self.id, self.loaded, self.versions = draft_id, loaded, versions
        self.stored = stored  # the newest version in the archive; 0 for a compaction that was no draft so far
        self.archive: str | None = None  # where the original is
        self.composed: Composed | None = None
        self.lock = RLock()

    @property
    def newest(self) -> Version:
        """The version that is shown."""
        return self.versions[-1]

    def version(self, number: int | None) -> Version | None:
        """Return the version of a number, if it is still kept."""
        return next((one for one in self.versions if one.version == number), None)

    def current(self, job: Job) -> Composed:
        """Return what the newest version comes to."""
        if self.composed is None:
            composed = _compose(self.loaded, self.newest, job, draft_id=self.id)
            self.composed = structs.replace(composed, done=structs.replace(composed.done, archive=self.archive))
            # The sizes of one that was no draft so far were not known.
            self.versions = (*self.versions[:-1], composed.version)
        return self.composed


class Drafts(Newest[OpenDraft]):
    """The drafts that a client used last, in bounded memory."""

    def __init__(self) -> None:
        super().__init__(MOST_OPEN, ROOM_OPEN)

    def get(self, draft_id: str, client: ClientState, original: LoadedChat | None = None) -> OpenDraft:
        """Return a draft as the archive has it now; raise CompactionNotFound without one."""
        entry = find_head(draft_id, client)
        draft_id = entry.head.id
        known = self.named(draft_id)
        if known is None or known.stored != entry.head.draft:
            entry, body = find(draft_id, client)
            versions = _versions_of(entry, body, client)
            if known:
                original = known.loaded
            elif original is None:
                given = entry.original_bytes()
                original = LoadedChat(given.ref, entry.original_chat(), (), given, entry)
            known = OpenDraft(draft_id, original, versions, entry.head.draft)
            place, note = entry.original_path(), entry.head.original
            known.archive = place.as_uri() if place else entry.head.uri if note.in_place else None
        self.add(known)
        return known

    def add(self, one: OpenDraft) -> None:
        """Keep a draft as the one used last."""
        self.keep(one.id, one, one.loaded.chat_bytes.size if one.loaded.chat_bytes else 0)


def _versions_of(entry: ArchiveEntry, body: Body, client: ClientState) -> tuple[Version, ...]:
    """Return the versions of a draft; a compaction that was none so far is one with its text as the only version."""
    if body.draft is not None:
        with suppress(msgspec.ValidationError):
            return convert(body.draft, Versions).versions
        raise ChatUnreadable("What the archive holds of this draft is damaged.", uri=None, format=None, line=None)
    if not entry.head.style:
        return (_by_tool(entry, body, client),)
    done, options = body.compaction, body.options or {"style": entry.head.style}
    is_reply = entry.head.provider not in ("offline", "none")
    text = str(done.get("continuation") or "")
    return (
        Version(
            version=1,
            at=entry.head.at,
            by="model" if is_reply else "offline",
            options=options,
            provider=entry.head.provider,
            model=entry.head.model,
            reply=str(done.get("summary")) if is_reply else None,
            edit=Edit(None, text) if text else None,
        ),
    )


def _by_tool(entry: ArchiveEntry, body: Body, client: ClientState) -> Version:
    """Return what the chat's own tool made of it: its summary, and the messages that it kept, with nothing of ours."""
    clean, head = client.redactor(), entry.head
    summary = str(body.compaction.get("summary") or "").strip()
    if not summary:
        raise NothingToCompact("Only the original of this compaction is kept, not its summary; draft the chat instead.")
    kept = [one for one in masked_result(body, clean) if summary not in one.text]
    text = write_transcript(kept)
    options = structs.replace(
        client.default_options(),
        style=next(style.name for style in STYLES.values() if style.by_turn),
        strategy="summary",
        min_keep=0,
        keep_recent_tokens=0,
        length=wire.Options().length,  # another one, also in the same command, asks for a text of ours
        summary_budget=None,
    )
    return Version(
        version=1,
        at=head.at,
        by="model",
        options=msgspec.to_builtins(options),
        provider=head.tool,
        model=tool_named(head.tool).label,
        reply=clean("\n\n".join((summary, KEPT_HEADINGS[0], text) if text else (summary,))),
    )


# Begin, show and change.


async def _begin(asked: Params, job: Job) -> wire.Draft:
    """Draft a compaction, and archive it; one that is there already is the draft."""
    assert asked.chat, "a draft begins with a chat"
    options = asked.applied(msgspec.to_builtins(job.client.default_options()))
    loaded = await job.off_loop(partial(load, asked.chat, job, keep=True))
    if asked.reopen and (known := await job.off_loop(partial(_reopened, loaded, job))):
        return known
    version = Version(1, wire_time(), "offline", options)
    if asked.write is not None and asked.write.provider != "offline":
        made = await job.off_loop(partial(_plan, loaded, version, job))
        written = await summarize.write(made, _provider(asked, job), user_initiated=True)
        version = version.written_by(written, made.clean)
    opened, composed, shown = await job.off_loop(partial(_opened, loaded, version, asked, job))
    changed = await job.off_loop(lambda: _changed(loaded, job))  # before it is stored: a cancellation would leave it
    stored = await summarize.kept_or_removed(job, opened.id, lambda: _store(opened, composed, job))
    if changed and changed.draft_id == stored.id:
        changed = None
    if stored.id != opened.id:
        shown = await job.off_loop(lambda: _shown(job.client.drafts.get(stored.id, job.client, loaded), job))
        return structs.replace(shown, changed=changed)
    warnings = (*composed.done.warnings, *stored.warnings)
    done = structs.replace(composed.done, archive=stored.archive, warnings=warnings)
    opened.composed, opened.archive = structs.replace(composed, done=done), stored.archive
    job.client.drafts.add(opened)
    return structs.replace(shown, compaction=done, changed=changed)


def _reopened(loaded: LoadedChat, job: Job) -> wire.Draft | None:
    """Show the draft of a chat that was changed last; None if there is none, or the chat has grown since."""
    if changed := _changed(loaded, job):
        with suppress(CompactChatError):  # then a new one is begun
            opened = job.client.drafts.get(changed.draft_id, job.client)
            if len(opened.loaded.chat.messages) == len(loaded.chat.messages):
                return _shown(opened, job)
    return None


def _changed(loaded: LoadedChat, job: Job) -> wire.ChangedDraft | None:
    """Find the draft of the same chat, as it is or was, that was changed last."""
    given = loaded.chat_bytes
    assert given, "a draft keeps the chat's bytes"
    heads = (
        entry.head
        for entry in entries(job.client)
        if entry.head.draft > 1
        and (entry.head.uri == given.ref.uri if given.ref.uri else entry.head.original.sha256 == given.sha256)
    )
    last = max(heads, key=lambda head: head.changed or head.at, default=None)
    return wire.ChangedDraft(last.id, last.draft, last.at) if last else None


def _opened(loaded: LoadedChat, version: Version, asked: Params, job: Job) -> tuple[OpenDraft, Composed, wire.Draft]:
    composed, text, add_back = _compose(loaded, version, job), asked.text, asked.add_back
    opened = OpenDraft(composed.done.compaction_id, loaded, (), 0)
    if text is not None:
        version = structs.replace(version, edit=_edit_of(text, composed))
        begun = Params(add_back=add_back) if add_back else None
        composed = _compose(loaded, version, job, draft_id=opened.id, asked=begun)
    composed = _dated(composed, 1, edited=text is not None)
    opened.versions, opened.stored = (composed.version,), 1
    return opened, composed, _screen(opened, composed, opened.versions)


def _plan(loaded: LoadedChat, version: Version, job: Job) -> Planned:
    """Plan what a model is to write, on a chat of its own: the draft may be changed meanwhile."""
    again = LoadedChat(loaded.ref, loaded.chat, loaded.segments, loaded.chat_bytes, loaded.entry)
    made = _planned(again, version, job)
    if made.plan.action != "compact":
        raise InvalidParams.at("$.write", "this plan needs no summary, so there is nothing to write")
    return made


def _provider(asked: Params, job: Job) -> wire.Provider:
    return (asked.write and asked.write.provider) or job.client.settings.provider


def _plan_rewrite(asked: Params, job: Job) -> tuple[Planned, wire.Provider]:
    """Plan what a model is to write for the draft as it is."""
    opened = job.client.drafts.get(asked.draft_id or "", job.client)
    with opened.lock:
        _check_version(asked, opened, job)
        version = structs.replace(opened.newest, options=asked.applied(opened.newest.options))
    return _plan(opened.loaded, version, job), _provider(asked, job)


def _change(asked: Params, job: Job, rewritten: tuple[Planned, summarize.Written] | None = None) -> wire.Draft:
    """Show a draft after a change, if any is asked for.

    A draft that was changed while a model wrote gets its reply, if that still fits.
    """
    opened = job.client.drafts.get(asked.draft_id or "", job.client)
    with opened.lock:
        if asked.is_change and rewritten is None:
            _check_version(asked, opened, job)
        current, last = opened.current(job), opened.newest  # whose edit is known to be one, or not
        wanted = _wanted(asked, opened)
        if wanted == last:
            return _shown(opened, job)
        if wanted is not None:
            wanted = structs.replace(wanted, restored=wanted.restored or wanted.version)
            again = _compose(opened.loaded, wanted, job, draft_id=opened.id)
            return _take(opened, _dated(again, last.version + 1), job)
        version = structs.replace(current.version, options=asked.applied(last.options), restored=None)
        if asked.text is not None:
            version = structs.replace(version, edit=_edit_of(asked.text, current))
        before = current.made
        if rewritten is not None:
            before, written = rewritten
            version = version.written_by(written, before.clean)
        elif asked.write is not None:
            version = version.written_by(None, before.clean)
        on_shown = current.conflict is None or asked.text is not None  # else the text on the screen is not the person's
        composed = _compose(
            opened.loaded,
            version,
            job,
            before=before,
            draft_id=opened.id,
            asked=asked if on_shown else None,
            last=current.made,
        )
        if rewritten and composed.version.reply != version.reply:
            _refuse(opened, job)
        return _take(opened, _dated(composed, last.version + 1, edited=asked.text is not None), job)


def _wanted(asked: Params, opened: OpenDraft) -> Version | None:
    """Return the version that is asked for: by its number or, as after an undo, by its text; None for a new one."""
    if not asked.is_change:
        found = opened.version(opened.newest.version if asked.version is None else asked.version)
        if found is None:
            raise InvalidParams.at("$.version", "this draft has no such version, or not any more")
        return found
    if asked.text is None or asked.changes or asked.add_back is not None or asked.write:
        return None
    message = _fingerprint(asked.text)
    return next((one for one in reversed(opened.versions) if one.message == message), None)


def _check_version(asked: Params, opened: OpenDraft, job: Job) -> None:
    """Refuse a change of an older version, unless it is one of its text, which is still the same."""
    if asked.version not in (None, opened.newest.version):
        opened.current(job)
        known = opened.version(asked.version)
        if asked.text is None or not known or not known.message or known.message != opened.newest.message:
            _refuse(opened, job)


def _refuse(opened: OpenDraft, job: Job) -> NoReturn:
    """Refuse a change of a version that is not the newest, with the draft as it is."""
    raise DraftOutdated(
        "The draft has changed since then; look at it as it is now, and change that.",
        draft=msgspec.to_builtins(_shown(opened, job)),
    )


def _edit_of(text: str, current: Composed) -> Edit | None:
    """Return what a person made of the message, without secrets; None if it is as it was written.

    Blanks at the ends of lines and of the text do not count: editors remove and add them when they save.
    """
    if not text.strip():
        raise InvalidParams.at("$.text", "expected some text")
    if current.written.summary is None:
        raise InvalidParams.at("$.text", "this plan writes no message, so there is none to edit")
    clean, words = current.made.clean, line_feeds(text)
    if _bare(words) == _bare(current.generated):
        return None
    edit = current.version.edit
    if edit and not current.conflict and _bare(words) == _bare(edit.text):
        return edit
    clean.learn((), [words])
    return Edit(current.generated, clean(words))


def _fingerprint(message: str) -> str:
    return hashlib.sha256(_bare(line_feeds(message)).encode(errors="surrogatepass")).hexdigest()


def _bare(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.split("\n")).rstrip()


def _dated(composed: Composed, number: int, *, edited: bool = False) -> Composed:
    version = composed.version
    by: Literal["offline", "model", "edit"] = "offline" if version.reply is None else "model"
    by = "edit" if edited and version.edit else by
    options = summarize.stored_options(composed.made)
    return structs.replace(
        composed, version=structs.replace(version, version=number, at=wire_time(), by=by, options=options)
    )


def _take(opened: OpenDraft, composed: Composed, job: Job) -> wire.Draft:
    """Store a new version, unless another client was faster, and show it."""
    client = job.client
    entry = find_head(opened.id, client)
    composed = structs.replace(composed, done=structs.replace(composed.done, archive=opened.archive))
    versions = _bounded((*opened.versions, composed.version))
    head, body = _record(opened.id, composed, versions, entry.head.at)
    before = (*entry.head.openings, entry.head.marks.opening if entry.head.marks else None)
    openings = dict.fromkeys(one for one in before if one and not (head.marks and one == head.marks.opening))
    head = structs.replace(head, openings=tuple(openings)[-MOST_VERSIONS:], original=entry.head.original)
    shown = _screen(opened, composed, versions)
    job.check()  # the last time: from here on the change is made
    found = entry.archive.exchange(Record(head, body), opened.stored, client.settings.archive_limit)
    if found is None:
        raise not_found(opened.id, client)
    if found is not head:
        _refuse(client.drafts.get(opened.id, client), job)
    opened.versions, opened.composed, opened.stored = versions, composed, head.draft
    client.plans.remember(composed.made.id, composed.made.request)
    return shown


def _store(opened: OpenDraft, composed: Composed, job: Job) -> Stored:
    """Store a new draft with its original."""
    assert opened.loaded.chat_bytes, "a draft keeps the chat's bytes"
    head, body = _record(opened.id, composed, opened.versions, composed.version.at)
    stored = store(head, body, opened.loaded.chat_bytes, job.client)
    job.client.plans.remember(composed.made.id, composed.made.request)
    return stored


def _record(draft_id: str, composed: Composed, versions: tuple[Version, ...], at: str) -> tuple[Head, Body]:
    done = structs.replace(composed.done, survival=structs.replace(composed.done.survival, facts=msgspec.UNSET))
    head, body = summarize.head_and_body(composed.made, composed.written, done)
    head = structs.replace(head, id=draft_id, at=at, draft=composed.version.version, changed=composed.version.at)
    return head, structs.replace(body, draft=msgspec.to_builtins(Versions(versions)))


def _shown(opened: OpenDraft, job: Job) -> wire.Draft:
    """Return a draft as it is, with all that a screen shows."""
    with opened.lock:
        composed = opened.current(job)
    return _screen(opened, composed, opened.versions)


def _screen(opened: OpenDraft, composed: Composed, versions: tuple[Version, ...]) -> wire.Draft:
    """Return what a screen shows of a version."""
    made, version = composed.made, composed.version
    turns, preview = _turns(made), preview_of(made, None, _lengths(made))
    return wire.Draft(
        draft_id=opened.id,
        version=version.version,
        versions=tuple(
            wire.DraftVersion(one.version, one.at, one.by, one.model, one.tokens, one.kept, one.total)
            for one in versions
        ),
        undo=_before(versions),
        uri=opened.loaded.ref.uri or None,
        options=made.options,
        add_back=made.add_back if made.options.add_back else (),
        report=opened.loaded.once("report", made.counted_by, lambda: summarize.report_of(made)),
        preview=preview,
        compaction=composed.done,
        edited=version.edit is not None and composed.conflict is None,
        conflict=None if composed.conflict is None else wire.Conflict(composed.conflict),
        turns=turns,
        strip=tuple(_strip(made, preview.messages, turns, composed.done.survival)),
    )


def _turns(made: Planned) -> dict[str, int]:
    """Map each message to the turn that the hand-over counts it to; a summary goes on with the turn before it."""
    turns, last = turns_of(made.record.facts), 0
    for message in made.record.messages:
        last = turns.setdefault(message.id, last)
    return turns


def _abridged(made: Planned) -> set[str]:
    """Find the messages that stay, but not whole in the message that opens the next chat (rules T8 and H14)."""
    if made.plan.action != "compact" or made.opening.recent_preserved:
        return set()
    stay = [
        structs.replace(one, parts=tuple(part for part in one.parts if not isinstance(part, Thinking)))
        for one in (*made.plan.head, *made.plan.tail)
    ]
    found = {one.id for one in stay if share_shown(one, DEFAULT_LIMITS) < 1}
    if made.style.by_turn:  # a file that was read or changed is one line
        found |= {step.message for step in find_steps(stay) if step.outcome == "ok" and file_kind(step)}
    return found


def _strip(
    made: Planned, messages: tuple[wire.MessageFate, ...], turns: dict[str, int], survival: wire.Survival
) -> Iterator[wire.TurnShown]:
    """Show what is in the chat by its turns, and how many facts were stated in each.

    As on the bars, messages of the fixed part are not of the conversation: they count no tokens.
    """
    abridged, fixed = _abridged(made), {one.id for one in made.chat.messages if made.measured.is_system(one)}
    words = (one.lost for one in survival.classes if one.name in ("userMessages", "attachedFiles"))
    shortened = {turns.get(row.message or "") for lost in words for row in lost}
    facts = () if isinstance(survival.facts, msgspec.UnsetType) else survival.facts
    stated = Counter((fact.kind, turns.get(fact.message or "")) for fact in facts)
    groups: dict[int, list[wire.MessageFate]] = {}
    for message in messages:
        groups.setdefault(turns.get(message.id, 0), []).append(message)
    replaced = {turns[one] for one in turns.keys() - {message.id for message in messages}}
    for number, group in groups.items():
        first = next((message for message in group if message.kind != "empty"), group[0])
        yield wire.TurnShown(
            number=number,
            continued=number == 0 or number in replaced,
            messages=tuple(message.id for message in group),
            tokens=sum(message.tokens for message in group if message.id not in fixed),
            excerpt=None if first.kind == "summary" else first.excerpt,
            shortened=number in shortened or any(one.fate == "prune" or one.id in abridged for one in group),
            rules=stated["constraints", number] + stated["preferences", number],
            errors=stated["errors", number],
        )


def _lengths(made: Planned) -> tuple[wire.LengthShown, ...]:
    """Show what the stops of a slider keep, with the pinned messages and the added facts.

    The stops themselves are those without them, so that they stay where they are while a person chooses.
    """
    if made.plan.action != "compact":
        return ()
    options = structs.replace(made.options, summary_budget=None, length=wire.Options().length)
    bare = structs.replace(options, add_back=(), pin=())

    def stops() -> tuple[wire.LengthShown, ...]:
        plain = Planned(made.loaded, bare, made.job)
        return tuple(stops_shown(plain)) if plain.plan.action == "compact" else ()

    found = made.loaded.once("stops", bare, stops)
    if options == bare and not made.add_back:
        return found
    return made.loaded.once("lengths", (options, made.add_back), lambda: tuple(_chosen_lengths(made, found)))


def _chosen_lengths(made: Planned, stops: Sequence[wire.LengthShown]) -> Iterator[wire.LengthShown]:
    """Count the named stops with what a person chose; those between grow as the named one before them did."""
    added, more, longer = {*made.add_back}, 0, 0
    counted = {one.name: length_shown(made, one.budget) for one in stops if one.name}
    most = max((one.message for one in counted.values()), default=0)
    for one in stops:
        if one.name:
            named = structs.replace(counted[one.name], name=one.name)
            more, longer = named.message - one.message, named.tokens - one.tokens
            yield named
            continue
        missing = tuple(fact for fact in one.missing if fact not in added)
        kept = one.kept + len(one.missing) - len(missing)
        message = min(one.message + more, max(most, one.message))
        yield structs.replace(one, tokens=one.tokens + longer, message=message, kept=kept, missing=missing)
