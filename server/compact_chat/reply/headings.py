"""The section titles of the detailed style, and the lines that are headings."""

from __future__ import annotations

import re

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

_MARKS = " \t#*_"
_NUMBER = re.compile(r"\d{1,3}[.)]")
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
    words = head.strip(_MARKS)
    if number := _NUMBER.match(words):
        words = words[number.end() :].strip(_MARKS)
    return " ".join(words.replace("&", " and ").lower().split())


def _without_closing_mark(head: str, rest: str) -> str:
    """The text behind the colon, without the end of a bold or italic mark that began before the title."""
    rest, marks = rest.strip(), re.findall(r"[*_]", head)
    behind = len(head.rstrip()) - len(head.rstrip().rstrip("*_"))
    closing = "".join(marks[: max(0, len(marks) - 2 * behind)])
    if rest.startswith(closing):
        return rest.removeprefix(closing).strip()
    return rest.removesuffix(closing).strip()
