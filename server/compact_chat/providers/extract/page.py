"""The page: chosen lines under the nine titles, so that nothing of the chat can pass for a tag or a title."""

from __future__ import annotations

from collections.abc import Sequence

from compact_chat.marks import escape_tags
from compact_chat.plan.outcome import Direction
from compact_chat.providers.extract.lines import GROUPS, Line
from compact_chat.reply.headings import TITLES, key_of
from compact_chat.reply.sections import render_sections

NOTHING = "(none)"
_ONLY_UP_TO, _NOT_UP_TO = "Context for Continuing Work", ("Optional Next Step", "IMMEDIATE TASK")
_ORDER = {group: place for place, group in enumerate(GROUPS)}


def titles(direction: Direction, task: bool) -> list[str]:
    """The keys of the sections that a summary of this direction has (rules P6 and P10)."""
    left_out = _NOT_UP_TO if direction == "upTo" else (_ONLY_UP_TO,)
    return [key_of(title) for title in TITLES if title not in left_out and (task or title != TITLES[-1])]


def page(lines: Sequence[Line], keys: Sequence[str], blank_sections: bool = True) -> str:
    """The sections with these lines, each that has none saying so or left out."""
    sections = {key: _section([line for line in lines if line.group.section == key]) for key in keys}
    filled = {key: text or NOTHING for key, text in sections.items() if text or blank_sections}
    return render_sections(filled or {keys[0]: NOTHING}).partition("\n")[2]


def _section(lines: Sequence[Line]) -> str:
    pieces: list[str] = []
    head = ""
    for line in sorted(lines, key=lambda line: (_ORDER[line.group], line.place)):
        if line.head and line.head != head:
            pieces += ["", line.head] if pieces else [line.head]
        head = line.head
        pieces.append(line.text)
    return escape_tags("\n".join(pieces))
