"""The arguments of a call that changes files: the start and the signatures of new code, little of the old."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from compact_chat.chat import JsonObject, ToolCall
from compact_chat.facts import NEW_TEXT, OLD_TEXT, Step, defining_lines, file_kind

_PARTS, LEAST_PART = ("edits", "args", "files", "file"), 200  # arguments with several edits; characters of each
OLD_SHARE, SLACK = 10, 60  # the old code gets this part of the room of the new; more than a marker saves
_PATCH = re.compile(r"\*\*\* Begin Patch|--- |diff --git |[-<]{5,9} ?SEARCH")
_SEARCH, _REPLACE = re.compile(r"[-<]{5,9} ?SEARCH"), re.compile(r"={5,9}\s*\Z")
_HEADING = re.compile(r"^#{1,6} .*", re.MULTILINE)
OLD_LINES = 2  # of each removed or searched stretch of a patch that is too long
LONGEST_SIGNATURE = 160  # characters


def changes_files(call: ToolCall) -> bool:
    """Return whether a call writes or edits files."""
    return file_kind(Step("", call)) in ("write", "edit")


def shorter_edit(given: JsonObject, limit: int) -> JsonObject:
    """Shorten old and new code; `limit` is for the characters of all new code."""
    return {name: _shorter(name, value, limit) for name, value in given.items()}


def _shorter(name: str, value: Any, limit: int) -> Any:
    match value:
        case list() if name in _PARTS and value:
            each = max(LEAST_PART, limit // len(value))
            return [shorter_edit(one, each) if isinstance(one, dict) else one for one in value]
        case dict() if name in _PARTS:
            return shorter_edit(value, limit)
        case str() if name in OLD_TEXT:
            room = limit // OLD_SHARE
            return value if len(value) <= room + SLACK else f"{value[:room]}\n{_omitted(len(value) - room)}"
        case str() if len(value) <= limit:
            return value
        case str() if _PATCH.match(value):
            return gist("\n".join(_without_old(value)), limit)
        case str() if name in NEW_TEXT:
            return gist(value, limit)
    return value


def gist(code: str, limit: int) -> str:
    """Return the start and, of the rest, the lines that define something or head a section; a marker between them."""
    if len(code) <= limit:
        return code
    signatures, room = [], limit // 3
    rest = code[limit * 2 // 3 :]
    for line in (*defining_lines(rest),) or _HEADING.findall(rest):
        line = line.rstrip()[:LONGEST_SIGNATURE]
        room -= len(line) + 1
        if room < 0:
            break
        signatures.append(line)
    start = code[: limit - sum(len(line) + 1 for line in signatures)]
    return "\n".join((start, _omitted(len(code) - limit), *signatures))


def _omitted(count: int) -> str:
    return f"[... {count} characters omitted ...]"


def _without_old(patch: str) -> Iterator[str]:
    """Yield the lines of a patch with no more than the first of those that it removes or looks for."""
    old, in_search = 0, False
    for line in patch.split("\n"):
        if _SEARCH.match(line):
            in_search = True
        elif in_search and _REPLACE.match(line):
            in_search = False
        elif in_search or (line.startswith("-") and not line.startswith("---")):
            old += 1
            if old <= OLD_LINES:
                yield line
            continue
        old = 0
        yield line
