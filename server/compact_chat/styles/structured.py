"""The structured style: titled sections of prose, items and entries with labeled fields (rules R1 to R13 and P30)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct

from compact_chat.styles.detailed import last_task
from compact_chat.styles.markdown import (
    BLANKS,
    Line,
    Titles,
    below,
    common_indent,
    escaped_line,
    from_below,
    is_none,
    read_items,
    read_value,
    unescaped_line,
    write_value,
)
from compact_chat.styles.style import (
    TASK,
    Material,
    Request,
    Slot,
    Summary,
    SummaryStyle,
    Task,
    blocks,
    example,
)

_HEAD = "# Conversation Summary"
_END_MARKER = "--- End of Original Conversation ---"
_SHARES = {  # percent of the words
    "User Intent": 5,
    "Key Decisions": 15,
    "Code Changes": 25,
    "Errors and Solutions": 15,
    "Debugging Steps": 10,
    "Warnings and Notes": 20,
    "Current State": 5,
    "Next Steps": 5,
}
_ENTRY = re.compile(r"[ \t]*+###(?:[ \t](.*))?", re.DOTALL)
_AROUND = re.compile(r"(`+)(?P<code>[^`]+)\1|\*\*(?P<bold>(?:(?!\*\*).)+)\*\*|__(?P<line>(?:(?!__).)+)__", re.DOTALL)


class Form(Struct, frozen=True, dict=True):
    """The structure of a section's entries; text without a label goes to the loose field."""

    name: str
    fields: tuple[str, ...]
    loose: str

    @property
    def members(self) -> tuple[str, ...]:
        """The members of an entry, in order."""
        return (self.name, *self.fields)

    @cached_property
    def label(self) -> re.Pattern[str]:
        """Matches a label with or without bullet, bold or not, with its colon inside or outside the bold."""
        names = "|".join(self.fields)
        return re.compile(
            rf"[ \t]*+(?:[-*+•][ \t]++)?(?:([*_]{{1,3}})({names})[ \t]*+(?::[ \t]*+\1|\1[ \t]*+:)|({names})[ \t]*+:)",
            re.IGNORECASE,
        )

    def is_structure(self, line: str) -> bool:
        """Return whether a line would be read as a title, a fence, a heading of an entry or a label."""
        return _TITLES.is_structure(line) or bool(_ENTRY.fullmatch(line) or self.label.match(line))

    def bare_name(self, text: str) -> str:
        """Remove the label and marks around a whole name, repeatedly."""
        label = self.name
        labels = re.compile(rf"(?>{label}[ \t]*+:[ \t]*+|\*\*{label}(?::\*\*|\*\*[ \t]*+:)[ \t]*+)++", re.IGNORECASE)
        before, name = "", text.strip(BLANKS)
        while name != before:
            before = name
            name = labels.sub("", name, count=1) if labels.match(name) else name
            if around := _AROUND.fullmatch(name):
                name = around["code"] or around["bold"] or around["line"]
            name = name.strip(BLANKS)
        return name

    def is_dressed(self, name: str) -> bool:
        """Return whether a name would be read as another one, or as none."""
        return is_none(name) or self.bare_name(name) != name

    def written(self, entry: Mapping[str, str]) -> str:
        """Write an entry: its name as a heading, then all its fields."""
        name = escaped_line(self.bare_name(entry[self.name].replace("\n", " ")), self.is_dressed)
        contents = (below(write_value(entry[field], self.is_structure, behind=True)) for field in self.fields)
        fields = (f"- **{field.capitalize()}**: {text}" for field, text in zip(self.fields, contents, strict=True))
        return "\n".join(line.rstrip(BLANKS) for line in (f"### {self.name.capitalize()}: {name}", *fields))


_CODE_CHANGES = Form("file", ("change", "rationale", "impact"), loose="change")
_ERRORS = Form("error", ("location", "solution", "prevention"), loose="solution")
_FORMS = {"codeChanges": _CODE_CHANGES, "errorsAndSolutions": _ERRORS}
_HEADINGS = {
    "userIntent": "User Intent",
    "keyDecisions": "Key Decisions",
    "codeChanges": "Code Changes",
    "errorsAndSolutions": "Errors and Solutions",
    "debuggingSteps": "Debugging Steps",
    "warningsAndNotes": "Warnings and Notes",
    "currentState": "Current State",
    "nextSteps": "Next Steps",
    TASK: "IMMEDIATE TASK",
}
_ALWAYS = ("userIntent", "currentState")  # present even if empty
_TITLES = Titles((title, key) for key, title in _HEADINGS.items())


