"""The page: chosen lines under the nine titles; nothing of the chat can pass for a tag, a title or a label."""

from __future__ import annotations

from collections.abc import Sequence

from compact_chat.marks import escape_labels, escape_tags
from compact_chat.plan.outcome import Direction
from compact_chat.prompt.transcript import LABELS
from compact_chat.providers.extract.lines import Line
from compact_chat.reply.headings import TITLES, key_of
from compact_chat.reply.sections import render_sections

NOTHING = "(none)"


def titles(direction: Direction, task: bool) -> list[str]:
    """The keys of the sections that a summary of this direction has (rules P6 and P10)."""
    left_out = {"optionalNextStep", "immediateTask"} if direction == "upTo" else {"contextForContinuingWork"}
    return [key for key in map(key_of, TITLES) if key not in left_out and (task or key != "immediateTask")]


def page(lines: Sequence[Line], keys: Sequence[str], blank_sections: bool) -> str:
    """The sections with these lines, each that has none saying so or left out."""
    sections = {key: _section([line for line in lines if line.group.section == key]) for key in keys}
    filled = {key: text or NOTHING for key, text in sections.items() if text or blank_sections}
    return render_sections(filled or {keys[0]: NOTHING}).partition("\n")[2]


def _section(lines: Sequence[Line]) -> str:
    pieces: list[str] = []
    head = ""
    for line in sorted(lines, key=lambda line: line.order):
        if line.head != head:
            pieces += [""] * bool(pieces) + [line.head] * bool(line.head)
        head = line.head
        pieces.append(line.text)
    return escape_labels(escape_tags("\n".join(pieces)), LABELS)
