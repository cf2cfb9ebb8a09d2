"""What the summaries of earlier compactions hand on, so that it is not lost with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from compact_chat.facts.requests import Request
from compact_chat.options import Style
from compact_chat.prompt.clip import clip
from compact_chat.providers.extract.lines import EARLIER, NOTHING, Line
from compact_chat.providers.extract.quoting import block, bullet
from compact_chat.reply.code import marked_lines
from compact_chat.reply.styles import parse_sections

LONGEST_PIECE, MOST_PIECES = 1200, 400  # characters, and of one section
LEAST_SECTIONS = 3  # with which a text is taken for a summary of a style
# The sections of the other styles beside those of the detailed one.
_NAMES: Mapping[Style, Mapping[str, str]] = {
    "detailed": {},
    "checkpoint": {
        "goal": "primaryRequestAndIntent",
        "constraints": "primaryRequestAndIntent",
        "done": "problemSolving",
        "inProgress": "currentWork",
        "blocked": "errorsAndFixes",
        "decisions": "keyTechnicalConcepts",
        "nextSteps": "pendingTasks",
        "context": "contextForContinuingWork",
    },
    "structured": {
        "userIntent": "primaryRequestAndIntent",
        "keyDecisions": "keyTechnicalConcepts",
        "codeChanges": "filesAndCodeSections",
        "errorsAndSolutions": "errorsAndFixes",
        "debuggingSteps": "problemSolving",
        "warningsAndNotes": "contextForContinuingWork",
        "currentState": "currentWork",
        "nextSteps": "pendingTasks",
    },
}
_OURS = ("(Extracted from", "From the summary of", "State at an earlier", "Open at an earlier", NOTHING)


def earlier_lines(summaries: Sequence[Request]) -> Iterator[Line]:
    """The pieces of each earlier summary under its own sections, or as a whole where it has none; the newest first."""
    for number, summary in enumerate(summaries):
        sections = _sections(summary.text)
        before, behind = number * MOST_PIECES, (len(summaries) - 1 - number) * MOST_PIECES
        for name, group in EARLIER.items():
            for place, piece in enumerate(islice(_pieces(sections.get(name, "")), MOST_PIECES)):
                yield Line(group, clip(piece, LONGEST_PIECE), before + place, turn=behind + place)


def _sections(summary: str) -> Mapping[str, str]:
    """The sections of a summary of any style under the names of the detailed one; its whole text where it has none."""
    for style, names in _NAMES.items():
        found = parse_sections(summary, style) or {}
        texts = [(names.get(key, key), _text(value)) for key, value in found.items() if value]
        if len(texts) >= LEAST_SECTIONS:
            return {name: "\n\n".join(text for key, text in texts if key == name) for name, _ in texts}
    return {"primaryRequestAndIntent": summary}


def _text(value: str | Sequence[str | Mapping[str, str]]) -> str:
    """A section as text: items as a list, an entry as one of them."""
    if isinstance(value, str):
        return value
    items = (item if isinstance(item, str) else "; ".join(filter(None, item.values())) for item in value)
    return "\n".join(map(bullet, items))


def _pieces(text: str) -> Iterator[str]:
    """The items of a section without headings of ours; each begins with a line neither indented nor in a fence."""
    piece: list[str] = []
    for line, fenced in marked_lines(block(text)):
        if piece and not fenced and line[:1].strip():
            yield "\n".join(piece)
            piece = []
        if line.strip() and not line.startswith(_OURS):
            piece.append(line)
    if piece:
        yield "\n".join(piece)
