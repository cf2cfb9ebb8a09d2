"""The archive: originals stored once by their hashes, and a record for each compaction."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
from msgspec import Struct, field

from compact_chat.chat import JsonObject
from compact_chat.convert import convert
from compact_chat.disk.files import own_file, path_of
from compact_chat.disk.home import home_folder, regular_file
from compact_chat.disk.state import PART, is_own_folder, locked, private_folder, put, state_folder

ORIGINALS, RECORDS, LOCK = "originals", "compactions", "lock"
USUAL, ELSEWHERE = "archive", "archives"  # in the state folder: the default archive, and a list of all others
MOST_ELSEWHERE = 1000
# Only files with such names are ever removed: a folder that the user chose may hold others.
_HASH = re.compile(r"[0-9a-f]{64}")
_RECORD = re.compile(r"[0-9]{17}-[0-9a-f]{32}\.json")
_LARGEST = 2**29  # bytes of an original or a record
_LONGEST_HEAD, _LONGEST_PATH = 2**24, 2**16  # bytes
_QUOTED_HASH = re.compile(rb'"([0-9a-f]{64})"')

T = TypeVar("T")
SourceKind = Literal["file", "text", "messages"]
Blocks = Callable[[], Iterable[bytes]]


class OtherBytes(Exception):
    """The bytes to archive are no longer those that were read."""


# A compaction's record: a short head to find it by, and a body with everything that it produced.


class Kept(Struct, frozen=True, rename="camel"):
    """An archived original: what it was, the hash of its bytes, how it was read, and its sibling files by name."""

    kind: SourceKind
    sha256: str
    bytes: int
    format: str | None = None
    tool: str | None = None
    siblings: Mapping[str, str] = field(default_factory=dict, name="beside")  # the name that stored records have
    in_place: bool = False  # the chat's own file still begins with these bytes: its tool only appends


class Beginning(Struct, frozen=True):
    """The hash of a prefix, and its length."""

    mark: str
    length: int


class Marks(Struct, frozen=True, rename="camel"):
    """Hashes of what the compaction wrote, to find it by: the summary, and the message of the next chat."""

    summary: str | None  # None if rules cut the chat, as is the opening
    opening: Beginning | None  # characters
    results: tuple[Beginning, ...] = ()  # of the message rows, as returned to the caller and as exported


class Head(Struct, frozen=True, rename="camel"):
    """What distinguishes one compaction from the others."""

    id: str
    at: str
    uri: str | None
    original: Kept
    title: str | None = None
    workspace: str | None = None
    plan_id: str = ""
    provider: str = ""
    model: str | None = None
    style: str = ""
    chat_model: str | None = None  # the one that the chat used
    before: int = 0
    after: int = 0
    kept: float = 0.0
    marks: Marks | None = None  # None if nothing in the chat shows that it was compacted
    dropped: Mapping[str, str] = {}  # hashes of the messages that the user dropped, by id
    added_back: tuple[str, ...] = ()  # ids of the facts that a person wants in every summary
    tool: str = ""
    own: int = 0  # tokens that the tool adds to the next chat, with the system prompt
    context: int = 0  # and those that it says there itself
    rate: float = 1.0  # tokens there for one that is counted
    draft: int = 0  # the newest version of its draft, if it is one
    changed: str = ""  # when that was made; not known of drafts by an earlier version
    openings: tuple[Beginning, ...] = ()  # of its earlier versions, with which a chat may have been continued
    items: tuple[int, int] | None = None  # facts that it kept, and all there were
    message: int = 0  # tokens of the message that opens the next chat; 0 if there is none, or by an earlier version


class Body(Struct, frozen=True, rename="camel"):
    """The compaction as it was returned, the chat that it produced, its folder and files; all without secrets."""

    compaction: JsonObject
    messages: list[JsonObject]
    read_files: tuple[str, ...] = ()
    modified_files: tuple[str, ...] = ()
    workspace: str | None = None
    options: JsonObject | None = None  # of its plan; of the newest version of a draft
    draft: JsonObject | None = None  # its versions


class Record(Struct, frozen=True):
    """A head with its body."""

    head: Head
    body: Body


class Archive:
    """A folder of originals and records, written by one process at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._originals, self._records = folder / ORIGINALS, folder / RECORDS

    def store(self, record: Record, originals: Mapping[str, Blocks], limit: int) -> None:
        """Store a compaction with its originals, by hash; evict the oldest if the total exceeds the limit.

        The record comes last, so a process that is killed before it leaves no compaction. Its first line is the head,
        which is read without the rest. Raises OtherBytes for what is not what its hash says.
        """
        self.make_private()
        with locked(self._folder / LOCK):
            for folder in (self._originals, self._records):
                for path in folder.iterdir():
                    if path.name.startswith(PART):  # left half written by a killed process: there is only one writer
                        with suppress(OSError):
                            path.unlink()
            try:
                for sha256, blocks in originals.items():
                    put(self.original_path(sha256), checked(blocks(), sha256))
                digits = "".join(character for character in record.head.at if character.isdecimal())
                put(self._records / f"{digits}-{record.head.id}.json", _lines(record))
            except BaseException:
                with suppress(OSError):
                    self._trim(None, "")
                raise
            self._trim(limit, record.head.id)

    def make_private(self) -> None:
        """Create the folders, readable by their owner only; raise an OSError where others may exchange their files."""
        ours = (self._folder.parent, self._folder.name) if self._folder == _usual_folder() else (self._folder,)
        for name in (ORIGINALS, RECORDS):
            private_folder(*ours, name)

    def exchange(self, record: Record, version: int, limit: int) -> Head | None:
        """Replace a draft's record if it still has this version; return the head that is there then, if any."""
        if not self._is_there():
            return None
        with locked(self._folder / LOCK):
            for path in self._paths(record.head.id):
                found = _head(path)
                if found is None or found.draft != version:
                    return found
                put(path, _lines(record))
                sizes = (*_sizes(self._originals, _HASH).values(), *_sizes(self._records, _RECORD).values())
                if sum(sizes) > limit:
                    self._trim(limit, record.head.id)
                return record.head
        return None

    def forget(self, compaction_id: str) -> None:
        """Remove a compaction, and its original if no other refers to it."""
        if self._is_there():
            with locked(self._folder / LOCK):
                for path in self._paths(compaction_id):
                    path.unlink(missing_ok=True)
                self._trim(None, "")

    def heads(self) -> Iterator[Head]:
        """Read the heads of all compactions, newest first; missing or damaged ones are skipped."""
        for path in self._paths():
            with suppress(OSError):
                if head := _head(path):
                    yield head

    def head(self, compaction_id: str) -> Head | None:
        """Read the head of the compaction with this id; None if missing or damaged."""
        with suppress(OSError):
            return next(map(_head, self._paths(compaction_id)), None)
        return None

    def find(self, compaction_id: str) -> Record | None:
        """Read the compaction with this id; None if missing or damaged."""
        for path in self._paths(compaction_id):
            with suppress(OSError):
                first, _, rest = own_file(path, _LARGEST).partition(b"\n")
                head, body = _head(path, first), _decoded(rest, Body)
                return Record(head, body) if head and body and rest.endswith(b"\n") else None
        return None

    def original_path(self, sha256: str) -> Path:
        """Return the path of an original."""
        return self._originals / sha256

    def original(self, sha256: str) -> bytes | None:
        """Read an original; None if it is gone or damaged, or if the record names something else than a hash."""
        if _HASH.fullmatch(sha256) and self._is_there():
            with suppress(OSError):
                data = own_file(self.original_path(sha256), _LARGEST)
                return data if hashlib.sha256(data).hexdigest() == sha256 else None
        return None

    def _paths(self, compaction_id: str | None = None) -> list[Path]:
        """List the record files, all or those of one id, newest first, since their names begin with their time."""
        try:
            names = os.listdir(self._records) if self._is_there() else []
        except OSError:
            return []
        ending = "" if compaction_id is None else f"-{compaction_id}.json"
        names = sorted((name for name in names if _RECORD.fullmatch(name) and name.endswith(ending)), reverse=True)
        return list(map(self._records.joinpath, names))

    def _is_there(self) -> bool:
        """Return whether there is an archive; none of its folders is a link."""
        ours = (self._originals, self._records)
        return all(map(is_own_folder, (self._folder, *ours) if self._folder == _usual_folder() else ours))

    def _trim(self, limit: int | None, newest: str) -> None:
        """Remove what was written longest ago until the rest fits the limit, then unreferenced files; the newest stays.

        A record goes before its original, so that none ever refers to what is gone.
        """
        with suppress(OSError):
            sizes = _sizes(self._originals, _HASH)
            records = _sizes(self._records, _RECORD)
            hashes: dict[str, frozenset[str]] = {}  # whichever version wrote the record
            for name in sorted(records, key=lambda name: (os.lstat(self._records / name).st_mtime_ns, name)):
                line = _first_line(self._records / name)
                hashes[name] = frozenset(hash.decode() for hash in _QUOTED_HASH.findall(line))
            uses = Counter(chain.from_iterable(hashes.values()))
            total = sum(sizes.get(name, 0) for name in uses) + sum(records.values())
            for record, own in hashes.items():
                if limit is None or total <= limit:
                    break
                if not record.endswith(f"-{newest}.json"):
                    total -= records[record]
                    (self._records / record).unlink(missing_ok=True)
                    uses.subtract(own)
                    total -= sum(sizes.get(name, 0) for name in own if not uses[name])
            for name in sizes.keys() - {name for name, times in uses.items() if times}:
                self.original_path(name).unlink(missing_ok=True)


