"""Values that the title of a column or a document's kind names: tables, rows of commas or tabs, Kubernetes' secrets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile

from compact_chat.redact.spans import Span, anchored

_BARS = "|│┃║"
_RULE = re.compile(r"[ \t]*[|+:\u2500-\u257f-][-+|: \t\u2500-\u257f]{2,}(?:\n|\Z)")
_NAMES = re.compile(r"[\"\w .-]{1,40}(?:([,;\t])[\"\w .-]{1,40}){1,40}\Z")
_TITLE = re.compile(r"[^|,;:=(){}<>\[\]\"'`]{2,40}\Z")
_VALUE = re.compile(r"(?=\S*\d)[^\s\"|]{6,256}\Z|[a-z]{4,16}(?:[_-][a-z]{4,16}){1,5}\Z")
_NUMBERED = re.compile(r"[a-z_]{2,24}\d\.?\Z")  # a name, as in `name, password, address2`
_SEPARATORS = frozenset(f"{_BARS},;\t\n")
_DRESS = " \t*`_\"'"
# Titles that blanks separate, and a cell below them.
_ALIGNED = re.compile(
    r"[ \t]*[A-Za-z][\w-]{0,40}(?: [A-Za-z][\w-]{0,40})?"
    r"(?: {2,}[A-Za-z][\w-]{0,40}(?: [A-Za-z][\w-]{0,40})?){1,12}[ \t]*\Z"
)
_ALIGNED_CELL = re.compile(r"\S+(?: \S+)*")
_LONGEST_LINE, _MOST_ROWS = 1_000, 200


class Columns:
    """The columns of a text's tables that `judge` finds secrets in, by title and value; each is read once."""

    def __init__(self, text: str, judge: Callable[[str, str], bool]) -> None:
        self._text, self._judge = text, judge
        self._read: dict[int, int] = {}  # where the rows end that were read, by column
        self._filled = (0, 0)  # where the last table begins and ends whose columns are filled with blanks

    def below(self, at: int, end: int) -> Iterator[Span]:
        """Yield the secrets in the column that has its title here."""
        text = self._text
        if _SEPARATORS.isdisjoint(text[at : end + 1]) and "  " not in text[at : end + 1]:
            return
        before, behind = max(0, at - _LONGEST_LINE), min(len(text), at + _LONGEST_LINE)
        start, last = text.rfind("\n", before, at) + 1, text.find("\n", at, behind)
        if (not start and before) or (last < 0 and behind < len(text)):  # no title is in so long a line
            return
        titles = text[start : len(text) if last < 0 else last]
        sign = _separator(titles)
        if not sign and _ALIGNED.match(titles):
            yield from self._aligned(at, start)
            return
        column = text.count(sign, start, at) if sign else 0
        if sign and self._read.get(column, -1) < at:
            yield from self._values(start, sign, column)

    def _aligned(self, at: int, start: int) -> Iterator[Span]:
        """Yield the secrets below a title, in a table whose columns are filled with blanks."""
        text, lines = self._text, _lines(self._text, start)
        began, ended = self._filled
        if began < start < ended:  # a row has no titles
            return
        title = next(
            (cell for cell in _ALIGNED_CELL.finditer(text, *next(lines)) if cell.start() <= at < cell.end()), None
        )
        if not title or not _TITLE.match(title[0]):
            return
        first, end = title.start() - start, title.end() - start
        for line in takewhile(lambda line: line[1] > line[0], lines):
            self._filled = (start, line[1])
            for value in _ALIGNED_CELL.finditer(text, line[0], min(line[1], line[0] + end + 64)):
                is_below = value.start() - line[0] < end and value.end() - line[0] > first
                if is_below and _VALUE.match(value[0]) and self._judge(title[0].replace(" ", "_"), value[0]):
                    yield Span(*value.span(), "secret")

    def _values(self, start: int, sign: str, column: int) -> Iterator[Span]:
        """Yield the secrets below a title; in a table without a line below its titles, the one in the next cell."""
        text, lines = self._text, _lines(self._text, start)
        first = next(lines)
        title = text[slice(*_cell(text, first, sign, column))].strip(_DRESS)
        if not _TITLE.match(title):
            return
        number = text.count(sign, *first)
        places = [_cell(text, first, sign, column + 1)]
        if sign == "," and number > 1 and _NUMBERED.match(text[slice(*places[0])].strip(_DRESS)):
            places = []
        if sign not in _BARS or _RULE.match(text, first[1] + 1):
            rows = takewhile(lambda line: _RULE.match(text, line[0]) or text.count(sign, *line) == number, lines)
            places = [
                _cell(text, line, sign, column) for line in rows if not _RULE.match(text, line[0])
            ] or places  # the last row has a rule below too
        self._read[column] = max((end for _, end in places), default=first[1])
        for place in places:
            value = _undressed(text[slice(*place)])
            if _VALUE.match(value) and self._judge(title.replace(" ", "_") if title.isascii() else title, value):
                at = text.index(value, place[0])
                yield Span(at, at + len(value), "secret")


