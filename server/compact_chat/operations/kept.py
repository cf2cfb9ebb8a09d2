"""Compactions that were kept: each with the bytes of its chat, in archives on disk or in this server's memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from compact_chat.chat import Chat, JsonObject, Warning
from compact_chat.disk import (
    ORIGINALS,
    Archive,
    Body,
    Head,
    OtherBytes,
    Record,
    archive_folder,
    checked,
    is_off,
    known_folders,
    remember_folder,
)
from compact_chat.errors import Cancelled, ChatUnreadable, CompactChatError, CompactionNotFound, PlanOutdated
from compact_chat.operations.chats import ChatBytes
from compact_chat.operations.params import ChatRef
from compact_chat.read import Source, parse, read_chat

if TYPE_CHECKING:
    from compact_chat.operations.client_state import ClientState

MOST_IN_MEMORY = 16
ROOM_IN_MEMORY = 64 * 2**20  # bytes of originals; a single larger one is kept all the same
SHORTEST_ID, LONGEST_ID = 6, 32  # hexadecimal digits

Blocks = Mapping[str, Callable[[], Iterator[bytes]]]  # originals by their hashes


class InMemory(Struct, frozen=True):
    """A compaction with its originals by their hashes."""

    record: Record
    originals: Mapping[str, bytes]


class MemoryArchive:
    """The last compactions of a client whose archive is off or full, since then nothing may be written."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, InMemory] = OrderedDict()
        self._lock = Lock()

    def store(self, record: Record, originals: Blocks) -> None:
        """Keep a compaction, and forget the oldest beyond the bounds; raises OtherBytes as the archive does."""
        held = {sha256: b"".join(checked(blocks(), sha256)) for sha256, blocks in originals.items()}
        with self._lock:
            self._kept[record.head.id] = InMemory(record, held)
            while len(self._kept) > MOST_IN_MEMORY or (len(self._kept) > 1 and self._size() > ROOM_IN_MEMORY):
                self._kept.popitem(last=False)

    def forget(self, compaction_id: str) -> None:
        """Take a compaction out."""
        with self._lock:
            self._kept.pop(compaction_id, None)

    def newest_first(self) -> list[InMemory]:
        """Return all that are kept."""
        with self._lock:
            return list(reversed(self._kept.values()))

    def _size(self) -> int:
        return sum(len(data) for one in self._kept.values() for data in one.originals.values())


class ArchiveEntry(Struct, frozen=True):
    """A kept compaction: what identifies it, and where it is, in a folder or in memory."""

    head: Head
    folder: Path | None
    in_memory: InMemory | None = None

    def body(self) -> Body | None:
        """Load the compaction itself; None where the archive has lost or damaged it."""
        record = self.in_memory.record if self.in_memory else self.folder and Archive(self.folder).find(self.head.id)
        return record.body if record else None

    def original_path(self) -> Path | None:
        """Return the file with the original; None where it is in memory only."""
        return self.folder and Archive(self.folder).original_path(self.head.original.sha256)

    def original(self, sha256: str | None = None) -> bytes:
        """Return the bytes of the original, or of a file beside it; raise ChatUnreadable where they are lost."""
        wanted = self.head.original.sha256 if sha256 is None else sha256
        data = self.in_memory.originals.get(wanted) if self.in_memory else None
        if self.folder is not None:
            data = Archive(self.folder).original(wanted)
        if data is None:
            raise original_gone(Archive(self.folder).original_path(wanted).as_uri() if self.folder else None)
        return data

    def original_bytes(self) -> ChatBytes:
        """Return the original as the bytes of the chat that it was, by the name and with the files it had then."""
        note = self.head.original
        ref = ChatRef(format=note.format, tool=note.tool)  # another version may have known other formats
        match note.kind:
            case "file":
                ref = structs.replace(ref, uri=self.head.uri or "")
            case "text":
                ref = structs.replace(ref, text="")
            case "messages":
                ref = structs.replace(ref, messages=[])
        beside = {name: self.original(sha256) for name, sha256 in note.beside.items()}
        data = self.original()
        return ChatBytes(ref, data, len(data), note.sha256, beside)

    def original_chat(self) -> Chat:
        """Read the chat that was compacted, as it was."""
        return chat_of_bytes(self.original_bytes())


class Stored(Struct, frozen=True):
    """Where the original was archived, or why it was not."""

    archive: str | None
    warnings: tuple[Warning, ...] = ()