def _lines(record: Record) -> list[bytes]:
    return [json.dumps(msgspec.to_builtins(part)).encode() + b"\n" for part in (record.head, record.body)]


def checked(blocks: Iterable[bytes], sha256: str) -> Iterator[bytes]:
    """Pass bytes through, and raise OtherBytes at the end if their hash differs."""
    found = hashlib.sha256()
    for block in blocks:
        found.update(block)
        yield block
    if found.hexdigest() != sha256:
        raise OtherBytes("The original is no longer what was read.")


def _first_line(record: Path) -> bytes:
    with regular_file(record, is_ours=True) as (handle, _), open(handle, "rb", closefd=False) as file:
        return file.readline(_LONGEST_HEAD)


def _sizes(folder: Path, wanted: re.Pattern[str]) -> dict[str, int]:
    """Return the sizes of the regular files with such names."""
    with os.scandir(folder) as entries:
        ours = [one for one in entries if wanted.fullmatch(one.name) and one.is_file(follow_symlinks=False)]
        return {one.name: one.stat(follow_symlinks=False).st_size for one in ours}


def _head(record: Path, line: bytes | None = None) -> Head | None:
    """Read a head, or decode its line; None if damaged, of another record, or of no time that can be shown."""
    head = _decoded(_first_line(record) if line is None else line, Head)
    try:
        is_sound = head and record.name.endswith(f"-{head.id}.json") and datetime.fromisoformat(head.at).astimezone()
    except (ValueError, OverflowError):
        return None
    return head if is_sound else None


