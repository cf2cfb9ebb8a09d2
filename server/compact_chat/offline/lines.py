"""The lines of an offline summary before it is known which of them fit, and how they quote the chat."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

from compact_chat.facts import shortened
from compact_chat.prompt import LABELS_TRANSCRIPT
from compact_chat.styles import Heritage, Topic
from compact_chat.text import escape_labels, escape_tags

LEAST_CUT = 80  # characters; to leave out fewer is not worth the note
LONGEST_WORD = 30
_TICKS = re.compile(r"`+")
_BLANKS = re.compile(r"\n\s*\n")


class Group(Struct, frozen=True):
    """Lines of one kind: their topic, their heading, the share of the room they may take, and their rank."""

    topic: Topic
    heading: str
    share: float
    rank: int
    earlier: bool = False  # from the summary of an earlier compaction


NOTICE = Group("intent", "", 1.0, 0)
WISHES = Group("intent", "", 0.15, 2)
RULES = Group("rules", "Rules that the user set, verbatim:", 0.15, 1)
TERMS = Group("terms", "", 0.05, 11)
MODIFIED = Group("modified", "Modified, the newest last:", 0.25, 4)
READ = Group("read", "Only read:", 0.15, 9)
OPEN_ERRORS = Group("openErrors", "Not seen to be overcome:", 0.15, 3)
FIXED_ERRORS = Group("fixedErrors", "Overcome: the same went well later:", 0.08, 10)
COMMANDS = Group("commands", "Commands, and how each last ended:", 0.2, 8)
LOOKS = Group("lookups", "Commands that only looked something up:", 0.3, 12)
REPORTED = Group("reported", "", 1.0, 13)
QUOTES = Group("quotes", "", 1.0, 5)
TODOS = Group("todos", "", 0.15, 1)
STATE = Group("state", "", 0.3, 6)
NEXT = Group("next", "", 0.15, 2)
CONTEXT = Group("context", "", 0.15, 2)
TASK = Group("task", "", 0.1, 0)

# What an earlier summary hands on, by what it says there; the next step of that time is past.
_FROM = "From the summary of an earlier compaction:"
_OLD_STATE = "State at an earlier compaction, superseded by what followed:"
EARLIER: Mapping[Heritage, Group] = {
    "intent": Group("intent", _FROM, 0.08, 7, earlier=True),
    "terms": Group("terms", _FROM, 0.03, 7, earlier=True),
    "files": Group("oldFiles", _FROM, 0.06, 7, earlier=True),
    "errors": Group("oldErrors", _FROM, 0.04, 7, earlier=True),
    "outcomes": Group("reported", _FROM, 0.04, 7, earlier=True),
    "state": Group("reported", _OLD_STATE, 0.04, 7, earlier=True),
    "context": Group("reported", _OLD_STATE, 0.04, 7, earlier=True),
    "quotes": Group("quotes", _FROM, 0.1, 7, earlier=True),
    "todos": Group("oldTodos", "Open at an earlier compaction, perhaps done since:", 0.04, 7, earlier=True),
}


class Line(Struct, frozen=True):
    """A piece of the summary: its place in its group, its turn when room is given, and a heading of its own.

    `entry` is the same piece for styles that have entries: its name, and what the first fields behind it say.
    """

    group: Group
    text: str
    place: int
    turn: int = 0
    filler: bool = False  # it says nothing of the chat itself
    heading: str = ""
    entry: tuple[str, ...] = ()

    @property
    def order(self) -> tuple[bool, bool, int, str, int]:
        """Where it is in its section: the notice, what came earlier, what has no heading, and the rest by rank."""
        group = self.group
        return group.rank > 0 and not group.earlier, bool(group.heading), group.rank, group.heading, self.place

    @property
    def head(self) -> str:
        """The heading it is below."""
        return self.heading or self.group.heading


def safe(text: str) -> str:
    """Escape everything that reads like a tag or a label of ours (rules T10 and T11)."""
    return escape_labels(escape_tags(text), LABELS_TRANSCRIPT)


def bullet(text: str) -> str:
    """Write a list item, its further lines indented below it, without blank lines."""
    lines = [line.rstrip() for line in text.strip().split("\n") if line.strip()]
    return "- " + "\n  ".join(lines)


def cut(text: str, limit: int) -> str:
    """Cut a text that is clearly longer than `limit` to its first three quarters and its end, between words."""
    if len(text) <= limit + LEAST_CUT:
        return text
    head, tail = text[: limit * 3 // 4], text[len(text) - limit + limit * 3 // 4 :]
    # Half a word goes, unless it is a long one.
    last = head.rfind(" ") + 1
    head = head[:last] or head if len(head) - last <= LONGEST_WORD else head
    first = tail.find(" ")
    tail = tail[first:] if 0 <= first <= LONGEST_WORD else tail
    return f"{head.rstrip()}\n[... {len(text) - len(head) - len(tail)} characters omitted ...]\n{tail.lstrip()}"


def code(text: str) -> str:
    """Write inline code, which may hold backticks itself."""
    ticks = "`" * (1 + max(map(len, _TICKS.findall(text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def excerpt(text: str, limit: int = 160) -> str:
    """Quote the beginning of a text."""
    return f'"{shortened(text, limit)}"'


def block(text: str) -> str:
    """Remove blank lines at the ends of a text, and all but one between its paragraphs."""
    return _BLANKS.sub("\n\n", text.strip())
