"""Sections of entries: each has a name in a level-3 heading, and labelled fields (rule R7)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

from compact_chat.reply.escapes import IsStructure
from compact_chat.reply.indent import Line, below, dedented, from_below
from compact_chat.reply.names import NAMELESS, read_name, write_name
from compact_chat.reply.reply import BLANKS
from compact_chat.reply.values import read_value, write_value

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
