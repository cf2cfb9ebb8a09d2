"""The lines of a summary before it is known which of them fit."""

from __future__ import annotations

import re
from typing import NamedTuple

from msgspec import Struct, structs

from compact_chat.facts import shortened
from compact_chat.prompt import LABELS_TRANSCRIPT
from compact_chat.text import escape_labels, escape_tags
from compact_chat.wire import Style

# How a chat is quoted in its summary.


LEAST_CUT = 80  # characters; to leave out fewer is not worth the note
LONGEST_WORD = 30
_TICKS = re.compile(r"`+")
_BLANKS = re.compile(r"\n\s*\n")


def bullet(text: str) -> str:
    """The text as a list item, its further lines indented below it, without blank lines."""
    lines = [line.rstrip() for line in text.strip().split("\n") if line.strip()]
    return "- " + "\n  ".join(lines)


def cut(text: str, limit: int) -> str:
    """The text, or if clearly longer than `limit`, its first three quarters and its end, cut between words."""
    if len(text) <= limit + LEAST_CUT:
        return text
    head, tail = text[: limit * 3 // 4], text[len(text) - limit + limit * 3 // 4 :]
    head = head[: _after_blank(head)] or head
    tail = tail[_before_blank(tail) :]
    return f"{head.rstrip()}\n[... {len(text) - len(head) - len(tail)} characters omitted ...]\n{tail.lstrip()}"


def _after_blank(text: str) -> int:
    """Where the last word that may be half begins, unless it is a long one."""
    blank = text.rfind(" ") + 1
    return blank if len(text) - blank <= LONGEST_WORD else len(text)


def _before_blank(text: str) -> int:
    """Where the first word that may be half ends, unless it is a long one."""
    blank = text.find(" ")
    return blank if 0 <= blank <= LONGEST_WORD else 0


def code(text: str) -> str:
    """The text as an inline code span, which may hold backticks itself."""
    ticks = "`" * (1 + max(map(len, _TICKS.findall(text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def excerpt(text: str, limit: int = 160) -> str:
    """The beginning of a text in quotation marks."""
    return f'"{shortened(text, limit)}"'


def block(text: str) -> str:
    """The text as it is, without blank lines at its ends and with one at most between its paragraphs."""
    return _BLANKS.sub("\n\n", text.strip())


# The lines of a summary before it is known which of them fit.


NOTHING = "(none)"  # what a section without lines says


class Place(NamedTuple):
    """The section of each style that a group stands in; blank where it stands in none."""

    detailed: str
    checkpoint: str
    structured: str
    brief: str

    def of(self, style: Style) -> str:
        """The section of this style."""
        return dict(zip(self._fields, self, strict=True))[style]


class Group(Struct, frozen=True):
    """Lines of one kind: their sections, their heading there, the share of the room they may take, and their rank."""

    place: Place
    heading: str
    share: float
    rank: int


_INTENT = Place("primaryRequestAndIntent", "goal", "userIntent", "Request")
_RULES = _INTENT._replace(checkpoint="constraints", structured="warningsAndNotes", brief="Rules")
_TERMS = Place("keyTechnicalConcepts", "context", "warningsAndNotes", "Outcomes")
_MODIFIED = Place("filesAndCodeSections", "done", "codeChanges", "Files")
_READ = _MODIFIED._replace(checkpoint="", structured="warningsAndNotes")  # a checkpoint has records of them (rule T23)
_EARLIER_FILES = _READ._replace(checkpoint="context")
_OPEN = Place("errorsAndFixes", "blocked", "errorsAndSolutions", "Errors")
_FIXED = _OPEN._replace(checkpoint="done")
_EARLIER_ERRORS = _OPEN._replace(checkpoint="context", structured="warningsAndNotes")
_COMMANDS = Place("problemSolving", "context", "debuggingSteps", "Outcomes")
_REPORTED = _COMMANDS._replace(structured="warningsAndNotes")
_QUOTES = _INTENT._replace(detailed="allUserMessages")
_TODOS = Place("pendingTasks", "inProgress", "nextSteps", "State")
_STATE = Place("currentWork", "inProgress", "currentState", "State")
_NEXT = Place("optionalNextStep", "nextSteps", "nextSteps", "Next")
_CONTEXT = Place("contextForContinuingWork", "context", "currentState", "State")
_EARLIER_TODOS = _TODOS._replace(checkpoint="context", structured="warningsAndNotes")

NOTICE = Group(_INTENT, "", 1.0, 0)
WISHES = Group(_INTENT, "", 0.15, 2)
RULES = Group(_RULES, "Rules that the user set, verbatim:", 0.15, 1)
TERMS = Group(_TERMS, "", 0.05, 11)
MODIFIED = Group(_MODIFIED, "Modified, the newest last:", 0.25, 4)
READ = Group(_READ, "Only read:", 0.15, 9)
OPEN_ERRORS = Group(_OPEN, "Not seen to be overcome:", 0.15, 3)
FIXED_ERRORS = Group(_FIXED, "Overcome: the same went well later:", 0.08, 10)
COMMANDS = Group(_COMMANDS, "Commands, and how each last ended:", 0.2, 8)
LOOKS = Group(_COMMANDS, "Commands that only looked something up:", 0.3, 12)
REPORTED = Group(_REPORTED, "", 1.0, 13)
QUOTES = Group(_QUOTES, "", 1.0, 5)
TODOS = Group(_TODOS, "", 0.15, 1)
STATE = Group(_STATE, "", 0.3, 6)
NEXT = Group(_NEXT, "", 0.15, 2)
CONTEXT = Group(_CONTEXT, "", 0.15, 2)
TASK = Group(Place("immediateTask", "immediateTask", "immediateTask", "IMMEDIATE TASK"), "", 0.1, 0)

_FROM = "From the summary of an earlier compaction:"
_OLD_STATE = "State at an earlier compaction, superseded by what followed:"

# What an earlier summary hands on, by the section it stood in; the next step of that time is past.
EARLIER = {
    "primaryRequestAndIntent": Group(_INTENT, _FROM, 0.08, 7),
    "keyTechnicalConcepts": Group(_TERMS, _FROM, 0.03, 7),
    "filesAndCodeSections": Group(_EARLIER_FILES, _FROM, 0.06, 7),
    "errorsAndFixes": Group(_EARLIER_ERRORS, _FROM, 0.04, 7),
    "problemSolving": Group(_REPORTED, _FROM, 0.04, 7),
    "currentWork": Group(_REPORTED, _OLD_STATE, 0.04, 7),
    "contextForContinuingWork": Group(_REPORTED, _OLD_STATE, 0.04, 7),
    "allUserMessages": Group(_QUOTES, _FROM, 0.1, 7),
    "pendingTasks": Group(_EARLIER_TODOS, "Open at an earlier compaction, perhaps done since:", 0.04, 7),
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
        """Where it stands in its section: the notice, what came earlier, what has no heading, and the rest by rank."""
        group = self.group
        now = group.rank > 0 and group not in EARLIER.values()
        return now, bool(group.heading), group.rank, group.heading, self.place

    @property
    def head(self) -> str:
        """The heading it stands under."""
        return self.heading or self.group.heading

    def with_text(self, text: str) -> Line:
        """The same line in other words."""
        return structs.replace(self, text=text)


def safe(text: str) -> str:
    """The text with nothing in it that reads like a tag or a label of ours (rules T10 and T11)."""
    return escape_labels(escape_tags(text), LABELS_TRANSCRIPT)
