"""How a reply is read: its Markdown, and where in it the summary is.

Line ends are line feeds throughout. Rules R2 to R6, R8, R9 and R12.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from os.path import commonprefix

from msgspec import Struct

from compact_chat.text import FENCE, Tag, closed_fences, find_tags, marked_lines

BLANKS = " \t"
EDGES = "\n" + BLANKS  # what texts of sections are trimmed of

Spans = dict[int, int]  # where spans of a text begin and end; they may overlap
Line = tuple[str, bool]  # its text, and whether it belongs to a closed fence
IsStructure = Callable[[str], bool]

_TICKS = re.compile(r"`++")
_MARKS = BLANKS + "#*_"
_TITLE_NUMBER, _BULLET = re.compile(r"[0-9]{1,3}[.)]"), re.compile(r"[*_][ \t]")
_BOLD = re.compile(r"(\*\*|__).+\1", re.DOTALL)
_LONGEST_NONE = 40
_NONE = re.compile(
    r"(?:[-*+•][ \t]+)?[*_`\"']*\(?[*_`]*(?:none|n/a)[*_`]*[.]?[*_`]*\)?[*_`\"']*[.]?[*_`]*", re.IGNORECASE
)
_ITEM = re.compile(r" ?(?:(?:[-*+]|[0-9]+[.)])(?=[ \t]|$)|•)")
_LINE_START = re.compile(r"^[ \t]*+(?=<)", re.MULTILINE)


# Code: a tag, a title or a mark inside it is only quoted.


def closed_code(text: str) -> Spans:
    """Find closed fences, and inline code: a run of backticks up to the next run of the same length on its line."""
    spans: Spans = {}
    waiting: dict[int, int] = {}
    place = 0
    for run in _TICKS.finditer(text):
        if text.find("\n", place, run.start()) >= 0:
            waiting.clear()
        place, width = run.end(), run.end() - run.start()
        if width in waiting:
            spans[waiting[width]] = run.end()
        waiting[width] = run.start()
    return spans | closed_fences(text)


def cut_at(text: str, spans: Spans) -> Iterator[tuple[str, bool]]:
    """Split a text at its spans, with whether each piece is one; spans inside an earlier one do not count."""
    place = 0
    for start in sorted(spans):
        if start >= place:
            yield text[place:start], False
            place = spans[start]
            yield text[start:place], True
    yield text[place:], False


def outside(text: str, spans: Spans) -> Iterator[str]:
    """Yield the pieces of a text between the spans."""
    return (piece for piece, inside in cut_at(text, spans) if not inside)


# Indentation.


def common_indent(lines: Iterable[str]) -> int:
    """Count the blanks that all non-empty lines begin with."""
    indents = [line[: len(line) - len(line.lstrip(BLANKS))] for line in lines if line.strip(BLANKS)]
    return len(commonprefix(indents))  # noqa: RUF071 -- compares characters, not path components


def below(text: str) -> str:
    """Indent every line but the first by two blanks, as below a bullet (rule R12)."""
    first, *others = text.split("\n")
    return "\n".join((first, *(f"  {line}" if line else "" for line in others)))


def from_below(line: str) -> str:
    """Remove the indentation that a line has below a bullet (rule R6)."""
    return line.removeprefix(" ").removeprefix(" ") if line.startswith(" ") else line.removeprefix("\t")


# Section titles.


class Titles:
    """The section titles of a style, recognized however a model formats them (rule R3)."""

    def __init__(self, keys: Iterable[tuple[str, str]], *, bare: bool = False) -> None:
        self._keys = {_folded(title): key for title, key in keys}
        self._bare = bare  # titles need no marks, and text may follow behind a colon

    def heading(self, line: str) -> tuple[str, str] | None:
        """Return the key of the title that makes up a line, and the text behind its colon.

        Unless it is bare, a title is marked by number signs or entirely bold, with no text behind it.
        """
        text = line.strip(BLANKS)
        if not self._bare:
            signs = len(text) - len(text.lstrip("#"))
            if signs > 6 or not (signs or _BOLD.fullmatch(text.rstrip(BLANKS + ":"))):
                return None
            text = text.rstrip(_MARKS + ":")
        head, _, rest = text.partition(":")
        words = head.strip(_MARKS)
        if number := _TITLE_NUMBER.match(words):
            words = words[number.end() :].strip(_MARKS)
        key = self._keys.get(_folded(words))
        if key is None or (rest and not self._bare) or _BULLET.match(text):
            return None
        # A bold or italic mark that began before the title may end behind the colon.
        rest, marks = rest.strip(), re.findall(r"[*_]", head)
        behind = len(head.rstrip()) - len(head.rstrip().rstrip("*_"))
        closing = "".join(marks[: max(0, len(marks) - 2 * behind)])
        rest = rest.removeprefix(closing) if rest.startswith(closing) else rest.removesuffix(closing)
        return key, rest.strip()

    def is_structure(self, line: str) -> bool:
        """Return whether a line would be read as a title or as a fence."""
        return self.heading(line) is not None or FENCE.match(line) is not None

    def sections(self, text: str) -> Iterator[tuple[str, str, list[Line]]]:
        """Yield the key of each heading outside fences, the text behind it and the lines below it (R2 and R4)."""
        section: tuple[str, str, list[Line]] | None = None
        for line, fenced in marked_lines(text):
            found = None if fenced else self.heading(line)
            if found is not None:
                if section is not None:
                    yield section
                section = (*found, [])
            elif section is not None:
                section[2].append((line, fenced))
        if section is not None:
            yield section

    def keys_in(self, text: str) -> set[str]:
        """Return the keys of the titles in a text."""
        return {key for key, _, _ in self.sections(text)}

    def without_tags(self, text: str) -> str:
        """Return what is in the summary blocks of a reply; all of it if titles are outside: the tags are mentioned."""
        body = "\n\n".join(map(str.strip, find_blocks(text).bodies))
        return body if body and self.keys_in(body) >= self.keys_in(text) else text

    def without_fence(self, text: str) -> str:
        """Remove a fence around the whole text, else return the fenced block that contains the sections (rule R2)."""
        own = self.keys_in(text)
        first, _, rest = text.strip(EDGES).partition("\n")
        inner, _, last = rest.rpartition("\n")
        opening, closing = FENCE.fullmatch(first), FENCE.fullmatch(last)
        is_fenced = opening and closing and not closing["info"].strip() and closing["run"].startswith(opening["run"])
        if is_fenced and len(self.keys_in(inner)) >= max(1, len(own)):
            return inner
        if own:
            return text
        blocks = (piece for piece, inside in cut_at(text, closed_fences(text)) if inside)
        contents = (block.partition("\n")[2].rpartition("\n")[0] for block in blocks)
        return next((content for content in contents if len(self.keys_in(content)) > 1), text)


def _folded(title: str) -> str:
    return " ".join(title.replace("&", " and ").lower().split())


# Escapes: content that reads like structure gets a leading backslash, which reading removes (rule R12).


def escaped(text: str, is_structure: IsStructure, *, fences_protect: bool = True) -> str:
    r"""Add one `\` before each line that would be structure, except within closed fences."""
    return "\n".join(
        line if fenced and fences_protect else escaped_line(line, is_structure) for line, fenced in marked_lines(text)
    )


def escaped_line(line: str, is_structure: IsStructure) -> str:
    r"""Add one `\` if what follows those that the line begins with is structure."""
    bare = line.lstrip(BLANKS)
    return line[: len(line) - len(bare)] + "\\" + bare if is_structure(bare.lstrip("\\")) else line


def unescaped_line(line: str, is_structure: IsStructure) -> str:
    r"""Remove one `\` if what follows those that the line begins with is structure."""
    bare = line.lstrip(BLANKS)
    is_escaped = bare.startswith("\\") and is_structure(bare.lstrip("\\"))
    return line[: len(line) - len(bare)] + bare[1:] if is_escaped else line


# Values: a text as it is written in a section, where `None` means nothing (rules R8 and R9).


def is_none(text: str) -> bool:
    """Return whether a text only says that there is nothing (rule R8)."""
    return len(text) <= _LONGEST_NONE and _NONE.fullmatch(text) is not None


def read_value(lines: Sequence[Line], is_structure: IsStructure) -> str:
    """Read the text of these lines without escapes; empty if it says `None`."""
    text = read_text(lines, is_structure)
    return "" if is_none(text) else unescaped_line(text, is_none)


def read_text(lines: Sequence[Line], is_structure: IsStructure) -> str:
    """Read the text of these lines, trimmed and without escapes; `NONE` is a word like any other (rule P10)."""
    whole = "\n".join(line if fenced else unescaped_line(line, is_structure) for line, fenced in lines)
    return whole.strip(EDGES)


def write_value(text: str, is_structure: IsStructure, *, behind: bool = False) -> str:
    """Escape a text; a fence right behind a bullet or label (`behind`) opens none, so it protects nothing.

    A line may say `None` and open a fence as well: then it gets an escape for each.
    """
    text = escaped_line(text, is_none)
    return escaped(text, is_structure, fences_protect=not (behind and FENCE.match(text)))


def read_items(lines: Sequence[Line], is_structure: IsStructure) -> list[str]:
    """Read one item per bullet or number, skipping those that say nothing (rule R6)."""
    items: list[list[Line]] = []
    behind_blank = True
    common = common_indent(line for line, _ in lines)
    for line, fenced in ((line[common:], fenced) for line, fenced in lines):
        mark = None if fenced else _ITEM.match(line)
        is_plain = not fenced and not line.startswith((" ", "\t")) and line != ""
        if mark:
            items.append([(line[mark.end() :], False)])
        elif not items or (behind_blank and is_plain):
            items.append([(line, fenced)])
        else:
            items[-1].append((from_below(line), fenced))
        behind_blank = not line.strip(BLANKS)
    return [text for item in items if (text := read_value(item, is_structure))]


# Locate the summary in a reply, in its `<summary>` blocks, and the text outside them (rules F2 to F7).
# Models leave tags open, nest them, quote them in code and mention them in their notes; each rule is one such case.


class Blocks(Struct, frozen=True):
    """The contents of the summary blocks, whether the last is cut off, and without any the text outside analysis."""

    bodies: tuple[str, ...]
    cut_off: bool
    outside: str


class TagsOutside:
    """Tags outside certain spans of a text.

    Where a walk continues behind each span is computed beforehand, so that repeated walks stay linear altogether.
    """

    def __init__(self, tags: Iterable[Tag], spans: Spans) -> None:
        self._tags = {tag.start: tag for tag in tags}
        self._places = sorted({*self._tags, *spans})
        # For each position the index of the first tag that a walk from there meets; the last entry is the end.
        self._next = [len(self._places)] * (len(self._places) + 1)
        for index in reversed(range(len(self._places))):
            end = spans.get(self._places[index])
            self._next[index] = index if end is None else self._next[bisect_left(self._places, end)]

    def after(self, place: int) -> Iterator[Tag]:
        """Yield the tags from a position on that is itself outside all spans."""
        index = self._next[bisect_left(self._places, place)]
        while index < len(self._places):
            yield self._tags[self._places[index]]
            index = self._next[index + 1]


class _Reply:
    """A reply, and which of its tags count in which part of it."""

    def __init__(self, text: str) -> None:
        tags = list(find_tags(text, ("analysis", "summary")))
        summaries = [tag for tag in tags if tag.name == "summary"]
        notes = [tag for tag in tags if tag.name == "analysis"]
        line_starts = {match.end() for match in _LINE_START.finditer(text)}
        code = closed_code(text)
        self.text = text
        self.analyses: Spans = {}  # that are closed; nesting counts
        waiting: list[int] = []
        for tag in notes:
            if not tag.closing:
                waiting.append(tag.start)
            elif waiting:
                self.analyses[waiting.pop()] = tag.end
        self.openings = [tag for tag in summaries if not tag.closing]
        self.line_openings = [tag for tag in self.openings if tag.start in line_starts]
        self.outside = TagsOutside(tags, self.analyses)  # a summary
        self.inside = TagsOutside(summaries, code)  # a summary
        self.behind = TagsOutside(summaries, code | self.analyses)  # a summary
        self.scratchpad = TagsOutside(notes, code)  # at the beginning of a summary

    def opening(self, place: int) -> Tag | None:
        """Find the opening tag of the next summary; an unclosed analysis reaches up to one (rules F3 and F4).

        Behind such an analysis a tag that starts a line is preferred: a scratchpad may mention the tag.
        """
        first = next((tag for tag in self.outside.after(place) if not tag.closing), None)
        if first is None or first.name == "summary":
            return first
        for openings in (self.line_openings, self.openings):
            index = bisect_left(openings, first.end, key=lambda tag: tag.start)
            if index < len(openings):
                return openings[index]
        return None

    def closing(self, opening: Tag) -> Tag | None:
        """Find the tag that ends a summary: the matching one, else the last one, else none (rules F5 and F7).

        More closing tags before the next opening one belong to the summary, as text; the last of them ends it.
        """
        depth, last = 1, None
        for tag in self.inside.after(opening.end):
            depth += -1 if tag.closing else 1
            last = tag if tag.closing else last
            if depth == 0:
                for extra in self.behind.after(tag.end):
                    if not extra.closing:
                        break
                    last = extra
                return last
        return last

    def body(self, start: int, end: int) -> str:
        """Return the contents of a summary, without the analyses that it begins with (rule F6)."""
        depth = 0
        for tag in self.scratchpad.after(start):
            if tag.end > end or (depth == 0 and (tag.closing or self.text[start : tag.start].strip())):
                break
            depth += -1 if tag.closing else 1
            start = tag.end if depth == 0 else start
        return self.text[start:end]

    def without_tags(self) -> str:
        """Return the text without closed analyses and stray closing tags; blank if an analysis never ends (F3, F4)."""
        if any(not tag.closing for tag in self.outside.after(0)):
            return ""
        tags = (tag for scan in (self.behind, self.scratchpad) for tag in scan.after(0))
        stray = {tag.start: tag.end for tag in tags if tag.closing}
        return "".join(outside(self.text, self.analyses | stray))


def find_blocks(text: str) -> Blocks:
    """Read a reply from left to right, once."""
    reply = _Reply(text)
    bodies: list[str] = []
    place = 0
    while opening := reply.opening(place):
        closing = reply.closing(opening)
        bodies.append(reply.body(opening.end, closing.start if closing else len(text)))
        if closing is None:
            return Blocks(tuple(bodies), cut_off=True, outside="")
        place = closing.end
    return Blocks(tuple(bodies), cut_off=False, outside="" if bodies else reply.without_tags())
