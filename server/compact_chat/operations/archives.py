"""The archives of one client: store compactions with their originals, and find a compacted chat's original again.

A compaction is found by one hash of the message that it wrote: the summary in its chat, or the message that opened the
next chat. The chat then has to begin with all that the compaction left, whatever tool or API it has been through since.
What came after is kept, so that nothing erodes.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import dropwhile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from compact_chat import disk, resume
from compact_chat.chat import Chat, JsonObject, Message, Part, Text, ToolCall, ToolResult, Warning, result_text, strings
from compact_chat.disk import Beginning, Body, Head, Marks
from compact_chat.errors import ChatUnreadable, CompactChatError, CompactionNotFound, PlanOutdated
from compact_chat.measure import json_text
from compact_chat.operations.chats import ChatBytes, earlier_in, named_safely
from compact_chat.operations.job import ClientState, Newest
from compact_chat.operations.table import ChatRef
from compact_chat.read import Segment, Source, earlier, objects, parse, read_chat, read_own, resolved, with_own_ids
from compact_chat.redact import MaskedMessage, Redactor
from compact_chat.text import (
    SUMMARY_START,
    UNPRINTED,
    is_summary_text,
    line_feeds,
    opening_start,
    strip_summary_wrappers,
)
from compact_chat.tools import api_of
from compact_chat.wire import Compaction

if TYPE_CHECKING:
    from compact_chat.operations.job import ClientState
    from compact_chat.wire import Compaction

MOST_IN_MEMORY = 16
ROOM_IN_MEMORY = 64 * 2**20  # bytes of originals; a larger single one is kept anyway
SHORTEST_ID, LONGEST_ID = 4, 32  # hexadecimal digits

Blocks = Mapping[str, Callable[[], Iterator[bytes]]]  # originals by hash


class MemoryArchive(Newest[tuple[disk.Record, dict[str, bytes]]]):
    """A client's last compactions, for when its archive is off or full, since nothing may be written then."""

    def __init__(self) -> None:
        super().__init__(MOST_IN_MEMORY, ROOM_IN_MEMORY)

    def store(self, record: disk.Record, originals: Blocks, _limit: int) -> None:
        """Store a compaction; raises OtherBytes like the archive on disk."""
        data = {sha256: b"".join(disk.checked(blocks(), sha256)) for sha256, blocks in originals.items()}
        self.keep(record.head.id, (record, data), sum(map(len, data.values())))

    def exchange(self, record: disk.Record, version: int, _limit: int) -> disk.Head | None:
        """Replace a draft's record if it still has this version; return the head that is there then, if any."""
        with self.lock:
            kept = self.named(record.head.id)
            if kept is None or kept[0].head.draft != version:
                return kept[0].head if kept else None
            self.keep(record.head.id, (record, kept[1]), sum(map(len, kept[1].values())))
            return record.head

    def head(self, compaction_id: str) -> disk.Head | None:
        """Return the head of the compaction with this id, if it is still here."""
        record = self.find(compaction_id)
        return record.head if record else None

    def forget(self, compaction_id: str) -> None:
        """Remove a compaction."""
        self.drop(compaction_id)

    def heads(self) -> list[disk.Head]:
        """Return the heads of all compactions, newest first."""
        return [record.head for record, _ in self.all()]

    def find(self, compaction_id: str) -> disk.Record | None:
        """Return the compaction with this id, if it is still here."""
        kept = self.named(compaction_id)
        return kept[0] if kept else None

    def original_path(self, _sha256: str) -> None:
        """Return None: originals in memory have no file."""
        return

    def original(self, sha256: str) -> bytes | None:
        """Return an original; None if it was evicted."""
        return next((data[sha256] for _, data in self.all() if sha256 in data), None)


