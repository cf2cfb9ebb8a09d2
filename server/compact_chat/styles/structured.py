"""The structured style: titled sections of prose, items and entries with labelled fields (rules R1 to R13 and P30)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from compact_chat.errors import InvalidParams, NoSummary
from compact_chat.styles.headings import TASK, last_task
from compact_chat.styles.markdown import (
    BLANKS,
    IsStructure,
    Line,
    Titles,
    below,
    dedented,
    escaped,
    escaped_line,
    from_below,
    is_none,
    read_items,
    read_text,
    read_value,
    trimmed,
    unescaped_line,
    write_items,
    write_value,
)
from compact_chat.styles.prompts import Material, Request, Task, blocks, conduct, example, pieces, reading, wording
from compact_chat.styles.style import MOST_PROBLEMS, Slot, Summary, SummaryStyle, readable, unknown_section
from compact_chat.text import line_feeds

Entry = dict[str, str]


class Form(Struct, frozen=True):
    """What the entries of a section are made of; text without a label goes to the loose field."""

    name: str
    fields: tuple[str, ...]
    loose: str

    @property
    def members(self) -> tuple[str, ...]:
        """The members of an entry in their order."""
        return (self.name, *self.fields)

    @property
    def label(self) -> re.Pattern[str]:
        """A label with or without bullet, bold or not, with its colon inside or outside the bold."""
        names = "|".join(self.fields)
        return re.compile(
            rf"[ \t]*+(?:[-*+•][ \t]++)?(?:([*_]{{1,3}})({names})[ \t]*+(?::[ \t]*+\1|\1[ \t]*+:)|({names})[ \t]*+:)",
            re.IGNORECASE,
        )


class Section(Struct, frozen=True):
    """A section: its title, its key, how it is written, and whether it is there when it holds nothing."""

    title: str
    key: str
    form: Literal["prose", "bullets", "numbers"] | Form
    always: bool = False


_CODE_CHANGES = Form("file", ("change", "rationale", "impact"), loose="change")
_ERRORS = Form("error", ("location", "solution", "prevention"), loose="solution")
_SECTIONS = {
    section.key: section
    for section in (
        Section("User Intent", "userIntent", "prose", always=True),
        Section("Key Decisions", "keyDecisions", "bullets"),
        Section("Code Changes", "codeChanges", _CODE_CHANGES),
        Section("Errors and Solutions", "errorsAndSolutions", _ERRORS),
        Section("Debugging Steps", "debuggingSteps", "numbers"),
        Section("Warnings and Notes", "warningsAndNotes", "bullets"),
        Section("Current State", "currentState", "prose", always=True),
        Section("Next Steps", "nextSteps", "numbers"),
        Section("IMMEDIATE TASK", TASK, "prose"),
    )
}
_TITLES = Titles((section.title, section.key) for section in _SECTIONS.values())
_HEAD = "# Conversation Summary"
_END_MARKER = "--- End of Original Conversation ---"
_ENTRY = re.compile(r"[ \t]*+###(?:[ \t](.*))?", re.DOTALL)
_NAMELESS = "\n"  # what a heading that says `None` is read as; no name holds a line feed
_AROUND = re.compile(r"(`+)(?P<code>[^`]+)\1|\*\*(?P<bold>(?:(?!\*\*).)+)\*\*|__(?P<line>(?:(?!__).)+)__", re.DOTALL)


class Structured(SummaryStyle):
    """Eight titled sections that a program can read."""

    name = "structured"
    next_step = "the sections `Current State` and `Next Steps`"
    transcript = "numbers"
    unheaded = "commands"
    slots = (
        Slot("userIntent", ("intent", "quotes"), "intent"),
        Slot("keyDecisions", (), "terms", items=True),
        Slot("codeChanges", ("modified",), "files", members=_CODE_CHANGES.members),
        Slot("errorsAndSolutions", ("openErrors", "fixedErrors"), "errors", members=_ERRORS.members),
        Slot("debuggingSteps", ("commands", "lookups"), "outcomes", items=True),
        Slot(
            "warningsAndNotes",
            ("rules", "terms", "read", "reported", "oldFiles", "oldErrors", "oldTodos"),
            "context",
            items=True,
        ),
        Slot("currentState", ("state", "context"), "state"),
        Slot("nextSteps", ("todos", "next"), "todos", items=True),
        Slot(TASK, ("task",)),
    )

    def prompt(self, task: Task, about: Material) -> Request:
        """Write the instructions, the chat between heading and end marker, and the form once more (rule P30)."""
        structured = wording("structured")
        last = wording("shared")["Immediate task section"] if task.wants_task else ""
        text = blocks(
            (
                structured["Task"],
                task.scope,
                *pieces(bool(about.earlier), about.more),
                structured["Material"],
                reading(structured["Labels"]),
                example(structured["Form"], last),
                structured["What matters"],
                *conduct(task),
                about.earlier_frame,
                f"## Original Conversation\n\n{about.chat}\n\n{_END_MARKER}",
                task.instructions,
                " ".join(filter(None, (structured["Closing"], task.last_line))),
            )
        )
        return Request("", text)

    def read(self, reply: str) -> Summary:
        """Read the sections of a reply, and write the summary anew from them."""
        text = _TITLES.without_fence(readable(reply))
        if not _TITLES.keys_in(text):
            raise NoSummary("The reply has none of the headings of a structured summary.", "noSections")
        return self.write(_read(text))

    def parse(self, text: str) -> dict[str, Any]:
        """Read every section, empty where the summary has nothing for it."""
        return _read(_TITLES.without_fence(line_feeds(text)))

    def write(self, sections: Mapping[str, object]) -> Summary:
        """Write the sections that hold something, and the two that are always there (rule R11)."""
        checked = _checked(sections)
        if not any(text.strip() for value in checked.values() for text in _texts(value)):
            raise NoSummary("The sections of the summary hold nothing.", "emptySummary")
        written = (
            f"## {section.title}\n{_written(section, checked[section.key])}".rstrip("\n")
            for section in _SECTIONS.values()
            if section.always or checked[section.key]
        )
        return Summary(self, "\n\n".join((_HEAD, *written)) + "\n", given=checked)

    def lacks(self, sections: Mapping[str, Any]) -> str | None:
        """Ask for the intent or the state."""
        if sections["userIntent"] or sections["currentState"]:
            return None
        return "The summary says nothing of the user's intent and of the current state."

    def task(self, summary: Summary) -> str:
        """Return the section on the task at hand; in a text without sections of this style, one of any style."""
        sections = summary.sections or {}
        return (sections[TASK] or "") if any(sections.values()) else last_task(summary.text)

    def least(self, line: str) -> Summary:
        """Write the line as the user's intent."""
        return self.write({"userIntent": f"- {line}"})


