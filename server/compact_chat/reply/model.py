"""The model of a structured summary (rule R1), and typed sections checked against it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct

from compact_chat.errors import InvalidParams
from compact_chat.marks import line_feeds
from compact_chat.reply.entries import Form
from compact_chat.reply.values import trimmed

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