class ArchiveEntry(Struct, frozen=True):
    """A stored compaction: its head, and the archive that holds it."""

    head: disk.Head
    archive: disk.Archive | MemoryArchive

    def original_path(self) -> Path | None:
        """Return the path of the original; None if no file of ours equals it."""
        note = self.head.original
        return None if note.in_place else self.archive.original_path(note.sha256)

    def original(self, sha256: str | None = None) -> bytes:
        """Return the bytes of the original, or of one of its siblings; raise ChatUnreadable if they are lost."""
        note = self.head.original
        if sha256 is None and note.in_place:
            uri, begun = self.head.uri or "", b""
            with suppress(OSError, *disk.UNREADABLE):
                begun = disk.read_path(disk.path_of(uri), uri, length=note.bytes)
            if hashlib.sha256(begun).hexdigest() != note.sha256:
                raise original_gone(uri)
            return begun
        wanted = note.sha256 if sha256 is None else sha256
        if (data := self.archive.original(wanted)) is None:
            path = self.archive.original_path(wanted)
            raise original_gone(path.as_uri() if path else None)
        return data

    def original_bytes(self) -> ChatBytes:
        """Return the original as chat bytes, with the name and siblings it had then."""
        note = self.head.original
        place: Any = {"file": {"uri": self.head.uri or ""}, "text": {"text": ""}, "messages": {"messages": []}}[
            note.kind
        ]
        ref = ChatRef(format=note.format, tool=note.tool, **place)  # another version may have had other formats
        siblings = {name: self.original(sha256) for name, sha256 in note.siblings.items()}
        data = self.original()
        return ChatBytes(ref, data, len(data), note.sha256, siblings)

    def original_source(self) -> Source:
        """Open the chat that was compacted, as it was."""
        given = self.original_bytes()
        assert given.data is not None, "the bytes come from an archive"
        match given.kind:
            case "file":
                return Source.of_bytes(given.data, given.ref.uri or "", given.siblings)
            case "text":
                return Source.of_text(given.data.decode(errors="surrogatepass"))
            case "messages":
                return Source.of_document({"messages": messages_in(given.data)})

    def original_chat(self) -> Chat:
        """Read the chat that was compacted, as it was."""
        note = self.head.original
        return named_safely(read_chat(self.original_source(), note.format, note.tool))


class Stored(Struct, frozen=True):
    """The id of a stored compaction, and where its original was archived, or why not."""

    id: str
    archive: str | None
    warnings: tuple[Warning, ...] = ()


def head_of(done: Compaction, chat: Chat, original: disk.Kept, uri: str | None, at: str, **more: Any) -> disk.Head:
    """Return the head of a finished compaction."""
    opened = done.next_chat.continuation if done.next_chat else None
    return disk.Head(
        id=done.compaction_id,
        at=at,
        uri=uri,
        title=done.title,
        workspace=chat.workspace,
        plan_id=done.plan_id,
        provider=done.provider,
        model=done.model,
        style=done.style,
        chat_model=chat.model,
        before=done.before,
        after=done.after,
        kept=done.survival.kept,
        items=done.survival.items,
        message=opened.tokens - opened.fixed if opened else 0,
        original=original,
        tool=chat.tool,
        **more,
    )


def store(head: disk.Head, body: disk.Body, chat_bytes: ChatBytes, client: ClientState) -> Stored:
    """Store a compaction with its chat's bytes: in the archive or, if that cannot be written, in memory.

    One that is there already, with the same chat, plan and result, is not stored again: its id is returned. Raises
    PlanOutdated where the bytes are no longer there.
    """
    settings, cause = client.settings, "there is no place for it"
    folder = disk.archive_folder(settings.archive, chat_bytes.ref.uri)
    originals: Blocks = {chat_bytes.sha256: chat_bytes.blocks} | {
        sha256: partial(iter, (chat_bytes.siblings[name],)) for name, sha256 in head.original.siblings.items()
    }

    def stored(archive: disk.Archive | MemoryArchive) -> Stored:
        path = archive.original_path(chat_bytes.sha256)
        place = path.as_uri() if path else None
        if same := _same(head, archive):
            return Stored(same.id, place)
        whole = replace(body, compaction={**body.compaction, "archive": place})
        archive.store(disk.Record(head, whole), originals, settings.archive_limit)
        return Stored(head.id, place)

    try:
        if folder is not None:
            try:
                disk.remember_folder(folder)
                archive = disk.Archive(folder)
                archive.make_private()  # also where the compaction turns out to be there already
                return stored(archive)
            except (OSError, ValueError) as problem:  # ValueError: a NUL in the folder's name
                cause = getattr(problem, "strerror", None) or cause
        found = stored(client.memory)
    except (disk.OtherBytes, CompactChatError) as error:
        raise PlanOutdated("The chat has changed while it was compacted.", reason="chatChanged") from error
    if folder is None and disk.is_off(settings.archive):
        return found
    sentence = f"The original was not archived ({cause}); this server remembers it while it runs."
    return replace(found, warnings=(Warning("notArchived", sentence),))


