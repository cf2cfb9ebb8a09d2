"""Names of entries: one line, without marks around it and without its own label (rule R7)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from compact_chat.chat import Warning
from compact_chat.errors import NoSummary
from compact_chat.text import line_feeds

# What comes of a model's reply: a summary, and what is odd about it.


BLANKS = " \t"


class Reply(Struct, frozen=True):
    """A summary that can be shown, and what is odd about the reply it came in."""

    summary: str
    warnings: tuple[Warning, ...] = ()


def readable(text: str) -> str:
    """The text with one sort of line ends and no byte order mark; one without a word is refused (G3, F10 and F11)."""
    text = line_feeds(text.removeprefix("\ufeff"))
    if not text.strip():
        raise NoSummary("The reply is blank.", "emptySummary")
    return text


# The section titles of the detailed style, and the lines that are headings.


TITLES = (
    "Primary Request and Intent",
    "Key Technical Concepts",
    "Files and Code Sections",
    "Errors and fixes",
    "Problem Solving",
    "All user messages",
    "Pending Tasks",
    "Current Work",
    "Optional Next Step",
    "Context for Continuing Work",  # instead of the one before it, where newer messages stay (rule P6)
    "IMMEDIATE TASK",  # without a number, where it is asked for (rule P10)
)

_MARKS_HEADINGS = " \t#*_"
_NUMBER_HEADINGS = re.compile(r"\d{1,3}[.)]")
_BULLET = re.compile(r"[ \t]*+[*_][ \t]")


def key_of(title: str) -> str:
    """The title in camelCase."""
    first, *others = title.lower().split()
    return first + "".join(word.capitalize() for word in others)


_KEYS = {title.lower(): key_of(title) for title in TITLES}
_SHORTEST = min(map(len, TITLES)) - len("and") + len("&")


def heading(line: str) -> tuple[str, str] | None:
    """The key of the title that a line consists of, and the text behind its colon (rule R3)."""
    if len(line) < _SHORTEST or _BULLET.match(line):
        return None
    head, _, rest = line.partition(":")
    key = _KEYS.get(_plain(head))
    return (key, _without_closing_mark(head, rest)) if key else None


def _plain(head: str) -> str:
    """A heading without number signs, number, bold and italic marks, in lower case."""
    words = head.strip(_MARKS_HEADINGS)
    if number := _NUMBER_HEADINGS.match(words):
        words = words[number.end() :].strip(_MARKS_HEADINGS)
    return " ".join(words.replace("&", " and ").lower().split())


def _without_closing_mark(head: str, rest: str) -> str:
    """The text behind the colon, without the end of a bold or italic mark that began before the title."""
    rest, marks = rest.strip(), re.findall(r"[*_]", head)
    behind = len(head.rstrip()) - len(head.rstrip().rstrip("*_"))
    closing = "".join(marks[: max(0, len(marks) - 2 * behind)])
    if rest.startswith(closing):
        return rest.removeprefix(closing).strip()
    return rest.removesuffix(closing).strip()


# Closed code in Markdown, fences and inline spans: there a tag or a heading is only quoted.


# Where stretches of a text begin, and where each ends; they may overlap until they are read from left to right.
Stretches = dict[int, int]

FENCE = re.compile(r"^[ \t]*+(?P<run>`{3,}+|~{3,}+)(?P<info>[^\n]*+)$", re.MULTILINE)
_TICKS = re.compile(r"`++")


def closed_code(text: str) -> Stretches:
    """Closed fences and closed inline spans."""
    return closed_spans(text) | closed_fences(text)


def closed_fences(text: str) -> Stretches:
    """Each line that opens a fence, up to the end of the line that closes it further down (rule R5)."""
    stretches: Stretches = {}
    closers: dict[str, list[tuple[int, int]]] = {"`": [], "~": []}  # width and end: the nearest last, and the narrowest
    for fence in reversed(list(FENCE.finditer(text))):
        mark, width, info = fence["run"][0], len(fence["run"]), fence["info"].strip()
        known = closers[mark]
        end = next((end for wide, end in reversed(known) if wide >= width), None)
        if end is not None and not (mark == "`" and "`" in info):
            stretches[fence.start()] = end
        if not info:
            while known and known[-1][0] <= width:
                known.pop()
            known.append((width, fence.end()))
    return stretches


def closed_spans(text: str) -> Stretches:
    """Each run of backticks, up to the end of the next run of the same width on its line."""
    stretches: Stretches = {}
    waiting: dict[int, int] = {}
    place = 0
    for run in _TICKS.finditer(text):
        if text.find("\n", place, run.start()) >= 0:
            waiting.clear()
        place, width = run.end(), run.end() - run.start()
        if width in waiting:
            stretches[waiting[width]] = run.end()
        waiting[width] = run.start()
    return stretches


def left_to_right(stretches: Stretches) -> Iterator[tuple[int, int]]:
    """The stretches that are met when each is left out as a whole."""
    place = 0
    for start in sorted(stretches):
        if start >= place:
            place = stretches[start]
            yield start, place


def between(text: str, stretches: Stretches) -> Iterator[str]:
    """The pieces of a text that are left when each stretch is left out."""
    place = 0
    for start, end in left_to_right(stretches):
        yield text[place:start]
        place = end
    yield text[place:]


def marked_lines(text: str) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it belongs to a closed fence."""
    fences = closed_fences(text)
    start = end = 0
    for line in text.split("\n"):
        if start >= end:
            end = fences.get(start, start)
        yield line, start < end
        start += len(line) + 1


