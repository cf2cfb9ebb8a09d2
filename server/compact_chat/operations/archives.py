"""The archives of one client, on disk and in memory: store compactions with their originals, and find them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from msgspec import Struct, structs

from compact_chat import disk
from compact_chat.chat import Chat, JsonObject, Warning
from compact_chat.errors import ChatUnreadable, CompactChatError, CompactionNotFound, PlanOutdated
from compact_chat.operations.chats import ChatBytes
from compact_chat.operations.job import ClientState, Newest
from compact_chat.operations.table import ChatRef
from compact_chat.read import Source, parse, read_chat

if TYPE_CHECKING:
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
        return read_chat(self.original_source(), note.format, note.tool)


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
        whole = structs.replace(body, compaction={**body.compaction, "archive": place})
        archive.store(disk.Record(head, whole), originals, settings.archive_limit)
        return Stored(head.id, place)

    try:
        if folder is not None:
            try:
                disk.remember_folder(folder)
                return stored(disk.Archive(folder))
            except (OSError, ValueError) as problem:  # ValueError: a NUL in the folder's name
                cause = getattr(problem, "strerror", None) or cause
        found = stored(client.memory)
    except (disk.OtherBytes, CompactChatError) as error:
        raise PlanOutdated("The chat has changed while it was compacted.", reason="chatChanged") from error
    if folder is None and disk.is_off(settings.archive):
        return found
    sentence = f"The original was not archived ({cause}); this server remembers it while it runs."
    return structs.replace(found, warnings=(Warning("notArchived", sentence),))


def _same(head: disk.Head, archive: disk.Archive | MemoryArchive) -> disk.Head | None:
    """Find a compaction of the same chat with the same result, whose originals are still there."""
    for known in archive.heads():
        new = structs.replace(head, id=known.id, at=known.at, draft=known.draft, openings=known.openings)
        new = structs.replace(new, message=known.message)  # which earlier versions did not store
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
