"""What the summaries of earlier compactions hand on, so that it is not lost with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from compact_chat.facts.requests import Request
from compact_chat.prompt.clip import clip
from compact_chat.providers.extract.lines import EARLIER, Line
from compact_chat.providers.extract.page import NOTHING
from compact_chat.providers.extract.quoting import block
from compact_chat.reply.code import marked_lines
from compact_chat.reply.sections import parse_sections

LONGEST_PIECE, MOST_PIECES = 1200, 400  # characters, and of one section
_OURS = ("(Extracted from", "From the summary of", "State at an earlier", "Open at an earlier", NOTHING)


def earlier_lines(summaries: Sequence[Request]) -> Iterator[Line]:
    """The pieces of each earlier summary under its own sections, or as a whole where it has none; the newest first."""
    for number, summary in enumerate(summaries):
        sections = parse_sections(summary.text)
        if len(sections) < 3:
            sections = {"primaryRequestAndIntent": summary.text}
        before, behind = number * MOST_PIECES, (len(summaries) - 1 - number) * MOST_PIECES
        for name, group in EARLIER.items():
            for place, piece in enumerate(islice(_pieces(sections.get(name, "")), MOST_PIECES)):
                yield Line(group, clip(piece, LONGEST_PIECE), before + place, turn=behind + place)


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
