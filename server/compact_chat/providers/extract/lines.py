"""The lines of a summary before it is known which of them fit."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct, structs

from compact_chat.marks import escape_labels, escape_tags
from compact_chat.options import Style
from compact_chat.prompt.transcript import LABELS

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
    return escape_labels(escape_tags(text), LABELS)
