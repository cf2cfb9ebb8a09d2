"""Look at what a transcript grew by, for compactions alone, and where asked for its last usage."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import Any

from compact_chat.agents.hosts import Host
from compact_chat.agents.memory import member, number
from compact_chat.disk import regular_file

_BLOCK = 2**20
_LONGEST_LINE = 2**26
_MOST = 2**28  # bytes of a transcript, as for chats
_EDGE = 48  # bytes before the offset, which tell a file that grew from one that was rewritten
_SENT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def glance(path: str, host: Host, known: dict[str, Any]) -> dict[str, Any]:
    """Return what is known of a transcript now, from what was known: `offset`, `edge`, `count` and `newest`.

    `newest` is where the record of the newest compaction begins, -1 without one. An unfinished last line is left for
    later; a file that cannot be read leaves all as it was.
    """
    with suppress(OSError, ValueError), regular_file(path) as (handle, size), open(handle, "rb", closefd=False) as file:
        if size <= _MOST:
            return _look(file, size, host, known, of_sub_agent=os.path.basename(path).startswith("agent-"))
    return known


def last_usage(path: str, start: int) -> dict[str, Any]:
    """Return the usage of the last answer in Claude Code's transcript, from `start` on; empty without one."""
    with suppress(OSError, ValueError), regular_file(path) as (handle, size), open(handle, "rb", closefd=False) as file:
        file.seek(max(0, start, size - _BLOCK))
        for line in reversed(file.read(_BLOCK).split(b"\n")):
            if b'"usage"' in line and (usage := _usage_of(line)):
                return usage
    return {}


def _usage_of(line: bytes) -> dict[str, Any]:
    with suppress(ValueError, RecursionError, AttributeError, KeyError, TypeError):
        record = json.loads(line)
        usage = record["message"]["usage"] if record.get("type") == "assistant" else None
        if record.get("isSidechain") is not True and isinstance(usage, dict) and any(map(usage.get, _SENT)):
            return usage
    return {}


def _look(file: Any, size: int, host: Host, known: dict[str, Any], *, of_sub_agent: bool) -> dict[str, Any]:
    offset, count, newest = number(known, "offset", 0), number(known, "count", 0), number(known, "newest")
    if offset > size or _edge(file, offset) != known.get("edge", ""):
        offset, count, newest = 0, 0, -1
    file.seek(offset)
    rest, at = b"", offset
    while block := file.read(min(_BLOCK, size - at)) if at < size else b"":
        at += len(block)
        lines = rest + block
        whole = lines.rfind(b"\n") + 1
        place = lines.find(host.mark, 0, whole)
        while place >= 0:
            first, end = lines.rfind(b"\n", 0, place) + 1, lines.find(b"\n", place)
            if _is_compaction(lines[first:end], host, of_sub_agent=of_sub_agent):
                count, newest = count + 1, offset + first
            place = lines.find(host.mark, end, whole)
        offset, rest = offset + whole, lines[whole:]
        if len(rest) > _LONGEST_LINE:
            break
    return {"offset": offset, "edge": _edge(file, offset), "count": count, "newest": newest}


def _edge(file: Any, offset: int) -> str:
    """Read the bytes before an offset, as hexadecimal digits: they are others in a file that was rewritten."""
    file.seek(max(0, offset - _EDGE))
    return str(file.read(min(_EDGE, offset)).hex())


def _is_compaction(line: bytes, host: Host, *, of_sub_agent: bool) -> bool:
    """Whether this is the record of a compaction that worked, of the chat whose file it is and not of a sub-agent."""
    name, value = host.record
    with suppress(ValueError, RecursionError):
        record = json.loads(line)
        return bool(
            record.get(name) == value
            and (of_sub_agent or record.get("isSidechain") is not True)
            and member(record, "data").get("success") is not False
        )
    return False
