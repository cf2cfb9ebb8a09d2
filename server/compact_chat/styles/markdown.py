"""Markdown as models write it: code, section titles, items, and escapes for content that reads like structure.

Line ends are line feeds throughout. Rules R2 to R6, R8, R9 and R12.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from os.path import commonprefix

from compact_chat.text import FENCE, closed_fences, marked_lines

BLANKS = " \t"
EDGES = "\n" + BLANKS  # what texts of sections are trimmed of

Spans = dict[int, int]  # where spans of a text begin and end; they may overlap
Line = tuple[str, bool]  # its text, and whether it belongs to a closed fence
IsStructure = Callable[[str], bool]

_TICKS = re.compile(r"`++")
_TITLE_NUMBER = re.compile(r"[0-9]{1,3}[.)]")
_BOLD = re.compile(r"(\*\*|__).+\1", re.DOTALL)
_LONGEST_NONE = 40
_NONE = re.compile(
    r"(?:[-*+•][ \t]+)?[*_`\"']*\(?[*_`]*(?:none|n/a)[*_`]*[.]?[*_`]*\)?[*_`\"']*[.]?[*_`]*", re.IGNORECASE
)
_ITEM = re.compile(r" ?(?:(?:[-*+]|[0-9]+[.)])(?=[ \t]|$)|•)")


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

    def __init__(self, keys: Iterable[tuple[str, str]]) -> None:
        self._keys = {_folded(title): key for title, key in keys}

    def key_of(self, title: str) -> str | None:
        """Return the key of a title without marks, in any case."""
        return self._keys.get(_folded(title))

    def heading(self, line: str) -> tuple[str, str] | None:
        """Return the key of a line's title, marked by number signs or entirely bold, with no text behind it."""
        text = line.strip(BLANKS)
        if not text.startswith(("#", "**", "__")):
            return None
        signs = len(text) - len(text.lstrip("#"))
        if signs > 6 or not (signs or _BOLD.fullmatch(text.rstrip(BLANKS + ":"))):
            return None
        words = text.strip(BLANKS + "#*_:")
        if number := _TITLE_NUMBER.match(words):
            words = words[number.end() :].strip(BLANKS + "#*_")
        key = self.key_of(words)
        return (key, "") if key else None

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
    if is_none(text):
        return ""
    return text if "\n" in text else unescaped_line(text, is_none)


def read_text(lines: Sequence[Line], is_structure: IsStructure) -> str:
    """Read the text of these lines, trimmed and without escapes; `NONE` is a word like any other (rule P10)."""
    whole = "\n".join(line if fenced else unescaped_line(line, is_structure) for line, fenced in lines)
    return whole.strip(EDGES)


def write_value(text: str, is_structure: IsStructure, *, behind: bool = False) -> str:
    """Escape a text; a fence right behind a bullet or label (`behind`) opens none, so it protects nothing.

    A line may say `None` and open a fence as well: then it gets an escape for each.
    """
    text = text if "\n" in text else escaped_line(text, is_none)
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
