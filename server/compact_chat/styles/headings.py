"""The nine titles of a detailed summary, and the task at hand, as headings in a text (rules P6, P10 and R3)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compact_chat.styles.markdown import FENCE, common_indent, marked_lines, split_sections, unescaped_line
from compact_chat.text import line_feeds

TASK = "immediateTask"  # the section on the task at hand, which is asked for by an option (rule P10)
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
_HEADING_MARKS = " \t#*_"
_HEADING_NUMBER = re.compile(r"\d{1,3}[.)]")
_BULLET = re.compile(r"[ \t]*+[*_][ \t]")


def key_of(title: str) -> str:
    """Return the title in camelCase."""
    first, *others = title.lower().split()
    return first + "".join(word.capitalize() for word in others)


_KEYS = {title.lower(): key_of(title) for title in TITLES}
_SHORTEST = min(map(len, TITLES)) - len("and") + len("&")


def heading(line: str) -> tuple[str, str] | None:
    """Return the key of the title that a line consists of, and the text behind its colon (rule R3)."""
    if len(line) < _SHORTEST or _BULLET.match(line):
        return None
    head, _, rest = line.partition(":")
    words = head.strip(_HEADING_MARKS)
    if number := _HEADING_NUMBER.match(words):
        words = words[number.end() :].strip(_HEADING_MARKS)
    key = _KEYS.get(" ".join(words.replace("&", " and ").lower().split()))
    if not key:
        return None
    # The end of a bold or italic mark that began before the title may stand behind the colon.
    rest, marks = rest.strip(), re.findall(r"[*_]", head)
    behind = len(head.rstrip()) - len(head.rstrip().rstrip("*_"))
    closing = "".join(marks[: max(0, len(marks) - 2 * behind)])
    rest = rest.removeprefix(closing) if rest.startswith(closing) else rest.removesuffix(closing)
    return key, rest.strip()


def is_structure(line: str) -> bool:
    """Tell whether a line would be read as a title or as a fence."""
    return heading(line) is not None or FENCE.match(line) is not None


def titled_sections(text: str) -> Iterator[tuple[str, str]]:
    """Yield what stands below each heading, without escapes and without the indentation that its lines share."""
    for (key, first), lines in split_sections(line_feeds(text), heading):
        content = [line if fenced else unescaped_line(line, is_structure) for line, fenced in lines]
        common = common_indent(content)
        yield key, "\n".join([first, *(line[common:] for line in content)]).strip()


def last_task(text: str) -> str:
    """Return the text of the last section on the task at hand, in a summary of any style (rule P10)."""
    texts = [content for key, content in titled_sections(text) if key == TASK]
    return texts[-1] if texts else ""


def titles_in(text: str) -> set[str]:
    """Return the keys of the nine titles that a text has."""
    found = (heading(line) for line, fenced in marked_lines(text) if not fenced)
    return {title[0] for title in found if title} - {TASK}
