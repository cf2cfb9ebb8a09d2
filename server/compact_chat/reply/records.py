"""Records of files in a model's reply, however it wrote them (rule T23)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from compact_chat.facts.records import MODIFIED, READ
from compact_chat.marks import Tag, find_tags
from compact_chat.reply.code import closed_code, left_to_right

_END_OF_OPEN = re.compile(r"\n[ \t]*(?=\n|#)|\Z")
_INDENT = re.compile(r"^[ \t]*+(?=<)", re.MULTILINE)


def without_records(text: str) -> str:
    """The text without the blocks of records in it, trimmed; one that is not closed ends with its paragraph."""
    pieces: list[str] = []
    place = 0
    for start, end in _blocks(text):
        pieces.append(text[place:start].rstrip())
        place = end
    behind = text[place:].strip()
    return "\n\n".join(piece for piece in (*pieces, behind) if piece.strip()).strip()


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Where blocks begin and end: each opening tag at the start of a line, outside code."""
    tags = _tags_outside_code(text)
    closing = [tag for tag in tags if tag.closing]
    starts = [tag.start for tag in closing]
    line_starts = {match.end() for match in _INDENT.finditer(text)}
    place = 0
    for tag in tags:
        if tag.closing or tag.start < place or tag.start not in line_starts:
            continue
        nearest = bisect_right(starts, tag.start)
        if nearest < len(closing) and closing[nearest].name == tag.name:
            place = closing[nearest].end
        else:
            place = _end_of_open(text, tag.end)
        yield tag.start, place


def _end_of_open(text: str, place: int) -> int:
    paragraph = _END_OF_OPEN.search(text, place)
    return paragraph.start() if paragraph else len(text)


def _tags_outside_code(text: str) -> list[Tag]:
    code = list(left_to_right(closed_code(text)))
    begins = [start for start, _ in code]
    tags: list[Tag] = []
    for tag in find_tags(text, (READ, MODIFIED)):
        at = bisect_right(begins, tag.start) - 1
        if at < 0 or code[at][1] <= tag.start:
            tags.append(tag)
    return tags
