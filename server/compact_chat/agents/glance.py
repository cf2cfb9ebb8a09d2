"""Look at what a transcript grew by, for compactions alone; nothing is decoded but their own records."""

from __future__ import annotations

import json
import os
import stat
from contextlib import suppress
from typing import Any

from compact_chat.agents.hosts import Host

_BLOCK = 2**20
_LONGEST_LINE = 2**26
_MOST = 2**28  # bytes of a transcript, as for chats
_EDGE = 48  # bytes before the offset, which tell a file that grew from one that was rewritten
_READ = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOCTTY", "O_BINARY"))


def glance(path: str, host: Host, known: dict[str, Any]) -> dict[str, Any]:
    """Return what is known of a transcript now, from what was known: `offset`, `edge`, `count` and `newest`.

    `newest` is where the record of the newest compaction begins, -1 without one. An unfinished last line is left for
    later; a file that cannot be read leaves all as it was.
    """
    with suppress(OSError, ValueError):
        handle = os.open(path, _READ)
        with open(handle, "rb", buffering=0) as file:
            found = os.fstat(handle)
            if stat.S_ISREG(found.st_mode) and found.st_size <= _MOST:
                return _look(file, found.st_size, host, known)
    return known


def _look(file: Any, size: int, host: Host, known: dict[str, Any]) -> dict[str, Any]:
    offset, count, newest = (
        _whole(known.get(name), least) for name, least in (("offset", 0), ("count", 0), ("newest", -1))
    )
    edge = known.get("edge")
    start = max(0, offset - _EDGE)
    file.seek(start)
    if offset > size or not isinstance(edge, str) or file.read(offset - start).hex() != edge:
        offset, count, newest = 0, 0, -1
        file.seek(0)
    rest, at = b"", offset
    while block := file.read(min(_BLOCK, size - at)) if at < size else b"":
        at += len(block)
        lines = rest + block
        whole = lines.rfind(b"\n") + 1
        place = lines.find(host.mark, 0, whole) if host.mark else -1
        while place >= 0:
            first, end = lines.rfind(b"\n", 0, place) + 1, lines.find(b"\n", place)
            if _is_compaction(lines[first:end], host):
                count, newest = count + 1, offset + first
            place = lines.find(host.mark, end, whole)
        offset, rest = offset + whole, lines[whole:]
        if len(rest) > _LONGEST_LINE:
            break
    start = max(0, offset - _EDGE)
    file.seek(start)
    return {"offset": offset, "edge": file.read(offset - start).hex(), "count": count, "newest": newest}


def _is_compaction(line: bytes, host: Host) -> bool:
    """Whether this is the record of a compaction that worked, of the chat itself and not of a sub-agent."""
    name, value = host.record
    with suppress(ValueError, RecursionError):
        record = json.loads(line)
        if not name:
            return isinstance(record, dict)
        data = record.get("data") if isinstance(record.get("data"), dict) else {}
        return bool(
            record.get(name) == value and record.get("isSidechain") is not True and data.get("success") is not False
        )
    return False


def _whole(value: object, least: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= least else least
