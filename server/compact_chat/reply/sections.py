"""The sections of a detailed summary: a summary's text into them, and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from compact_chat.errors import InvalidParams, NoSummary
from compact_chat.marks import line_feeds
from compact_chat.reply.code import FENCE, marked_lines
from compact_chat.reply.escapes import escaped, unescaped_line
from compact_chat.reply.headings import TITLES, heading, key_of
from compact_chat.reply.indent import common_indent
from compact_chat.reply.model import MOST_PROBLEMS, unknown_section

_NUMBERED = 9
_KEYS = tuple(map(key_of, TITLES))


def parse_sections(summary: str) -> dict[str, str]:
    """The text of each section by its title in camelCase; a section that is met twice goes on."""
    sections: dict[str, str] = {}
    for key, text in _stretches(summary):
        sections[key] = "\n\n".join(filter(None, (sections.get(key), text)))
    return sections


def render_sections(sections: Mapping[str, object]) -> str:
    """The summary of these sections, in the order of the prompt."""
    texts = _checked(sections)
    if not any(texts.values()):
        raise NoSummary("The sections hold nothing.", "emptySummary")
    written = [
        f"{_head(title)}\n{escaped(texts[key_of(title)], _is_structure)}" for title in TITLES if key_of(title) in texts
    ]
    return "Summary:\n" + "\n\n".join(section.rstrip() for section in written)


def immediate_task(summary: str) -> str:
    """The text of the last section on the task at hand, in a summary of any style (rule P10)."""
    texts = [text for key, text in _stretches(summary) if key == "immediateTask"]
    return texts[-1] if texts else ""


def _stretches(summary: str) -> Iterator[tuple[str, str]]:
    """What stands below each heading; text before the first one is nobody's."""
    key, first = "", ""
    lines: list[str] = []
    for line, fenced in marked_lines(line_feeds(summary)):
        found = None if fenced else heading(line)
        if found is None:
            lines.append(line if fenced else unescaped_line(line, _is_structure))
            continue
        if key:
            yield key, _dedented(first, lines)
        (key, first), lines = found, []
    if key:
        yield key, _dedented(first, lines)


def _dedented(first: str, lines: Sequence[str]) -> str:
    """The lines without their common indentation, below what stood on the heading's own line."""
    common = common_indent(lines)
    return "\n".join([first, *(line[common:] for line in lines)]).strip()


def _head(title: str) -> str:
    number = min(TITLES.index(title) + 1, _NUMBERED)
    return f"{title}:" if title == TITLES[-1] else f"{number}. {title}:"


def _is_structure(rest: str) -> bool:
    return heading(rest) is not None or FENCE.match(rest) is not None


def _checked(sections: Mapping[str, object]) -> dict[str, str]:
    """The sections as trimmed text; each unknown name and each value that is no text is a problem."""
    problems = [
        _problem(key, place)
        for place, (key, value) in enumerate(sections.items())
        if key not in _KEYS or not isinstance(value, str)
    ]
    if problems:
        raise InvalidParams(problems[:MOST_PROBLEMS])
    return {key: line_feeds(value).strip() for key, value in sections.items() if isinstance(value, str)}


def _problem(key: str, place: int) -> dict[str, str]:
    if key in _KEYS:
        return {"path": f"$.sections.{key}", "message": "expected text"}
    return unknown_section(place, dict.fromkeys(_KEYS))
