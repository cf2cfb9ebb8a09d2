"""The page of each style: chosen lines under its titles; nothing of the chat can pass for a tag, a title or a label."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from compact_chat.options import Style
from compact_chat.plan.outcome import Direction
from compact_chat.providers.extract.entries import structured_data
from compact_chat.providers.extract.lines import NOTHING, RULES, Group, Line, safe
from compact_chat.reply.headings import TITLES, key_of
from compact_chat.reply.styles import render_sections

Sections = Mapping[str, Sequence[Line]]  # the lines of each section, in the order of its style

_SECTIONS: Mapping[Style, tuple[str, ...]] = {
    "detailed": tuple(map(key_of, TITLES)),
    "checkpoint": (
        *("goal", "constraints", "done", "inProgress", "blocked", "decisions", "nextSteps", "context", "immediateTask"),
    ),
    "structured": (
        *("userIntent", "keyDecisions", "codeChanges", "errorsAndSolutions", "debuggingSteps", "warningsAndNotes"),
        *("currentState", "nextSteps", "immediateTask"),
    ),
    "brief": ("Request", "Rules", "Files", "Errors", "Outcomes", "State", "Next", "IMMEDIATE TASK"),
}
_MARKS = {"done": "- [x] ", "nextSteps": "1. "}  # of the items of a checkpoint, where they are not bullets (rule P21)
# Titles have number signs in all styles but the detailed one, so that there nothing else may have any.
_HEADING = re.compile(r"^([ \t]*+)(?=#{1,6}(?:[ \t]|$))", re.MULTILINE)


def titles(style: Style, direction: Direction, task: bool) -> list[str]:
    """The sections that a summary of this style and direction has (rules P6 and P10)."""
    left_out = {"optionalNextStep"} if direction == "upTo" else {"contextForContinuingWork"}
    if direction == "upTo" or not task:
        left_out |= {"immediateTask", "IMMEDIATE TASK"}
    return [key for key in _SECTIONS[style] if key not in left_out]


def page(lines: Sequence[Line], style: Style, keys: Sequence[str], blank_sections: bool) -> str:
    """The reply with these lines, each section that has none saying so or left out."""
    shown = lines if style == "detailed" else [line.with_text(_HEADING.sub(r"\1\\", line.text)) for line in lines]
    sections = {key: [line for line in shown if line.group.place.of(style) == key] for key in keys}
    return _PAGES[style](sections, blank_sections)


def _detailed(sections: Sections, blank_sections: bool) -> str:
    texts = {key: _text(lines) for key, lines in sections.items()}
    filled = {key: text or NOTHING for key, text in texts.items() if text or blank_sections}
    body = render_sections(filled or {next(iter(sections)): NOTHING}, "detailed").partition("\n")[2]
    return f"<summary>\n{body}\n</summary>"


def _checkpoint(sections: Sections, _: bool) -> str:
    shown = {key: [_marked(line, _MARKS.get(key, "- ")) for line in lines] for key, lines in sections.items()}
    return render_sections({key: _text(lines, bare=RULES) for key, lines in shown.items()}, "checkpoint")


def _structured(sections: Sections, _: bool) -> str:
    return render_sections(structured_data(sections, _text), "structured")


def _brief(sections: Sections, _: bool) -> str:
    texts = {title: _text(lines, bare=RULES) for title, lines in sections.items()}
    return "\n\n".join(f"## {title}\n{text}" for title, text in texts.items() if text)


_PAGES: Mapping[Style, Callable[[Sections, bool], str]] = {
    "detailed": _detailed,
    "checkpoint": _checkpoint,
    "structured": _structured,
    "brief": _brief,
}


def _text(lines: Sequence[Line], bare: Group | None = None) -> str:
    """The lines below their headings; one group may do without, where the title of the section says as much."""
    pieces: list[str] = []
    before = ""
    for line in sorted(lines, key=lambda line: line.order):
        head = "" if line.group == bare else line.head
        if head != before:
            pieces += [""] * bool(pieces) + [head] * bool(head)
        before = head
        pieces.append(line.text)
    return safe("\n".join(pieces))


def _marked(line: Line, mark: str) -> Line:
    """The line with another mark for its bullet, if it has one."""
    return line.with_text(mark + line.text[2:]) if line.text.startswith("- ") else line