def _same(head: disk.Head, archive: disk.Archive | MemoryArchive) -> disk.Head | None:
    """Find a compaction of the same chat with the same result, whose originals are still there."""
    for known in archive.heads():
        new = replace(head, id=known.id, at=known.at, draft=known.draft, openings=known.openings)
        new = replace(new, message=known.message, changed=known.changed)  # which earlier versions did not store
        if known == new and all(
            archive.original(one) for one in (*known.original.siblings.values(), known.original.sha256)
        ):
            return known
    return None


def forget(compaction_id: str, client: ClientState) -> None:
    """Remove a compaction whose id never reached the client."""
    for archive in _archives(client):
        with suppress(OSError):
            archive.forget(compaction_id)


def entries(client: ClientState) -> Iterator[ArchiveEntry]:
    """Yield all stored compactions, each once; newest first within an archive."""
    found: set[str] = set()
    for archive in _archives(client):
        for head in archive.heads():
            if head.id not in found:
                found.add(head.id)
                yield ArchiveEntry(head, archive)


def find(compaction_id: str, client: ClientState) -> tuple[ArchiveEntry, disk.Body]:
    """Find a compaction by its id or a unique beginning of that; raise CompactionNotFound without one."""
    entry = find_head(compaction_id, client)
    if record := entry.archive.find(entry.head.id):
        return ArchiveEntry(record.head, entry.archive), record.body
    raise not_found(compaction_id, client)


def find_head(compaction_id: str, client: ClientState) -> ArchiveEntry:
    """Find a compaction likewise, without reading what it produced."""
    for archive in _archives(client):
        if head := archive.head(compaction_id):
            return ArchiveEntry(head, archive)
    if SHORTEST_ID <= len(compaction_id) < LONGEST_ID and len(found := _begun(compaction_id, client)) == 1:
        return found[0]
    raise not_found(compaction_id, client)


def _begun(compaction_id: str, client: ClientState) -> list[ArchiveEntry]:
    return [entry for entry in entries(client) if entry.head.id.startswith(compaction_id)]


def not_found(compaction_id: str, client: ClientState) -> CompactionNotFound:
    """Make the error for an id that no compaction has, or that is too little of one."""
    if 0 < len(compaction_id) < LONGEST_ID and _begun(compaction_id, client):
        if len(compaction_id) < SHORTEST_ID:
            return CompactionNotFound(f"{compaction_id} is too short; give {SHORTEST_ID} characters of the id or more.")
        return CompactionNotFound(f"Several compactions begin with {compaction_id}; give more of the id.")
    return CompactionNotFound(
        "No such compaction is known: its id is wrong, it had to make room for newer ones, or it was not archived."
    )


def entry_named(ref: ChatRef, client: ClientState) -> ArchiveEntry | None:
    """Find the newest compaction of the archived original that a request names; None for any other chat."""
    uri = ref.uri or ""
    if PurePosixPath(uri).parent.name != disk.ORIGINALS:
        return None
    places = ((entry, entry.original_path()) for entry in entries(client))
    return next((entry for entry, place in places if place and place.as_uri() == uri), None)


def messages_in(data: bytes) -> list[JsonObject]:
    """Return the messages contained in a request."""
    with suppress(ValueError):
        if isinstance(value := parse(data), list):
            return value
    raise ChatUnreadable("The archive does not hold what it should.", uri=None, format=None, line=None)


def original_gone(place: str | None) -> ChatUnreadable:
    """Make the error for a compaction whose original is lost."""
    return ChatUnreadable("The original is gone from the archive, or damaged there.", uri=place, format=None, line=None)


def _archives(client: ClientState) -> Iterator[disk.Archive | MemoryArchive]:
    yield client.memory
    yield from map(disk.Archive, disk.known_folders(client.settings.archive))


# The way back from a chat that was compacted before.

