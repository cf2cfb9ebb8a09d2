"""Add facts to a text that a person wrote, and take them out again: all else stays to the letter."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate

from compact_chat.facts import Fact
from compact_chat.offline.adding import ALSO, filed, shown
from compact_chat.offline.lines import bullet, safe
from compact_chat.styles import SummaryStyle
from compact_chat.text import CLOSING, marked_lines

Piece = tuple[tuple[str, ...], list[str]]  # the headings that lines are below, and the lines
_HEADING = re.compile(r"(#{1,6})[ \t]+\S")
_TURN = re.compile(r"### (?:Turn (\d{1,9})|Before turn 1)\b")
_NONE = "(none)"  # of a section that some styles write without anything in it


def pieces_of(
    style: SummaryStyle, facts: Sequence[Fact], turns: Mapping[str, int], past: Collection[str] = ()
) -> list[Piece]:
    """Write facts as a summary has them: the headings that they are below, and their lines."""
    whole = [fact.id for fact in facts]
    sections = style.parse("") if facts else None
    text = "" if sections is None else filed(style, sections, facts, turns, whole, past).text
    deepest = 2 if any(slot.members for slot in style.slots) else 3  # below that, headings are those of entries
    headings, found = list[str](), list[Piece]()
    for line, fenced in marked_lines(text):
        level = 0 if fenced else _level(line)
        if 0 < level <= deepest:
            headings = [*(one for one in headings if _level(one) < level), line]
            found.append(((*headings,), []))
        elif found:
            found[-1][1].append(line)
    if not found:  # a style without headings
        return [((), safe(bullet(shown(fact, whole))).split("\n")) for fact in facts]
    pieces = ((path, "\n".join(lines).strip("\n")) for path, lines in found)
    return [(path, words.split("\n")) for path, words in pieces if words not in ("", _NONE)]


def with_pieces(text: str, pieces: Sequence[Piece], closing: str) -> str:
    """Add pieces to a text of any form, each at the end of its section, else at the end of the text.

    That is before the `closing` words and the line that marks the end.
    """
    page, also = _Page(text, closing), list[str]()
    for path, lines in pieces:
        if path and path[-1] in page.sections:
            page.add(page.sections[path[-1]], lines)
        elif len(path) > 1 and path[-2] in page.sections and (turn := _TURN.match(path[-1])):
            page.add(page.before_turn(int(turn[1] or 0), page.sections[path[-2]]), [path[-1], *lines])
        else:
            also += lines
    if also:
        place = page.sections.get(ALSO)
        page.add(page.end if place is None else place, also if place is not None else [ALSO, *also])
    return page.text


def without_pieces(text: str, pieces: Sequence[Piece]) -> str:
    """Remove the pieces that stand in a text to the letter."""
    firsts = {lines[0]: lines for _, lines in pieces}
    lines, kept, at = text.split("\n"), list[str](), 0
    while at < len(lines):
        piece = firsts.get(lines[at])
        if piece and lines[at : at + len(piece)] == piece:
            at += len(piece)
        else:
            kept.append(lines[at])
            at += 1
    if pieces and ALSO in kept:
        place = kept.index(ALSO)
        behind = next((line for line in kept[place + 1 :] if line.strip()), CLOSING)
        if _level(behind) in (1, 2) or behind == CLOSING:
            del kept[max(0, place - 1) : place + 1]
    return "\n".join(kept)


class _Page:
    """The lines of a text, the ends of its sections, and what is added behind its lines."""

    def __init__(self, text: str, closing: str) -> None:
        self._lines = text.split("\n")
        plain = ["" if fenced else line.rstrip() for line, fenced in marked_lines(text)]
        end = plain.index(CLOSING) if CLOSING in plain else len(plain)
        self._filled = list(accumulate((n if line.strip() else 0 for n, line in enumerate(self._lines, 1)), max))
        if closing and (last := self._last(end)) and plain[last - 1] == closing:
            end = last - 1
        self.end = self._last(end)
        self.sections = dict[str, int]()  # behind the last line of each that is not blank; of equal ones, of the first
        self._turns, self._numbers = list[int](), list[int]()
        stops = [end] * 7  # where the next heading of each level is
        for place in range(end - 1, -1, -1):
            if level := _level(plain[place]):
                self.sections[plain[place]] = self._last(min(stops[1 : level + 1]))
                stops[level] = place
            if turn := _TURN.match(plain[place]):
                self._turns.append(place)
                self._numbers.append(int(turn[1] or 0))
        self._turns.reverse()
        self._numbers = list(accumulate(reversed(self._numbers), max))
        self._added = dict[int, list[str]]()

    def _last(self, place: int) -> int:
        return self._filled[place - 1] if place else 0

    def before_turn(self, number: int, end: int) -> int:
        """Return the place for a turn that the text does not have, in a record that ends there."""
        later = bisect_left(self._numbers, number)
        return min(end, self._last(self._turns[later])) if later < len(self._turns) else end

    def add(self, place: int, lines: Sequence[str]) -> None:
        """Add lines; two quotes in a row would be one message."""
        is_apart = lines[0].startswith((">", "#"))
        self._added.setdefault(place, []).extend(["", *lines] if is_apart else lines)

    @property
    def text(self) -> str:
        """The text with what was added."""
        whole = [*self._added.get(0, ())]
        for place, line in enumerate(self._lines, 1):
            whole += [line, *self._added.get(place, ())]
        return "\n".join(whole)


def _level(line: str) -> int:
    found = _HEADING.match(line)
    return len(found[1]) if found else 0