def _decoded(text: bytes, kind: type[T]) -> T | None:
    try:
        return convert(json.loads(text), kind)
    except (ValueError, RecursionError):  # not JSON, or not of this shape
        return None


# Where archives are: in the user's state folder, in a folder that the user chose, or next to the chats' files.


def archive_folder(setting: str, uri: str | None) -> Path | None:
    """Return the archive folder for the chat of a URI; None if archiving is off or no folder is available.

    A folder that is not absolute is taken from the one that holds the chat's file. A chat that is no file, and one
    that is never saved, goes into the usual archive.
    """
    chosen = setting.strip()
    if is_off(chosen):
        return None
    at_home = chosen == "~" or chosen.startswith(("~/", "~\\"))
    folder = Path(home_folder() + chosen[1:] if at_home else os.path.expanduser(chosen))
    if chosen.lower() in ("on", "") or not (folder.is_absolute() or uri):
        return _usual_folder()
    return folder if folder.is_absolute() else Path(path_of(uri or "")).parent / folder


def is_off(setting: str) -> bool:
    """Return whether the user turned archiving off."""
    return setting.strip().lower() == "off"


def known_folders(setting: str) -> list[Path]:
    """List all folders that may hold compactions: the current one, and all that were ever written to."""
    found = [_usual_folder(), archive_folder(setting, None)]
    if (state := state_folder()) and is_own_folder(state / ELSEWHERE):
        for path in sorted((state / ELSEWHERE).iterdir())[:MOST_ELSEWHERE]:
            with suppress(OSError):
                name = os.fsdecode(own_file(path, _LONGEST_PATH))
                found += [Path(name)] if os.path.isabs(name) and "\0" not in name else []
    return list(dict.fromkeys(folder for folder in found if folder))


def remember_folder(folder: Path) -> None:
    """Remember a folder other than the default archive, so that its compactions are found again."""
    state = state_folder()
    if state is None or folder == _usual_folder():
        return
    name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:32]
    if not (state / ELSEWHERE / name).is_file():
        put(private_folder(state, ELSEWHERE) / name, [os.fsencode(folder)])


def _usual_folder() -> Path | None:
    state = state_folder()
    return state / USUAL if state else None