FROM_ORIGINAL = "fromOriginal"  # code of the warning that the plan is that of the original
MOST_STEPS = 32  # from one compaction to the previous one
# What a terminal, a pipe, a text file or an editor may drop of an opening or replace.
_PASSED_OVER = re.compile(f"[{UNPRINTED}\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef\ufffd]+")
_JOINER = "\u2060"  # zero width; our VS Code client writes it into `#name`, which the panel would take for a reference
_FRAME_END = "</userRequest>"  # VS Code's, around what a person typed
# What rules leave in place of what they cut (K10, X5); earlier versions wrote "1 messages".
_OMITTED, _PRUNED = re.compile(r" messages? omitted\]"), " chars pruned...]"
_NO_RESULT = frozenset({"", "(empty)", "(no output)"})  # how tools write the result of a call without one

Found = tuple[ArchiveEntry, Sequence[Message]]  # a compaction that a chat begins with, and what followed it
Candidates = Sequence[tuple[ArchiveEntry, Marks]]


class Row(NamedTuple):
    """A part of a chat normalized across all shapes, and its position."""

    turn: int
    part: int
    role: str
    content: tuple[str, ...]


T = TypeVar("T", str, list[Row])


class Original(NamedTuple):
    """A chat with our summaries replaced by the messages before them, and the first of our compactions, if any."""

    chat: Chat
    first: ArchiveEntry | None = None
    format: str = ""  # of the chat that the first one was made of
    added_back: tuple[str, ...] = ()  # to the newest one, by ids of facts

    def earlier(self, ref: ChatRef | None) -> tuple[Segment, ...]:
        """Find what each compaction by the chat's own tool replaced before the first of ours, or ever without one."""
        if self.first is None:
            return earlier_in(self.chat, ref) if ref else ()
        return earlier(self.first.original_source(), replace(self.chat, format=self.format))


def original_of(chat: Chat, client: ClientState, passed: frozenset[str] = frozenset()) -> Original:
    """Return the chat with our summary replaced by its original messages, or the chat itself without a stored original.

    A text that is merely written like a summary finds nothing: all that the compaction left has to be there, and the
    chat may not come from another workspace. A compaction of its own result equals the one before; each of those
    `passed` on the way back counts once.
    """
    found = _compaction_of(chat, client, passed)
    if found is None:
        return Original(chat)
    entry, newer = found
    try:
        before, first, at_first, _ = original_of(entry.original_chat(), client, passed | {entry.head.id})
    except CompactChatError:
        return Original(chat)
    dropped = entry.head.dropped  # the user dropped these messages, and no other option brings them back (rule Z3)
    stay = [one for one in before.messages if one.id not in dropped or message_mark(one) != dropped[one.id]]
    if chat.format != before.format and not api_of(before.format) == api_of(chat.format) != "":
        stay = [replace(message, raw=None) for message in resume.acceptable(stay)]  # raw is another API's
    own_words = (replace(message, usage=None, typed=None) for message in dropwhile(_is_ours, newer))
    messages = with_own_ids((*stay, *resolved(own_words, chat.format)))
    whole = replace(chat, messages=messages, opening=before.opening, host_meter=None)
    return Original(whole, first or entry, at_first or before.format, entry.head.added_back)


def compaction_behind(chat: Chat, client: ClientState) -> Head | None:
    """Return the head of the compaction of ours that a chat goes on from with the same tool."""
    found = _compaction_of(chat, client, frozenset())
    return found[0].head if found and found[0].head.tool == chat.tool else None


def _compaction_of(chat: Chat, client: ClientState, passed: frozenset[str]) -> Found | None:
    """Find the compaction that a chat begins with, and what came after it."""
    if len(passed) >= MOST_STEPS or not shows_compaction(chat):
        return None
    heads = ((entry, entry.head) for entry in entries(client))
    likely = [
        (entry, head.marks)
        for entry, head in heads
        if head.marks
        and head.id not in passed
        and (None in (head.workspace, chat.workspace) or head.workspace == chat.workspace)
    ]
    turns = resume.make_valid(chat.messages)
    return _by_summary(turns, likely) or _by_opening(turns, likely)


