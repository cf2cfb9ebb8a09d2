"""The archive: originals by their hashes, each once, and a record for each compaction that was made of one."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
from msgspec import Struct

from compact_chat.chat import JsonObject
from compact_chat.disk.files import path_of
from compact_chat.disk.state import PART, locked, private_folder, put, state_folder

# What the archive notes of a compaction: a short head to find it by, and a body with all that it gave.


VERSION = 1

T = TypeVar("T")
SourceKind = Literal["file", "text", "messages"]


class Kept(Struct, frozen=True, rename="camel"):
    """An original: what it was, the hash that names its bytes, and how it was read; files beside it by their names."""

    kind: SourceKind
    sha256: str
    bytes: int
    format: str | None = None
    tool: str | None = None
    beside: Mapping[str, str] = {}

    @property
    def hashes(self) -> frozenset[str]:
        """The names of all that it is made of."""
        return frozenset((self.sha256, *self.beside.values()))


class Beginning(Struct, frozen=True):
    """The hash of what something begins with, and how long that is."""

    mark: str
    length: int


class Marks(Struct, frozen=True, rename="camel"):
    """Hashes of what the compaction wrote, by which it is found: the summary, and the message of the next chat."""

    summary: str | None  # None, as the opening, where rules cut the chat
    opening: Beginning | None  # characters
    results: tuple[Beginning, ...] = ()  # empty; older versions wrote and require it


class Head(Struct, frozen=True, rename="camel"):
    """What tells one compaction from the others."""

    id: str
    at: str
    uri: str | None
    title: str | None
    workspace: str | None
    plan_id: str
    provider: str
    model: str | None
    style: str
    chat_model: str | None  # the one that was talked to
    before: int
    after: int
    kept: float
    original: Kept
    marks: Marks | None  # None where nothing in the chat shows that it was compacted
    dropped: Mapping[str, str] = {}  # hashes of the messages that the user dropped, by their ids
    version: int = VERSION


class Body(Struct, frozen=True, rename="camel"):
    """The compaction as it was given back, the chat that it made, and the files that it was about."""

    compaction: JsonObject
    messages: list[JsonObject]
    read_files: tuple[str, ...] = ()
    modified_files: tuple[str, ...] = ()


class Record(Struct, frozen=True):
    """A head with its body."""

    head: Head
    body: Body


def encoded(record: Record) -> bytes:
    """Write a record in two lines, so that its head is found without the rest."""
    return b"".join(json.dumps(msgspec.to_builtins(part)).encode() + b"\n" for part in (record.head, record.body))


def decoded_head(line: bytes) -> Head | None:
    """Read a head; None where it is damaged."""
    return _decoded(line, Head)


def decoded(data: bytes) -> Record | None:
    """Read a record; None where it is damaged."""
    first, _, rest = data.partition(b"\n")
    head, body = _decoded(first, Head), _decoded(rest, Body)
    return Record(head, body) if head and body and rest.endswith(b"\n") else None


def _decoded(text: bytes, kind: type[T]) -> T | None:
    try:
        return msgspec.convert(json.loads(text), kind)
    except (ValueError, RecursionError):  # no JSON, or none of this shape
        return None


# Where archives are: in the user's state folder, in a folder of the user's choice, or beside the chats' files.


USUAL, ELSEWHERE = "archive", "archives"
MOST_PLACES = 1000


def archive_folder(setting: str, uri: str | None) -> Path | None:
    """Name the folder that keeps the chat of a URI; None where archives are off, or a user has no place for them.

    A folder that is not absolute is taken from the one that holds the chat's file. A chat that is no file, and one
    that is never saved, goes where archives usually are.
    """
    wished = setting.strip()
    if is_off(wished):
        return None
    folder = Path(os.path.expanduser(wished))
    if wished.lower() in ("on", "") or not (folder.is_absolute() or uri):
        return _usual()
    return folder if folder.is_absolute() else _beside(uri or "") / folder


def is_off(setting: str) -> bool:
    """Whether the user wants no archives."""
    return setting.strip().lower() == "off"


def known_folders(setting: str) -> list[Path]:
    """Name all folders in which compactions may be found: as it is set now, and those that were ever written to."""
    set_now = archive_folder(setting, None)
    return list(dict.fromkeys(folder for folder in (_usual(), set_now, *_remembered()) if folder))


def remember_folder(folder: Path) -> None:
    """Note a folder that is not where archives usually are, so that what it keeps is found again."""
    state = state_folder()
    if state is None or folder == _usual():
        return
    name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:32]
    if not (state / ELSEWHERE / name).exists():
        private_folder(state / ELSEWHERE)
        put(state / ELSEWHERE / name, [os.fsencode(folder)])


def _usual() -> Path | None:
    state = state_folder()
    return state / USUAL if state else None


def _beside(uri: str) -> Path:
    return Path(path_of(uri)).parent


def _remembered() -> list[Path]:
    state = state_folder()
    found: list[Path] = []
    with suppress(OSError):
        if state:
            paths = sorted((state / ELSEWHERE).iterdir())[:MOST_PLACES]
            found = [Path(os.fsdecode(path.read_bytes())) for path in paths if not path.name.startswith(".")]
    return [folder for folder in found if folder.is_absolute()]


# Keep the archive within its room: leftovers go, then the oldest compactions, then what nothing refers to.


# The names that we give: what else lies in a folder of the user's choice is not ours to remove.
HASH = re.compile(r"[0-9a-f]{64}")
RECORD = re.compile(r"[0-9]{17}-[0-9a-f]{32}\.json")
_QUOTED_HASH = re.compile(rb'"([0-9a-f]{64})"')


def sweep(*folders: Path) -> None:
    """Remove what killed processes left half written; only the one that holds the lock writes here."""
    for folder in folders:
        for entry in _entries(folder):
            if entry.name.startswith(PART):
                _remove(entry.path)


def trim(originals: Path, records: Path, limit: int | None, newest: str) -> None:
    """Let the oldest compactions go until all fits the limit, where there is one; the newest stays in any case.

    A record goes before its original, so that none ever refers to what is gone.
    """
    sizes = {entry.name: entry.stat().st_size for entry in _entries(originals) if HASH.fullmatch(entry.name)}
    kept = [_Kept(entry) for entry in _entries(records) if RECORD.fullmatch(entry.name)]
    uses = Counter(sha256 for one in kept for sha256 in one.hashes)
    total = sum(sizes.get(name, 0) for name in uses) + sum(one.size for one in kept)
    for one in sorted(kept, key=lambda one: one.path):
        if limit is None or total <= limit:
            break
        if not one.path.endswith(f"-{newest}.json"):
            _remove(one.path)
            uses.subtract(one.hashes)
            total -= one.size + sum(sizes.get(name, 0) for name in one.hashes if not uses[name])
    for name in sizes.keys() - {name for name, times in uses.items() if times}:
        _remove(str(originals / name))


class _Kept:
    """A record on the disk: its size, and the originals that it may refer to, whatever version of us wrote it."""

    def __init__(self, entry: os.DirEntry[str]) -> None:
        self.path = entry.path
        self.size = entry.stat().st_size
        with open(entry.path, "rb") as file:
            self.hashes = frozenset(hash.decode() for hash in _QUOTED_HASH.findall(file.readline()))


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from list(entries)
    except FileNotFoundError:
        return


def _remove(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)


# The archive: originals by their hashes, each once, and a record for each compaction that was made of one.


ORIGINALS, RECORDS, LOCK = "originals", "compactions", "lock"
BLOCK = 2**20

Blocks = Callable[[], Iterable[bytes]]


class OtherBytes(Exception):
    """What was to be kept is no longer what was read."""


def store(folder: Path, record: Record, originals: Mapping[str, Blocks], limit: int) -> None:
    """Keep a compaction with its originals, by their hashes; the oldest go where all together are over the limit.

    The record comes last: whoever is killed before it has kept nothing.
    """
    for room in (ORIGINALS, RECORDS):
        private_folder(folder / room)
    with locked(folder / LOCK):
        sweep(folder / ORIGINALS, folder / RECORDS)
        try:
            _store(folder, record, originals)
        except BaseException:
            with suppress(OSError):
                trim(folder / ORIGINALS, folder / RECORDS, None, "")
            raise
        trim(folder / ORIGINALS, folder / RECORDS, limit, record.head.id)


def forget(folder: Path, compaction_id: str) -> None:
    """Take a compaction out, with its original if no other was made of it."""
    if not folder.is_dir():
        return
    with locked(folder / LOCK):
        for path in _records(folder):
            if _id(path) == compaction_id:
                path.unlink(missing_ok=True)
        trim(folder / ORIGINALS, folder / RECORDS, None, "")


def heads(folder: Path) -> Iterator[Head]:
    """Give what tells the compactions apart, newest first; a damaged one is left out."""
    for path in _records(folder):
        if head := head_at(path):
            yield head


def find(folder: Path, compaction_id: str) -> Record | None:
    """Give the compaction of this id, if it is here and whole."""
    for path in _records(folder):
        if _id(path) == compaction_id:
            return _record_at(path)
    return None


def original_path(folder: Path, sha256: str) -> Path:
    """Name the place of an original."""
    return folder / ORIGINALS / sha256


def original(folder: Path, sha256: str) -> bytes | None:
    """Give the bytes of an original; None where they are gone, or are not what was kept."""
    try:
        data = original_path(folder, sha256).read_bytes()
    except OSError:
        return None
    return data if hashlib.sha256(data).hexdigest() == sha256 else None


def head_at(path: Path) -> Head | None:
    """Read the head of a record; None where that is gone or damaged."""
    try:
        with path.open("rb") as file:
            return decoded_head(file.readline())
    except OSError:
        return None


def checked(blocks: Iterable[bytes], sha256: str) -> Iterator[bytes]:
    """Let bytes pass, and raise behind the last where they are not those of the hash."""
    found = hashlib.sha256()
    for block in blocks:
        found.update(block)
        yield block
    if found.hexdigest() != sha256:
        raise OtherBytes("The original is no longer what was read.")


def _store(folder: Path, record: Record, originals: Mapping[str, Blocks]) -> None:
    for sha256, blocks in originals.items():
        _keep(original_path(folder, sha256), sha256, blocks)
    put(folder / RECORDS / _name(record.head), [encoded(record)])


def _keep(path: Path, sha256: str, blocks: Blocks) -> None:
    """Write an original, unless it is there and sound."""
    if path.exists() and _hash(_pieces(path)) == sha256:
        return
    put(path, checked(blocks(), sha256))


def _hash(blocks: Iterable[bytes]) -> str:
    found = hashlib.sha256()
    for block in blocks:
        found.update(block)
    return found.hexdigest()


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            yield block


def _record_at(path: Path) -> Record | None:
    try:
        return decoded(path.read_bytes())
    except OSError:
        return None


def _records(folder: Path) -> list[Path]:
    """The files of records, newest first, since their names begin with their time."""
    try:
        names = os.listdir(folder / RECORDS)
    except OSError:
        return []
    return [folder / RECORDS / name for name in sorted(names, reverse=True) if RECORD.fullmatch(name)]


def _name(head: Head) -> str:
    digits = "".join(character for character in head.at if character.isdecimal())
    return f"{digits}-{head.id}.json"


def _id(path: Path) -> str:
    return path.stem.partition("-")[2]