def _checked(sections: Mapping[str, object]) -> dict[str, Any]:
    """Return every section, trimmed and without empty items; raise with the path of each wrong value."""
    if problems := list(_problems(sections)):
        raise InvalidParams(problems[:MOST_PROBLEMS])
    return {key: _normal(section, sections.get(key)) for key, section in _SECTIONS.items()}


def _problems(sections: Mapping[str, object]) -> Iterator[dict[str, str]]:
    for place, (key, value) in enumerate(sections.items()):
        path = f"$.sections.{key}"
        if (section := _SECTIONS.get(key)) is None:
            yield unknown_section(place, _SECTIONS)
        elif section.form == "prose":
            if not isinstance(value, str) and not (value is None and key == TASK):
                yield {"path": path, "message": "expected text"}
        elif not isinstance(value, list):
            yield {"path": path, "message": "expected a list"}
        else:
            for at, item in enumerate(value):
                yield from _item_problems(section, item, f"{path}[{at}]")


def _item_problems(section: Section, item: object, path: str) -> Iterator[dict[str, str]]:
    if not isinstance(section.form, Form):
        if not isinstance(item, str):
            yield {"path": path, "message": "expected text"}
    elif not isinstance(item, dict):
        yield {"path": path, "message": f"expected an object of {', '.join(section.form.members)}"}
    else:
        for place, (key, value) in enumerate(item.items()):
            if key not in section.form.members:
                yield {"path": path, "message": f"unknown member at place {place}"}
            elif not isinstance(value, str):
                yield {"path": f"{path}.{key}", "message": "expected text"}


def _normal(section: Section, value: Any) -> Any:
    if isinstance(section.form, Form):
        members = section.form.members
        return [{member: trimmed(line_feeds(entry.get(member, ""))) for member in members} for entry in value or []]
    if section.form == "prose":
        return trimmed(line_feeds(value or "")) or (None if section.key == TASK else "")
    return [text for item in value or [] if (text := trimmed(line_feeds(item)))]


def _texts(value: Any) -> Iterator[str]:
    for item in value if isinstance(value, list) else [value or ""]:
        yield from item.values() if isinstance(item, dict) else (item,)


def _read(text: str) -> dict[str, Any]:
    sections = _checked({})
    for key, lines in _TITLES.sections(text):
        form = _SECTIONS[key].form
        if isinstance(form, Form):
            sections[key].extend(_read_entries(lines, form))
        elif form == "prose":
            found = (read_text if key == TASK else read_value)(lines, _TITLES.is_structure)
            sections[key] = "\n\n".join(filter(None, (sections[key], found))) or sections[key]
        else:
            sections[key].extend(read_items(lines, _TITLES.is_structure))
    return sections


