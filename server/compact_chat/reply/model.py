"""The model of a structured summary (rule R1), and typed sections checked against it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from compact_chat.errors import InvalidParams
from compact_chat.reply.markdown import (
    BLANKS,
    NAMELESS,
    IsStructure,
    Line,
    below,
    dedented,
    from_below,
    read_name,
    read_value,
    trimmed,
    write_name,
    write_value,
)
from compact_chat.text import line_feeds

# Sections of entries: each has a name in a level-3 heading, and labelled fields (rule R7).


Entry = dict[str, str]
_HEAD = re.compile(r"[ \t]*+###(?:[ \t](.*))?", re.DOTALL)


class Form(Struct, frozen=True):
    """What the entries of a section are made of; text without a label goes to the loose field."""

    name: str
    fields: tuple[str, ...]
    loose: str

    @property
    def members(self) -> tuple[str, ...]:
        """The members of an entry in their order."""
        return (self.name, *self.fields)


class Piece(Struct, frozen=True):
    """A heading, a labelled text or one without a label, and the member that it belongs to."""

    member: str
    labelled: bool
    lines: list[Line]


def read_entries(lines: Sequence[Line], form: Form, is_title: IsStructure) -> list[Entry]:
    """The entries of a section; one that is called `None` and says nothing is left out."""
    structure = entry_structure(form, is_title)
    entries: list[dict[str, list[str]]] = []
    for piece in _pieces(dedented(lines), form):
        is_head = piece.member == form.name
        value = read_name(piece.lines[0][0], form.name) if is_head else read_value(piece.lines, structure)
        if is_head or (value and not entries):
            entries.append({member: [] for member in form.members})
        if is_head and value != NAMELESS:
            entries[-1][form.name].append(value)
        elif value and not is_head:
            entries[-1][form.name] = entries[-1][form.name] or [""]
            entries[-1][piece.member].append(value)
    return [{member: "\n".join(texts) for member, texts in entry.items()} for entry in entries if any(entry.values())]


def write_entries(entries: Sequence[Mapping[str, str]], form: Form, is_title: IsStructure) -> str:
    """The entries with a blank line between them, all fields in each."""
    structure = entry_structure(form, is_title)
    return "\n\n".join("\n".join(_written(entry, form, structure)) for entry in entries)


def entry_structure(form: Form, is_title: IsStructure) -> IsStructure:
    """What would be read as structure among entries: a title, a fence, a heading of an entry, a label."""
    label = _label(form)
    return lambda line: is_title(line) or _HEAD.fullmatch(line) is not None or label.match(line) is not None


def _written(entry: Mapping[str, str], form: Form, structure: IsStructure) -> Iterator[str]:
    yield f"### {form.name.capitalize()}: {write_name(entry[form.name], form.name)}".rstrip(BLANKS)
    for field in form.fields:
        value = below(write_value(entry[field], structure, behind=True))
        yield f"- **{field.capitalize()}**: {value}".rstrip(BLANKS)


def _pieces(lines: Sequence[Line], form: Form) -> list[Piece]:
    """The lines by what they belong to; indented ones go on with the field above them."""
    opened = _opener(form)
    pieces: list[Piece] = []
    in_fence = False
    for line, fenced in lines:
        last = pieces[-1] if pieces and pieces[-1].member != form.name else None
        goes_on = last and (not last.labelled or (fenced and in_fence) or line.startswith((" ", "\t")) or not line)
        if not fenced and (piece := opened(line)):
            pieces.append(piece)
        elif last and goes_on:
            last.lines.append((from_below(line) if last.labelled else line, fenced))
        else:
            pieces.append(Piece(form.loose, False, [(line, fenced)]))
        in_fence = fenced
    return pieces


def _opener(form: Form) -> Callable[[str], Piece | None]:
    """What finds the heading of an entry, or a label, at the start of a line."""
    label = _label(form)

    def opened(line: str) -> Piece | None:
        if head := _HEAD.fullmatch(line):
            return Piece(form.name, True, [(head[1] or "", False)])
        if found := label.match(line):
            return Piece((found[2] or found[3]).lower(), True, [(line[found.end() :], False)])
        return None

    return opened


def _label(form: Form) -> re.Pattern[str]:
    """A label with or without bullet, bold or not, with its colon inside or outside the bold."""
    names = "|".join(form.fields)
    return re.compile(
        rf"[ \t]*+(?:[-*+•][ \t]++)?(?:([*_]{{1,3}})({names})[ \t]*+(?::[ \t]*+\1|\1[ \t]*+:)|({names})[ \t]*+:)",
        re.IGNORECASE,
    )


# The model of a structured summary (rule R1), and typed sections checked against it.


MOST_PROBLEMS = 1000
CODE_CHANGES = Form("file", ("change", "rationale", "impact"), loose="change")
ERRORS = Form("error", ("location", "solution", "prevention"), loose="solution")


class Section(Struct, frozen=True):
    """A section: its title, its key, how it is written, and whether it is there when it holds nothing."""

    title: str
    key: str
    form: Literal["prose", "bullets", "numbers"] | Form
    always: bool = False


SECTIONS = (
    Section("User Intent", "userIntent", "prose", always=True),
    Section("Key Decisions", "keyDecisions", "bullets"),
    Section("Code Changes", "codeChanges", CODE_CHANGES),
    Section("Errors and Solutions", "errorsAndSolutions", ERRORS),
    Section("Debugging Steps", "debuggingSteps", "numbers"),
    Section("Warnings and Notes", "warningsAndNotes", "bullets"),
    Section("Current State", "currentState", "prose", always=True),
    Section("Next Steps", "nextSteps", "numbers"),
    Section("IMMEDIATE TASK", "immediateTask", "prose"),
)
TASK = "immediateTask"  # the one field that may be null: its section is asked for by an option (rule P10)


def normalised(sections: Mapping[str, object]) -> dict[str, Any]:
    """Typed sections with every field, trimmed and without empty items; what is wrong comes back with its path."""
    problems = list(_problems(sections))
    if problems:
        raise InvalidParams(problems[:MOST_PROBLEMS])
    return {section.key: _normal(section, sections.get(section.key)) for section in SECTIONS}


def holds_anything(sections: Mapping[str, Any]) -> bool:
    """Whether any field of checked sections holds a word (rule R10)."""
    return any(text.strip() for value in sections.values() for text in _texts(value))


def _texts(value: Any) -> Iterator[str]:
    for item in value if isinstance(value, list) else [value or ""]:
        yield from item.values() if isinstance(item, dict) else (item,)


def _normal(section: Section, value: Any) -> Any:
    if isinstance(section.form, Form):
        members = section.form.members
        return [{member: _tidy(entry.get(member, "")) for member in members} for entry in value or []]
    if section.form == "prose":
        return _tidy(value or "") or (None if section.key == TASK else "")
    return [text for item in value or [] if (text := _tidy(item))]


def _tidy(text: str) -> str:
    return trimmed(line_feeds(text))


def _problems(sections: Mapping[str, object]) -> Iterator[dict[str, str]]:
    known = {section.key: section for section in SECTIONS}
    for place, (key, value) in enumerate(sections.items()):
        if section := known.get(key):
            yield from _value_problems(section, value)
        else:
            yield unknown_section(place, known)


def _value_problems(section: Section, value: object) -> Iterator[dict[str, str]]:
    path = f"$.sections.{section.key}"
    if section.form == "prose":
        if not isinstance(value, str) and not (value is None and section.key == TASK):
            yield {"path": path, "message": "expected text"}
    elif not isinstance(value, list):
        yield {"path": path, "message": "expected a list"}
    else:
        for place, item in enumerate(value):
            yield from _item_problems(section, item, f"{path}[{place}]")


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


def unknown_section(place: int, known: Mapping[str, object]) -> dict[str, str]:
    """Name only the place of a section that is none of ours: its name is the caller's own."""
    return {"path": "$.sections", "message": f"unknown section at place {place}; expected some of {', '.join(known)}"}
