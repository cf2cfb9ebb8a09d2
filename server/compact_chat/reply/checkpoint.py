"""Checkpoints: a model's reply with its headings, its sections, and the records of files at its end (rule P26)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from compact_chat.errors import InvalidParams, NoSummary
from compact_chat.facts.records import record_blocks
from compact_chat.marks import line_feeds, strip_summary_wrappers
from compact_chat.reply.escapes import escaped
from compact_chat.reply.model import MOST_PROBLEMS, TASK, unknown_section
from compact_chat.reply.records import without_records
from compact_chat.reply.reply import Reply, readable
from compact_chat.reply.titles import stretches, titles_of, unshelled
from compact_chat.reply.values import is_section_structure, read_text, read_value, trimmed, write_value
from compact_chat.results import Files

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