def _written(section: Section, value: Any) -> str:
    if isinstance(section.form, Form):
        return "\n\n".join("\n".join(_entry_lines(entry, section.form)) for entry in value)
    if section.key == TASK:
        return escaped(value, _TITLES.is_structure)
    if section.form == "prose":
        return write_value(value, _TITLES.is_structure)
    return write_items(value, _TITLES.is_structure, numbered=section.form == "numbers")


# Entries: a level-3 heading with a name, and labelled fields (rule R7).


class _Piece(Struct, frozen=True):
    """A heading, a labelled text or one without a label, and the member that it belongs to."""

    member: str
    labelled: bool
    lines: list[Line]


def _read_entries(lines: Sequence[Line], form: Form) -> list[Entry]:
    """Read the entries of a section, leaving out one that is called `None` and says nothing."""
    is_structure = _entry_structure(form)
    entries: list[dict[str, list[str]]] = []
    for piece in _pieces(dedented(lines), form):
        is_head = piece.member == form.name
        value = _read_name(piece.lines[0][0], form.name) if is_head else read_value(piece.lines, is_structure)
        if is_head or (value and not entries):
            entries.append({member: [] for member in form.members})
        if is_head and value != _NAMELESS:
            entries[-1][form.name].append(value)
        elif value and not is_head:
            entries[-1][form.name] = entries[-1][form.name] or [""]
            entries[-1][piece.member].append(value)
    return [{member: "\n".join(texts) for member, texts in entry.items()} for entry in entries if any(entry.values())]


def _pieces(lines: Sequence[Line], form: Form) -> list[_Piece]:
    """Sort the lines by what they belong to; indented ones continue the field above them."""
    label = form.label
    pieces: list[_Piece] = []
    in_fence = False
    for line, fenced in lines:
        last = pieces[-1] if pieces and pieces[-1].member != form.name else None
        if not fenced and (head := _ENTRY.fullmatch(line)):
            pieces.append(_Piece(form.name, True, [(head[1] or "", False)]))
        elif not fenced and (found := label.match(line)):
            pieces.append(_Piece((found[2] or found[3]).lower(), True, [(line[found.end() :], False)]))
        elif last and (not last.labelled or (fenced and in_fence) or line.startswith((" ", "\t")) or not line):
            last.lines.append((from_below(line) if last.labelled else line, fenced))
        else:
            pieces.append(_Piece(form.loose, False, [(line, fenced)]))
        in_fence = fenced
    return pieces


def _entry_lines(entry: Entry, form: Form) -> Iterator[str]:
    is_structure = _entry_structure(form)
    yield f"### {form.name.capitalize()}: {_write_name(entry[form.name], form.name)}".rstrip(BLANKS)
    for field in form.fields:
        value = below(write_value(entry[field], is_structure, behind=True))
        yield f"- **{field.capitalize()}**: {value}".rstrip(BLANKS)


def _entry_structure(form: Form) -> IsStructure:
    """Return what would be read as structure among entries: a title, a fence, a heading of an entry, a label."""
    label = form.label
    return lambda line: (
        _TITLES.is_structure(line) or _ENTRY.fullmatch(line) is not None or label.match(line) is not None
    )


def _read_name(text: str, label: str) -> str:
    """Read the name in a heading: one line, without its own label and without marks around it."""
    name = _bare_name(text, label)
    return _NAMELESS if is_none(name) else unescaped_line(name, _is_dressed(label))


def _write_name(name: str, label: str) -> str:
    """Write a name on one line, escaped if it would be read as another one."""
    return escaped_line(_bare_name(name.replace("\n", " "), label), _is_dressed(label))


def _is_dressed(label: str) -> Callable[[str], bool]:
    return lambda name: is_none(name) or _bare_name(name, label) != name


def _bare_name(text: str, label: str) -> str:
    """Remove the label and marks around all of a name, again until nothing changes."""
    labels = re.compile(rf"(?>{label}[ \t]*+:[ \t]*+|\*\*{label}(?::\*\*|\*\*[ \t]*+:)[ \t]*+)++", re.IGNORECASE)
    before, name = "", text.strip(BLANKS)
    while name != before:
        before = name
        name = labels.sub("", name, count=1) if labels.match(name) else name
        if around := _AROUND.fullmatch(name):
            name = around["code"] or around["bold"] or around["line"]
        name = name.strip(BLANKS)
    return name
