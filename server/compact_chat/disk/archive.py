"""The archive: originals by their hashes, each once, and a record for each compaction that was made of one."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from compact_chat.disk.archive_limit import RECORD, sweep, trim
from compact_chat.disk.archive_record import Head, Record, decoded, decoded_head, encoded
from compact_chat.disk.archive_writing import private_folder, put
from compact_chat.disk.locks import locked

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
