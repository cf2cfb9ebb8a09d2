"""Structured summaries: a model's reply into the fields of the model, and back (rules R)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from compact_chat.errors import NoSummary
from compact_chat.reply.markdown import (
    Line,
    Reply,
    escaped,
    is_section_structure,
    read_items,
    read_text,
    read_value,
    readable,
    stretches,
    titles_of,
    unshelled,
    write_items,
    write_value,
)
from compact_chat.reply.model import (
    SECTIONS,
    TASK,
    Form,
    Section,
    holds_anything,
    normalised,
    read_entries,
    write_entries,
)
from compact_chat.text import line_feeds

HEAD = "# Conversation Summary"
_TITLES = titles_of((section.title, section.key) for section in SECTIONS)
_SECTIONS = {section.key: section for section in SECTIONS}
_NO_HEADINGS = "The reply has none of the headings of a structured summary."
_EMPTY = "The sections of the summary hold nothing."


def format_structured(text: str) -> Reply:
    """The summary of a reply, written anew from its fields."""
    text = unshelled(readable(text), _TITLES)
    if not any(True for _ in stretches(text, _TITLES)):
        raise NoSummary(_NO_HEADINGS, "noSections")
    return Reply(render_structured(_fields(text)))


def parse_structured(summary: str) -> dict[str, Any]:
    """Every field of the model, empty where the summary has nothing for it."""
    return _fields(unshelled(line_feeds(summary), _TITLES))


def render_structured(sections: Mapping[str, object]) -> str:
    """The summary of these fields (rule R11)."""
    checked = normalised(sections)
    if not holds_anything(checked):
        raise NoSummary(_EMPTY, "emptySummary")
    return "\n\n".join((HEAD, *_written(checked))) + "\n"


def _fields(text: str) -> dict[str, Any]:
    sections = normalised({})
    for key, lines in stretches(text, _TITLES):
        section = _SECTIONS[key]
        found = _read(section, lines)
        if section.form == "prose":
            sections[key] = "\n\n".join(filter(None, (sections[key], found))) or sections[key]
        else:
            sections[key].extend(found)
    return sections


def _written(sections: Mapping[str, Any]) -> Iterator[str]:
    for section in SECTIONS:
        if section.always or sections[section.key]:
            yield f"## {section.title}\n{_write(section, sections[section.key])}".rstrip("\n")


def _read(section: Section, lines: Sequence[Line]) -> Any:
    if isinstance(section.form, Form):
        return read_entries(lines, section.form, _is_structure)
    if section.form != "prose":
        return read_items(lines, _is_structure)
    return (read_text if section.key == TASK else read_value)(lines, _is_structure)


def _write(section: Section, value: Any) -> str:
    if isinstance(section.form, Form):
        return write_entries(value, section.form, _is_structure)
    if section.key == TASK:
        return escaped(value, _is_structure)
    if section.form == "prose":
        return write_value(value, _is_structure)
    return write_items(value, _is_structure, numbered=section.form == "numbers")


def _is_structure(line: str) -> bool:
    return is_section_structure(line, _TITLES)