def store(head: Head, body: Body, chat_bytes: ChatBytes, client: ClientState) -> Stored:
    """Keep a compaction with the bytes of its chat: in the archive, or where that cannot be written, in memory.

    Raises PlanOutdated where the bytes are no longer there.
    """
    folder, problem = archive_folder(client.settings.archive, chat_bytes.ref.uri), None
    originals: Blocks = {chat_bytes.sha256: chat_bytes.blocks} | {
        sha256: partial(_once, chat_bytes.beside[name]) for name, sha256 in head.original.beside.items()
    }
    try:
        if folder is not None:
            place = Archive(folder).original_path(chat_bytes.sha256).as_uri()
            try:
                remember_folder(folder)
                Archive(folder).store(_record(head, body, place), originals, client.settings.archive_limit)
            except (OSError, RecursionError) as error:
                problem = error
            else:
                return Stored(place)
        client.memory.store(_record(head, body, None), originals)
    except Cancelled:
        raise
    except (OtherBytes, CompactChatError) as error:
        raise PlanOutdated("The chat has changed while it was compacted.", reason="chatChanged") from error
    if folder is None and is_off(client.settings.archive):
        return Stored(None)
    cause = problem.strerror if isinstance(problem, OSError) and problem.strerror else "there is no place for it"
    sentence = f"The original was not archived ({cause}); this server remembers it while it runs."
    return Stored(None, (Warning("notArchived", sentence),))


def forget(compaction_id: str, client: ClientState) -> None:
    """Take back a compaction whose id nobody was told."""
    client.memory.forget(compaction_id)
    for folder in known_folders(client.settings.archive):
        with suppress(OSError):
            Archive(folder).forget(compaction_id)


def entries(client: ClientState) -> Iterator[ArchiveEntry]:
    """Yield all kept compactions, each once; those of one archive newest first."""
    seen: set[str] = set()
    for entry in _all_entries(client):
        if entry.head.id not in seen:
            seen.add(entry.head.id)
            yield entry


def find(compaction_id: str, client: ClientState) -> tuple[ArchiveEntry, Body]:
    """Find a compaction by its id, or by a prefix that no other has; raise CompactionNotFound without one."""
    if SHORTEST_ID <= len(compaction_id) < LONGEST_ID:
        found = [entry.head.id for entry in entries(client) if entry.head.id.startswith(compaction_id)]
        compaction_id = found[0] if len(found) == 1 else compaction_id
    for one in client.memory.newest_first():
        if one.record.head.id == compaction_id:
            return ArchiveEntry(one.record.head, None, one), one.record.body
    for folder in known_folders(client.settings.archive):
        if record := Archive(folder).find(compaction_id):
            return ArchiveEntry(record.head, folder), record.body
    raise CompactionNotFound(
        "No such compaction is known: its id is wrong, it had to make room for newer ones, or it was not archived."
    )


def entry_named(ref: ChatRef, client: ClientState) -> ArchiveEntry | None:
    """Find the newest compaction of the archived original that a request names; None for any other address."""
    uri = ref.uri or ""
    if PurePosixPath(uri).parent.name != ORIGINALS:
        return None
    places = ((entry, entry.original_path()) for entry in entries(client))
    return next((entry for entry, place in places if place and place.as_uri() == uri), None)


def chat_of_bytes(kept: ChatBytes) -> Chat:
    """Read a chat from its bytes, as it was read before."""
    assert kept.data is not None, "the bytes come from an archive"
    ref = kept.ref
    match kept.kind:
        case "file":
            source = Source.of_bytes(kept.data, ref.uri or "", kept.beside)
        case "text":
            source = Source.of_text(kept.data.decode(errors="surrogatepass"))
        case "messages":
            source = Source.of_document({"messages": messages_in(kept.data)})
    return read_chat(source, ref.format, ref.tool)


def messages_in(data: bytes) -> list[JsonObject]:
    """Return the messages that a request brought."""
    value = parse(data)
    if not isinstance(value, list):
        raise ChatUnreadable("The archive does not hold what it should.", uri=None, format=None, line=None)
    return value


def original_gone(place: str | None) -> ChatUnreadable:
    """Make the error that the chat behind a compaction is lost."""
    return ChatUnreadable("The original is gone from the archive, or damaged there.", uri=place, format=None, line=None)


def _all_entries(client: ClientState) -> Iterator[ArchiveEntry]:
    yield from (ArchiveEntry(one.record.head, None, one) for one in client.memory.newest_first())
    for folder in known_folders(client.settings.archive):
        yield from (ArchiveEntry(head, folder) for head in Archive(folder).heads())


def _record(head: Head, body: Body, place: str | None) -> Record:
    return Record(head, structs.replace(body, compaction={**body.compaction, "archive": place}))


def _once(data: bytes) -> Iterator[bytes]:
    yield data