class Structured(SummaryStyle):
    """Eight titled sections that a program can parse."""

    name = "structured"
    titles = _TITLES
    catch_all = "currentState"
    next_step = "the sections `Current State` and `Next Steps`"
    transcript = "numbers"
    unheaded = "commands"
    slots = (
        Slot("userIntent", ("intent", "quotes"), "intent"),
        Slot("keyDecisions", ("decisions",), "terms", items=True),
        Slot("codeChanges", ("modified",), "files", members=_CODE_CHANGES.members),
        Slot("errorsAndSolutions", ("openErrors", "fixedErrors"), "errors", members=_ERRORS.members),
        Slot("debuggingSteps", ("commands", "results", "lookups"), "outcomes", bullet="1. ", items=True),
        Slot(
            "warningsAndNotes",
            ("rules", "terms", "read", "reported", "oldFiles", "oldErrors", "oldTodos"),
            "context",
            items=True,
        ),
        Slot("currentState", ("state", "context"), "state"),
        Slot("nextSteps", ("todos", "next"), "todos", bullet="1. ", items=True),
        Slot(TASK, ("task",)),
    )

    def prompt(self, task: Task, about: Material) -> Request:
        """Write the instructions, the chat between heading and end marker, and the form once more (rule P30)."""
        words = self.words()
        text = blocks(
            (
                *task.introduction(words, more=about.more, earlier=bool(about.earlier)),
                example(words["Form"], words["Immediate task section"] if task.wants_task else ""),
                words["What matters"],
                *task.conduct(words, _SHARES),
                about.earlier_frame,
                f"## Original Conversation\n\n{about.chat}\n\n{_END_MARKER}",
                task.instructions,
                task.closing(words["Closing"]),
            )
        )
        return Request("", text)

    def read_section(self, slot: Slot, lines: Sequence[Line]) -> str | list[Any]:
        """Read prose, items or entries."""
        if slot.members:
            return _read_entries(lines, _FORMS[slot.key])
        return read_items(lines, _TITLES.is_structure) if slot.items else super().read_section(slot, lines)

    def text_of(self, sections: Mapping[str, Any]) -> str:
        """Write the non-empty sections, and the two that are always present (rule R11)."""
        written = (
            f"## {_HEADINGS[slot.key]}\n{self.write_section(slot, sections[slot.key])}".rstrip("\n")
            for slot in self.slots
            if sections[slot.key] or slot.key in _ALWAYS
        )
        return "\n\n".join((_HEAD, *written)) + "\n"

    def write_section(self, slot: Slot, value: Any) -> str:
        """Write prose, entries, or at least one line per item."""
        if slot.members:
            return "\n\n".join(_FORMS[slot.key].written(entry) for entry in value)
        if not slot.items:
            return super().write_section(slot, value)
        marks = (f"{place}." if slot.bullet == "1. " else "-" for place in range(1, 1 + len(value)))
        texts = (below(write_value(item, _TITLES.is_structure, behind=True)) for item in value)
        return "\n".join(f"{mark} {text}" for mark, text in zip(marks, texts, strict=True))

    def lacks(self, sections: Mapping[str, Any]) -> str | None:
        """Require the intent or the state."""
        if sections["userIntent"] or sections["currentState"]:
            return None
        return "The summary says nothing of the user's intent and of the current state."

    def task(self, summary: Summary) -> str:
        """Return the section on the current task; in a text without sections of this style, one of any style."""
        sections = summary.sections or {}
        return (sections[TASK] or "") if any(sections.values()) else last_task(summary.text)


# Entries: a level-3 heading with a name, and labeled fields (rule R7).


def _read_entries(lines: Sequence[Line], form: Form) -> list[dict[str, str]]:
    """Sort the lines by the members they belong to; indented ones continue the field above them.

    An entry that is called `None` and says nothing is skipped.
    """
    common, in_fence = common_indent(line for line, _ in lines), False
    pieces: list[tuple[str, bool, list[Line]]] = []  # a member, whether it has a label, and its lines
    for line, fenced in ((line[common:], fenced) for line, fenced in lines):
        member, labelled, own = pieces[-1] if pieces else (form.name, True, [])
        if not fenced and (head := _ENTRY.fullmatch(line)):
            pieces.append((form.name, True, [(head[1] or "", False)]))
        elif not fenced and (found := form.label.match(line)):
            pieces.append(((found[2] or found[3]).lower(), True, [(line[found.end() :], False)]))
        elif member != form.name and (
            not labelled or (fenced and in_fence) or line.startswith((" ", "\t")) or not line
        ):
            own.append((from_below(line) if labelled else line, fenced))
        else:
            pieces.append((form.loose, False, [(line, fenced)]))
        in_fence = fenced
    entries: list[dict[str, list[str]]] = []
    for member, _, own in pieces:
        is_head = member == form.name
        value = form.bare_name(own[0][0]) if is_head else read_value(own, form.is_structure)
        if is_head or (value and not entries):
            entries.append({member: [] for member in form.members})
        if not is_head and value:
            entries[-1][form.name] = entries[-1][form.name] or [""]
            entries[-1][member].append(value)
        elif is_head and not is_none(value):
            entries[-1][form.name].append(unescaped_line(value, form.is_dressed))
    return [{member: "\n".join(texts) for member, texts in entry.items()} for entry in entries if any(entry.values())]