# Indentation that lines have in common, and that of lines below a bullet.


Line = tuple[str, bool]  # its text, and whether it belongs to a closed fence

_BELOW = "  "
_STEP = re.compile(r" {1,2}|\t|")


def common_indent(lines: Sequence[str]) -> int:
    """How many blanks all lines begin with that hold anything."""
    indents = [line[: len(line) - len(line.lstrip(BLANKS))] for line in lines if line.strip(BLANKS)]
    return _common_start(min(indents), max(indents)) if indents else 0


def dedented(lines: Sequence[Line]) -> list[Line]:
    """The lines without their common indentation (rule R6)."""
    common = common_indent([line for line, _ in lines])
    return [(line[common:], fenced) for line, fenced in lines]


def below(text: str) -> str:
    """The text with its second and later lines indented by two blanks (rule R12)."""
    first, *others = text.split("\n")
    return "\n".join((first, *(f"{_BELOW}{line}" if line else "" for line in others)))


def from_below(line: str) -> str:
    """The line without the indentation that it has below a bullet (rule R6)."""
    step = _STEP.match(line)
    return line[step.end() :] if step else line


def _common_start(low: str, high: str) -> int:
    shorter = min(len(low), len(high))
    return next((index for index in range(shorter) if low[index] != high[index]), shorter)


# Section titles in whatever dress a model gives them, and the text below each (rules R2 to R4).


Titles = Mapping[str, str]  # a title as titles are compared, and its key

_MARKS_TITLES = BLANKS + "#*_"
_MOST_SIGNS = 6
_NUMBER_TITLES = re.compile(r"[0-9]{1,3}[.)]")
_LEAST_BOLD = len("**x**")