def compacted_chat(compaction_id: str, client: ClientState) -> Original:
    """Return the chat that a compaction covered; of a compacted chat its original."""
    entry, body = find(compaction_id, client)
    chat = entry.original_chat()
    if not any(warning.get("code") == FROM_ORIGINAL for warning in objects(body.compaction.get("warnings"))):
        return Original(chat, entry, chat.format)
    original = original_of(chat, client, frozenset({entry.head.id}))
    if original.first is None:  # its ids would name other messages
        raise original_gone(None)
    return original


def masked_result(body: Body, clean: Redactor) -> tuple[MaskedMessage, ...]:
    """Return the messages that an archive holds, as an export has them."""
    messages, said = read_own(body.messages), body.compaction
    clean.learn(messages, strings([said.get("summary"), said.get("continuation")]))
    return clean.messages(messages)


def marks_of(done: Compaction, messages: list[JsonObject], body: Body, clean: Redactor) -> Marks | None:
    """Make the hashes that identify a compaction; None if nothing in its messages shows that it was one.

    An export of it has its messages without secrets, so that both results are marked.
    """
    summary, continuation = done.summary, done.continuation
    turns = resume.make_valid(resume.without_closing(read_own(messages)))
    if not (summary or _shows_cuts(turns)):
        return None
    masked = resume.make_valid(resume.without_closing(masked_result(body, clean)))
    results = dict.fromkeys(
        Beginning(hashlib.sha256(_encoded(rows)).hexdigest(), len(rows)) for rows in map(_rows_of, (turns, masked))
    )
    if not summary:
        return Marks(None, None, tuple(results))
    opening = _PASSED_OVER.sub("", line_feeds(continuation)).strip()
    mark = _hash(strip_summary_wrappers(resume.summary_message(summary).text))
    return Marks(mark, Beginning(_hash(opening), len(opening)), tuple(results))


def message_mark(message: Message) -> str:
    """Return the hash of one message."""
    return _hash(json.dumps([message.role, [_content(part) for part in message.sent]]))


def _by_summary(turns: Sequence[Message], likely: Candidates) -> Found | None:
    """Find the compaction whose messages the chat begins with; the longest, if one summary had several tails."""
    texts = (text for turn in turns if turn.role == "user" for text in turn.texts)
    summaries = {None, *(_hash(strip_summary_wrappers(text)) for text in texts if _is_summary(text))}
    # The plan says what was kept, so of compactions with one plan and one summary the newest is enough.
    candidates: dict[tuple[str, str | None], tuple[ArchiveEntry, tuple[Beginning, ...]]] = {}
    for entry, marks in likely:
        if marks.summary in summaries:
            candidates.setdefault((entry.head.plan_id, marks.summary), (entry, marks.results))
    if not candidates:
        return None
    rows = _rows_of(turns)
    hashes = _prefix_hashes(rows, {mark.length for _, results in candidates.values() for mark in results}, _encoded)
    hits = [
        (mark.length, entry)
        for entry, results in candidates.values()
        for mark in results
        if mark.length and hashes.get(mark.length) == mark.mark
    ]
    if not hits:
        return None
    length, entry = max(hits, key=lambda hit: hit[0])
    places: dict[int, set[int]] = {}
    for row in rows[length:]:
        places.setdefault(row.turn, set()).add(row.part)
    newer = []
    for turn, own in sorted(places.items()):
        message = turns[turn]
        parts = tuple(part for place, part in enumerate(message.parts) if place in own)
        if len(parts) < len(message.parts):  # the user continued the last message
            message = replace(message, parts=parts, raw=None, is_summary=False)
        newer.append(message)
    return entry, newer


def _by_opening(turns: Sequence[Message], likely: Candidates) -> Found | None:
    """Find the compaction whose message opens the chat, the longest that does, and what the user wrote behind it."""
    first = next((place for place, turn in enumerate(turns) if turn.role != "system"), None)
    if first is None:
        return None
    opened = [(entry, one) for entry, marks in likely for one in (marks.opening, *entry.head.openings) if one]
    for place, part in enumerate(turns[first].parts):
        start = opening_start(part.text) if isinstance(part, Text) else -1
        if start < 0 or not isinstance(part, Text):
            continue
        words = line_feeds(part.text[start:])
        text = _PASSED_OVER.sub("", words)
        hashes = _prefix_hashes(text, {opening.length for _, opening in opened}, _bytes)
        hits = [(opening.length, entry) for entry, opening in opened if hashes.get(opening.length) == opening.mark]
        if hits:
            length, entry = max(hits, key=lambda hit: hit[0])
            behind = words[_end_of(words, length) :].replace(_JOINER, "")
            said = behind.strip().removesuffix(_FRAME_END).strip()
            own = (*((Text(said),) if said else ()), *turns[first].parts[place + 1 :])
            rest = [replace(turns[first], parts=own, raw=None, is_summary=False)] if own else []
            return entry, [*rest, *turns[first + 1 :]]
    return None