def _separator(line: str) -> str | None:
    """Return what separates the cells of a line of titles."""
    if bar := next((bar for bar in _BARS if bar in line), None):
        return bar
    names = _NAMES.match(line)
    return names[1] if names else None


def _undressed(cell: str) -> str:
    """Return a cell's value without the signs around it; one that is only before it belongs to it."""
    value = cell.strip()
    while len(value) > 1 and value[0] == value[-1] and value[0] in _DRESS:
        value = value[1:-1].strip()
    return value


def _lines(text: str, start: int) -> Iterator[tuple[int, int]]:
    for _ in range(_MOST_ROWS):
        end = text.find("\n", start, start + 2 * _LONGEST_LINE)
        yield start, min(len(text), start + 2 * _LONGEST_LINE) if end < 0 else end
        if end < 0:
            return
        start = end + 1


def _cell(text: str, line: tuple[int, int], sign: str, column: int) -> tuple[int, int]:
    """Return where a cell of a line is; an empty stretch if the line has no such cell."""
    start, last = line
    for _ in range(column):
        start = text.find(sign, start, last) + 1 or last
    end = text.find(sign, start, last)
    return start, last if end < 0 else end


# The data of Kubernetes' secrets, whatever its names.
_KIND = re.compile(r"kind:[ \t]*[\"']?secret[\"']?[ \t]*(?:#[^\n]*)?(?:\n|\Z)", re.IGNORECASE)
_DATA = re.compile(r"^[ \t]*(?:stringData|data):[ \t]*\n", re.MULTILINE)
_ENTRY = re.compile(
    r"[ \t]+[\w.-]+:[ \t]*(?:[|>][-+]?\s+)?[\"']?(?!\$\(|[^\s()]*\))"
    r"([A-Za-z0-9+/=_.!@#$%^&*()~-]{10,})[\"']?[ \t]*(?:\n|\Z)"
)
_OTHER = re.compile(r"[ \t]*(?:#[^\n]*|[ \t]+\S[^\n]*)?\n")
_NEAR = 4_000


def manifests(text: str, places: Sequence[int]) -> Iterator[Span]:
    """Yield the values in the data of Kubernetes' secrets."""
    for match in anchored(text, places, _KIND):
        start = text.rfind("\n---", max(0, match.start() - _NEAR), match.start()) + 1
        end = text.find("\n---", match.end() - 1, match.end() + _NEAR)
        for data in _DATA.finditer(
            text, start or max(0, match.start() - _NEAR), end if end >= 0 else match.end() + _NEAR
        ):
            at = data.end()
            while entry := _ENTRY.match(text, at) or _OTHER.match(text, at):
                if entry.re is _ENTRY:
                    yield Span(*entry.span(1), "secret")
                elif not entry[0].strip() and entry[0][:1] not in " \t":
                    break
                at = entry.end()