def titles_of(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The titles of a style as they are compared, each with its key."""
    return {_folded(title): key for title, key in pairs}


def title_of(line: str, titles: Titles) -> str | None:
    """The key of the title that a line is the heading of: with number signs, or bold as a whole (rule R3)."""
    text = line.strip(BLANKS)
    if not text.startswith(("#", "**", "__")):
        return None
    signs = len(text) - len(text.lstrip("#"))
    if signs > _MOST_SIGNS or not (signs or _is_bold(text)):
        return None
    words = text.strip(_MARKS_TITLES + ":")
    if number := _NUMBER_TITLES.match(words):
        words = words[number.end() :].strip(_MARKS_TITLES)
    return titles.get(_folded(words))


def stretches(text: str, titles: Titles) -> Iterator[tuple[str, list[Line]]]:
    """What stands below each known title outside fences; text before the first one is nobody's (rules R2 and R4)."""
    key, lines = "", list[Line]()
    for line, fenced in marked_lines(text):
        found = None if fenced else title_of(line, titles)
        if found is None:
            lines.append((line, fenced))
            continue
        if key:
            yield key, lines
        key, lines = found, []
    if key:
        yield key, lines


def unshelled(text: str, titles: Titles) -> str:
    """The text without the fence around the whole of it, or the fenced block that holds it (rule R2)."""
    inner = _inside(text)
    if inner is not None and len(_known(inner, titles)) >= max(1, len(_known(text, titles))):
        return inner
    if _known(text, titles):
        return text
    blocks = (text[start:end] for start, end in left_to_right(closed_fences(text)))
    whole = (block.partition("\n")[2].rpartition("\n")[0] for block in blocks)
    return next((block for block in whole if len(_known(block, titles)) > 1), text)


def _known(text: str, titles: Titles) -> set[str]:
    return {key for key, _ in stretches(text, titles)}


def _inside(text: str) -> str | None:
    """What stands between the first and the last line, if they are a matching fence."""
    first, _, rest = text.strip("\n" + BLANKS).partition("\n")
    inner, _, last = rest.rpartition("\n")
    opening, closing = FENCE.fullmatch(first), FENCE.fullmatch(last)
    if not opening or not closing or closing["info"].strip() or not closing["run"].startswith(opening["run"]):
        return None
    return inner


def _is_bold(text: str) -> bool:
    bold = text.rstrip(BLANKS + ":")
    return len(bold) >= _LEAST_BOLD and any(bold.startswith(mark) and bold.endswith(mark) for mark in ("**", "__"))


def _folded(title: str) -> str:
    return " ".join(title.replace("&", " and ").lower().split())


# Content that reads like structure gets a `\` in front, and loses it when it is read (rule R12).


IsStructure = Callable[[str], bool]

_ESCAPED = re.compile(r"([ \t]*+)(\\*+)(.*)", re.DOTALL)


def escaped(text: str, is_structure: IsStructure, *, fences_protect: bool = True) -> str:
    r"""The text with one `\` more before each line that would be structure, but for the lines of closed fences."""
    return "\n".join(
        line if fenced and fences_protect else escaped_line(line, is_structure) for line, fenced in marked_lines(text)
    )


def escaped_line(line: str, is_structure: IsStructure) -> str:
    r"""The line with one `\` more if what stands behind those that it begins with is structure."""
    indent, run, rest = _split(line)
    return f"{indent}\\{run}{rest}" if is_structure(rest) else line


def unescaped_line(line: str, is_structure: IsStructure) -> str:
    r"""The line with one `\` less if what stands behind them is structure."""
    if not line.lstrip(BLANKS).startswith("\\"):
        return line
    indent, run, rest = _split(line)
    return f"{indent}{run[1:]}{rest}" if is_structure(rest) else line


def _split(line: str) -> tuple[str, str, str]:
    r"""The indentation of a line, the run of `\` that begins it, and the rest."""
    parts = _ESCAPED.match(line)
    assert parts, "every line matches"
    return parts[1], parts[2], parts[3]


# Texts of any kind as they stand in a section: `None` is nothing, structure is escaped (rules R8, R9 and R12).


_LONGEST_NONE = 40
_NONE = re.compile(
    r"(?:[-*+•][ \t]+)?[*_`\"']*\(?[*_`]*(?:none|n/a)[*_`]*[.]?[*_`]*\)?[*_`\"']*[.]?[*_`]*", re.IGNORECASE
)


def is_none(text: str) -> bool:
    """Whether a text only says that there is nothing (rule R8)."""
    return len(text) <= _LONGEST_NONE and _NONE.fullmatch(text) is not None


def is_section_structure(line: str, titles: Titles) -> bool:
    """Whether a line would be read as a title of a section, or as a fence."""
    return title_of(line, titles) is not None or FENCE.match(line) is not None


def read_value(lines: Sequence[Line], is_structure: IsStructure) -> str:
    """The text of these lines without escapes; empty where it says `None`."""
    text = read_text(lines, is_structure)
    if is_none(text):
        return ""
    return text if "\n" in text else unescaped_line(text, is_none)


def read_text(lines: Sequence[Line], is_structure: IsStructure) -> str:
    """The text of these lines, trimmed at its ends and without escapes, where `NONE` is a word like others (P10)."""
    return trimmed("\n".join(line if fenced else unescaped_line(line, is_structure) for line, fenced in lines))


def write_value(text: str, is_structure: IsStructure, *, behind: bool = False) -> str:
    """The text with its escapes; a fence right behind a bullet or label opens none, so that it protects nothing.

    A line may say `None` and open a fence as well: then it gets an escape for each.
    """
    text = text if "\n" in text else escaped_line(text, is_none)
    return escaped(text, is_structure, fences_protect=not (behind and FENCE.match(text)))


def trimmed(text: str) -> str:
    """The text without blanks and line feeds at its ends."""
    return text.strip("\n" + BLANKS)


# List sections: one item for each bullet or number (rule R6).


_MARK = re.compile(r" ?(?:(?:[-*+]|[0-9]+[.)])(?=[ \t]|$)|•)")


def read_items(lines: Sequence[Line], is_structure: IsStructure) -> list[str]:
    """The items of a section; those that say nothing are left out."""
    items: list[list[Line]] = []
    behind_blank = True
    for line, fenced in dedented(lines):
        mark = None if fenced else _MARK.match(line)
        is_plain = not fenced and not line.startswith((" ", "\t")) and line != ""
        if mark:
            items.append([(line[mark.end() :], False)])
        elif not items or (behind_blank and is_plain):
            items.append([(line, fenced)])
        else:
            items[-1].append((from_below(line), fenced))
        behind_blank = not line.strip(BLANKS)
    return [text for item in items if (text := read_value(item, is_structure))]


def write_items(items: Sequence[str], is_structure: IsStructure, *, numbered: bool) -> str:
    """A line or more for each item, with bullets or numbers from 1."""
    marks = (f"{place}." if numbered else "-" for place in range(1, 1 + len(items)))
    texts = (below(write_value(item, is_structure, behind=True)) for item in items)
    return "\n".join(f"{mark} {text}" for mark, text in zip(marks, texts, strict=True))


# Names of entries: one line, without marks around it and without its own label (rule R7).


NAMELESS = "\n"  # what a heading that says `None` is read as; no name holds a line feed

_AROUND = re.compile(r"(`+)(?P<code>[^`]+)\1|\*\*(?P<bold>(?:(?!\*\*).)+)\*\*|__(?P<line>(?:(?!__).)+)__", re.DOTALL)


def read_name(text: str, label: str) -> str:
    """The name behind the signs of a heading."""
    name = _bare(text, label)
    if is_none(name):
        return NAMELESS
    return unescaped_line(name, lambda rest: _is_dressed(rest, label))


def write_name(name: str, label: str) -> str:
    """The name on one line; where it would be read as another one, it is escaped."""
    line = _bare(name.replace("\n", " "), label)
    return escaped_line(line, lambda rest: _is_dressed(rest, label))


def _is_dressed(name: str, label: str) -> bool:
    return is_none(name) or _bare(name, label) != name


def _bare(text: str, label: str) -> str:
    """The name without its label and without marks around all of it, again until nothing changes."""
    labels = re.compile(rf"(?>{label}[ \t]*+:[ \t]*+|\*\*{label}(?::\*\*|\*\*[ \t]*+:)[ \t]*+)++", re.IGNORECASE)
    before, name = "", text.strip(BLANKS)
    while name != before:
        before = name
        name = labels.sub("", name, count=1) if labels.match(name) else name
        if around := _AROUND.fullmatch(name):
            name = around["code"] or around["bold"] or around["line"]
        name = name.strip(BLANKS)
    return name
