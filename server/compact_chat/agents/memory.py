"""What hooks and status lines remember from run to run, and a look at what a transcript grew by since.

They remember in small JSON files, some per session, in the state folder. Of a transcript only compactions count, and
where asked for its last usage.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from compact_chat.agents.hosts import Host
from compact_chat.disk import folder_for, home_folder, regular_file

FOLDER = "agents"
SETTINGS = "settings"
MOST = 400  # files
_LARGEST = 2**18  # bytes
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)

Values = dict[str, Any]


def state_of(session: str, part: str) -> str:
    """Return the name of a session's file; ids that no file name can have are hashed."""
    if not (session.isascii() and session.replace("-", "").replace("_", "").isalnum() and len(session) <= 64):
        import hashlib

        session = hashlib.blake2b(session.encode(errors="surrogatepass"), digest_size=16).hexdigest()
    return f"{session}.{part}"


def recall(name: str) -> Values:
    """Read what was remembered; empty if it is missing or damaged."""
    path = os.path.join(_folder(), f"{name}.json")
    with suppress(OSError, ValueError, RecursionError), regular_file(path, is_ours=True) as (handle, _):
        found = json.loads(os.read(handle, _LARGEST))
        return found if isinstance(found, dict) else {}
    return {}


def remember(name: str, values: Values) -> None:
    """Write it atomically; what cannot be written is forgotten."""
    with suppress(OSError, ValueError, RecursionError):
        folder = _folder()
        if not folder:
            return
        if not _is_ours(folder):
            from pathlib import Path

            from compact_chat.disk import private_folder

            private_folder(Path(folder).parent, FOLDER)
        path = os.path.join(folder, f"{name}.json")
        if not os.path.lexists(path):
            _make_room(folder)
        part = os.path.join(folder, f".part-{os.getpid()}-{name}")
        handle = os.open(part, _WRITE, 0o600)
        try:
            with open(handle, "wb") as file:
                file.write(json.dumps(values).encode())
            os.replace(part, path)
        except BaseException:
            os.unlink(part)
            raise


def member(values: object, name: str, kind: type = dict) -> Any:
    """Read a member of untrusted JSON; empty if it is of another type."""
    found = values.get(name) if isinstance(values, dict) else None
    return found if isinstance(found, kind) else kind()


def number(values: object, name: str, least: int = -1) -> int:
    """Read a whole number of untrusted JSON; the least one if it is less, or anything else."""
    found = values.get(name) if isinstance(values, dict) else None
    return found if type(found) is int and found > least else least


def update(name: str, change: Callable[[Values], None]) -> Values:
    """Change what is remembered while no other process does; raises OSError where it cannot be locked."""
    from pathlib import Path

    from compact_chat.disk import locked, private_folder

    folder = _folder()
    if not folder:
        raise FileNotFoundError
    private_folder(Path(folder).parent, FOLDER)
    with locked(Path(folder) / "lock"):
        values = recall(name)
        change(values)
        remember(name, values)
    return values


def _folder() -> str:
    state = folder_for(sys.platform, os.environ, home_folder())
    return os.path.join(state, FOLDER) if state else ""


def _is_ours(folder: str) -> bool:
    with suppress(OSError, ValueError):
        found = os.lstat(folder)
        return stat.S_ISDIR(found.st_mode) and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return False


def _make_room(folder: str) -> None:
    """Remove the files that were written longest ago, but never the settings."""
    with os.scandir(folder) as entries:
        files = [one for one in entries if one.name.endswith((".hook.json", ".line.json"))]
    if len(files) >= MOST:
        for one in sorted(files, key=lambda one: one.stat(follow_symlinks=False).st_mtime_ns)[: len(files) - MOST + 1]:
            os.unlink(one.path)


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