def _end_of(words: str, length: int) -> int:
    """Return where a stretch ends that has so many characters without those that are passed over."""
    for found in _PASSED_OVER.finditer(words):
        if found.start() >= length:
            break
        length += found.end() - found.start()
    return length


def _prefix_hashes(whole: T, lengths: Collection[int], encode: Callable[[T], bytes]) -> dict[int, str]:
    """Hash the prefixes of all these lengths in one pass."""
    digest, hashes, done = hashlib.sha256(), {}, 0
    for length in sorted(length for length in lengths if length <= len(whole)):
        digest.update(encode(whole[done:length]))
        done, hashes[length] = length, digest.copy().hexdigest()
    return hashes


def _rows_of(turns: Sequence[Message]) -> list[Row]:
    """Return the parts of a valid chat, normalized across all shapes and in one order; ids are ignored.

    Other tools know no system messages, want a summary before all else that opens a chat, and hold results in the order
    of their calls.
    """
    shaped = resume.acceptable(map(resume.with_words_for_attachments, turns))
    calls = {call.id: place for place, call in enumerate(call for message in shaped for call in message.calls)}

    def order(numbered: tuple[int, Part]) -> int:
        part = numbered[1]  # results precede the other parts of their turn, which keep their order
        return calls.get(part.call_id, 0) if isinstance(part, ToolResult) else len(calls)

    rows = [
        Row(turn, place, "user" if message.role == "system" else message.role, _content(part))
        for turn, message in enumerate(shaped)
        for place, part in sorted(enumerate(message.parts), key=order)
    ]
    answer = next((place for place, row in enumerate(rows) if row.role == "assistant"), len(rows))
    head = sorted(rows[:answer], key=lambda row: row.content[0] != "text" or not _is_summary(row.content[1]))
    return head + rows[answer:]


def _encoded(rows: list[Row]) -> bytes:
    return "".join(json.dumps([row.role, row.content]) for row in rows).encode()


def _content(part: Part) -> tuple[str, ...]:
    match part:
        case Text(text):
            return "text", line_feeds(text)
        case ToolCall(name=name, input=given):
            return "call", name, json_text(given)
        case ToolResult():
            return "result", "" if (text := line_feeds(result_text(part))).strip() in _NO_RESULT else text
    return (type(part).__name__,)


def shows_compaction(chat: Chat) -> bool:
    """Whether anything in a chat may be the work of a compaction of ours."""
    texts = (text for message in chat.messages if message.role == "user" for text in message.texts)
    is_opened = any(text.lstrip().startswith(SUMMARY_START) or opening_start(text) >= 0 for text in texts)
    return is_opened or _shows_cuts(chat.messages)


def _shows_cuts(messages: Iterable[Message]) -> bool:
    """Whether a text in these messages is the note that rules leave in place of what they cut."""
    return any(
        (isinstance(part, Text) and _OMITTED.search(part.text))
        or (isinstance(part, ToolResult) and _PRUNED in result_text(part))
        for message in messages
        if message.role == "user"
        for part in message.parts
    )


def _is_ours(message: Message) -> bool:
    """Whether we wrote a message behind a compaction to make the chat valid for an API."""
    if message.results:
        return {result_text(result) for result in message.results} == {resume.INTERRUPTED} and not message.text
    return resume.is_closing(message) or message.text == resume.UNANSWERED


def _is_summary(text: str) -> bool:
    return text.lstrip().startswith(SUMMARY_START) and is_summary_text(text)


def _hash(text: str) -> str:
    return hashlib.sha256(_bytes(text)).hexdigest()


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")
