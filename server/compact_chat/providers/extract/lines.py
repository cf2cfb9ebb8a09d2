"""The lines of a summary before it is known which of them fit."""

from __future__ import annotations

from msgspec import Struct


class Group(Struct, frozen=True):
    """Lines of one kind: their section, their heading there, the share of the room they may take, and their rank."""

    section: str
    heading: str
    share: float
    rank: int


NOTICE = Group("primaryRequestAndIntent", "", 1.0, 0)
WISHES = Group("primaryRequestAndIntent", "", 0.15, 2)
RULES = Group("primaryRequestAndIntent", "Rules that the user set, verbatim:", 0.15, 1)
TERMS = Group("keyTechnicalConcepts", "", 0.05, 11)
MODIFIED = Group("filesAndCodeSections", "Modified, the newest last:", 0.25, 4)
READ = Group("filesAndCodeSections", "Only read:", 0.15, 9)
OPEN_ERRORS = Group("errorsAndFixes", "Not seen to be overcome:", 0.15, 3)
FIXED_ERRORS = Group("errorsAndFixes", "Overcome: the same went well later:", 0.08, 10)
COMMANDS = Group("problemSolving", "Commands, and how each last ended:", 0.2, 8)
LOOKS = Group("problemSolving", "Commands that only looked something up:", 0.3, 12)
REPORTED = Group("problemSolving", "", 1.0, 13)
QUOTES = Group("allUserMessages", "", 1.0, 5)
TODOS = Group("pendingTasks", "", 0.15, 1)
STATE = Group("currentWork", "", 0.3, 6)
NEXT = Group("optionalNextStep", "", 0.15, 2)
CONTEXT = Group("contextForContinuingWork", "", 0.15, 2)
TASK = Group("immediateTask", "", 0.1, 0)

_FROM = "From the summary of an earlier compaction:"
_OLD_STATE = "State at an earlier compaction, superseded by what followed:"

# What an earlier summary hands on, by the section it stood in; the next step of that time is past.
EARLIER = {
    "primaryRequestAndIntent": Group("primaryRequestAndIntent", _FROM, 0.08, 7),
    "keyTechnicalConcepts": Group("keyTechnicalConcepts", _FROM, 0.03, 7),
    "filesAndCodeSections": Group("filesAndCodeSections", _FROM, 0.06, 7),
    "errorsAndFixes": Group("errorsAndFixes", _FROM, 0.04, 7),
    "problemSolving": Group("problemSolving", _FROM, 0.04, 7),
    "currentWork": Group("problemSolving", _OLD_STATE, 0.04, 7),
    "contextForContinuingWork": Group("problemSolving", _OLD_STATE, 0.04, 7),
    "allUserMessages": Group("allUserMessages", _FROM, 0.1, 7),
    "pendingTasks": Group("pendingTasks", "Open at an earlier compaction, perhaps done since:", 0.04, 7),
}


class Line(Struct, frozen=True):
    """A piece of the summary: its place in its group, its turn when room is given, and a heading of its own."""

    group: Group
    text: str
    place: int
    turn: int = 0
    filler: bool = False  # it says nothing of the chat itself
    heading: str = ""

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
