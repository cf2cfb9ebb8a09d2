"""Checkpoints: a model's reply with its headings, its sections, and the records of files at its end (rule P26)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping

from compact_chat.errors import InvalidParams, NoSummary
from compact_chat.facts import MODIFIED, READ, record_blocks
from compact_chat.reply.markdown import (
    Reply,
    closed_code,
    escaped,
    is_section_structure,
    left_to_right,
    read_text,
    read_value,
    readable,
    stretches,
    titles_of,
    trimmed,
    unshelled,
    write_value,
)
from compact_chat.reply.model import MOST_PROBLEMS, TASK, unknown_section
from compact_chat.text import Tag, find_tags, line_feeds, strip_summary_wrappers
from compact_chat.wire import Files

# Records of files in a model's reply, however it wrote them (rule T23).


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


# Checkpoints: a model's reply with its headings, its sections, and the records of files at its end (rule P26).


# The headings in their order; what stands right below `Progress` has a section of its own below it to go to.
_HEADINGS = (
    ("## Goal", "goal"),
    ("## Constraints & Preferences", "constraints"),
    ("## Progress", "inProgress"),
    ("### Done", "done"),
    ("### In Progress", "inProgress"),
    ("### Blocked", "blocked"),
    ("## Key Decisions", "decisions"),
    ("## Next Steps", "nextSteps"),
    ("## Critical Context", "context"),
    ("## IMMEDIATE TASK", TASK),
)
_HOLDER = "## Progress"
_KEYS = tuple(dict.fromkeys(key for _, key in _HEADINGS))
_TITLES = titles_of((heading.strip("# "), key) for heading, key in _HEADINGS)
_NEEDED = {"goal": "## Goal", "nextSteps": "## Next Steps"}
_NOTHING = "(none)"


def format_checkpoint(text: str) -> Reply:
    """The reply as it is, if it is a checkpoint, without the records that the model wrote (rules P26 and T23)."""
    text = _plain(readable(text))
    found = {key for key, _ in stretches(text, _TITLES)}
    if missing := [heading for key, heading in _NEEDED.items() if key not in found]:
        raise NoSummary(f"The reply is no checkpoint: it lacks {' and '.join(missing)}.")
    if not any(value and value.strip() for value in _texts(text).values()):
        raise NoSummary("The sections of the checkpoint hold nothing.", "emptySummary")
    return Reply(text)


def parse_checkpoint(summary: str) -> dict[str, str | None]:
    """The text of every section, empty where it says that there is nothing."""
    return _texts(_plain(line_feeds(summary)))


def render_checkpoint(sections: Mapping[str, object]) -> str:
    """The checkpoint of these sections, under all its headings."""
    checked = _checked(sections)
    if not any(text.strip() for text in checked.values()):
        raise NoSummary("The sections hold nothing.", "emptySummary")
    return "\n\n".join(_written(checked))


def with_records(summary: str, files: Files) -> str:
    """The checkpoint with the records of its files at the end, in place of any others (rules T20 and T23)."""
    return "\n\n".join(filter(None, (without_records(summary), record_blocks(files))))


def _texts(text: str) -> dict[str, str | None]:
    texts: dict[str, list[str]] = {key: [] for key in _KEYS}
    for key, lines in stretches(text, _TITLES):
        texts[key].append((read_text if key == TASK else read_value)(lines, _is_structure))
    sections: dict[str, str | None] = {key: "\n\n".join(filter(None, found)) for key, found in texts.items()}
    return sections | {TASK: sections[TASK] or None}


def _plain(text: str) -> str:
    """A checkpoint without a fence or wrapper around it, and without records."""
    return without_records(strip_summary_wrappers(unshelled(text, _TITLES)))


def _written(sections: Mapping[str, str]) -> Iterator[str]:
    for heading, key in _HEADINGS:
        text = sections.get(key, "")
        if heading == _HOLDER:
            yield heading
        elif text or key != TASK:
            written = escaped(text, _is_structure) if key == TASK else write_value(text, _is_structure)
            yield f"{heading}\n{written or _NOTHING}"


def _is_structure(line: str) -> bool:
    return is_section_structure(line, _TITLES)


def _checked(sections: Mapping[str, object]) -> dict[str, str]:
    """The sections as trimmed text; each unknown name and each value that is no text is a problem."""
    problems = [
        unknown_section(place, dict.fromkeys(_KEYS))
        if key not in _KEYS
        else {"path": f"$.sections.{key}", "message": "expected text"}
        for place, (key, value) in enumerate(sections.items())
        if key not in _KEYS or not (isinstance(value, str) or (value is None and key == TASK))
    ]
    if problems:
        raise InvalidParams(problems[:MOST_PROBLEMS])
    return {key: trimmed(line_feeds(value)) for key, value in sections.items() if isinstance(value, str)}
