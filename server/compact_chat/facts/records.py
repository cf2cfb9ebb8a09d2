"""The records of files that stand in a summary: what was read, and what was modified (rules T20 and T23)."""

from __future__ import annotations

from collections.abc import Iterator

from compact_chat.results import Files

READ, MODIFIED = "read-files", "modified-files"


def record_blocks(files: Files) -> str:
    """The lists as blocks of a path per line, parted by a blank line; an empty list has none."""
    lists = ((READ, files.read), (MODIFIED, files.modified))
    return "\n\n".join("\n".join((f"<{name}>", *paths, f"</{name}>")) for name, paths in lists if paths)


def records_in(summary: str) -> Files:
    """What the blocks of a summary list."""
    lines = summary.split("\n")
    listed: dict[str, set[str]] = {READ: set(), MODIFIED: set()}
    for name, start, end in _blocks(lines):
        listed[name].update(path for line in lines[start + 1 : end] if (path := line.strip()))
    return joined(Files(read=tuple(listed[READ]), modified=tuple(listed[MODIFIED])))


def without_records(summary: str) -> str:
    """The summary without its blocks, trimmed."""
    lines, kept, place = summary.split("\n"), list[str](), 0
    for _, start, end in _blocks(lines):
        kept += lines[place:start]
        place = end + 1
    return "\n".join((*kept, *lines[place:])).strip()


def joined(*lists: Files) -> Files:
    """The lists of a chat and of what came before it as one; what was ever modified is no more among what was read."""
    modified = {path for files in lists for path in files.modified}
    read = {path for files in lists for path in files.read} - modified
    return Files(read=tuple(sorted(read)), modified=tuple(sorted(modified)))


def _blocks(lines: list[str]) -> Iterator[tuple[str, int, int]]:
    """The name, first and last line of each block; its tags stand alone on their lines."""
    name, start = "", 0
    for place, line in enumerate(map(str.strip, lines)):
        if line in (f"<{READ}>", f"<{MODIFIED}>"):
            name, start = line[1:-1], place
        elif name and line == f"</{name}>":
            yield name, start, place
            name = ""
