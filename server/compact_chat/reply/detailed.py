"""Brief summaries: the reply itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NoReturn

from compact_chat.chat import Warning
from compact_chat.errors import InvalidParams, NoSummary
from compact_chat.reply.layout import find_blocks
from compact_chat.reply.markdown import (
    FENCE,
    TITLES,
    Reply,
    closed_fences,
    common_indent,
    escaped,
    heading,
    key_of,
    left_to_right,
    marked_lines,
    readable,
    unescaped_line,
)
from compact_chat.reply.model import MOST_PROBLEMS, unknown_section
from compact_chat.text import line_feeds

# A model's reply in the detailed style becomes the summary it holds (rules F).


HEADER = "Summary:"
_BLANK_LINES = re.compile(r"\n(?>[^\S\n]*+\n)++")
LEAST_TITLES = 3
_LOOKS = "The reply holds no summary: expected a <summary> block, or at least three of the section titles as headings."
_CUT_OFF = Warning("unclosedSummary", "The summary has no closing tag: it may be cut off.")
_NO_TAGS = Warning("missingTags", "The summary came without its tags: the whole text outside analysis was taken.")


def format_detailed(text: str) -> Reply:
    """The summary of a reply without analysis and chatter, or the error that there is none."""
    text = readable(text)
    found = find_blocks(text)
    if found.bodies:
        return Reply(_presentable(found.bodies), (_CUT_OFF,) if found.cut_off else ())
    if _titles(found.outside) < LEAST_TITLES:
        raise NoSummary(_LOOKS)
    return Reply(_presentable([found.outside]), (_NO_TAGS,))


def _presentable(bodies: Sequence[str]) -> str:
    """The bodies that hold something, identical ones once, under one header (rules F8, F10 and F11)."""
    texts = dict.fromkeys(_without_header(body).strip() for body in bodies)
    body = "".join(_tidied("\n\n".join(filter(None, texts))))
    if not body:
        raise NoSummary("The summary is blank.", "emptySummary")
    return f"{HEADER}\n{body}"


def _without_header(body: str) -> str:
    first, _, rest = body.strip().partition("\n")
    return rest if first.rstrip() == HEADER else body


def _tidied(text: str) -> Iterator[str]:
    """The text with one blank line for each run of them outside closed fences (rule F11)."""
    place = 0
    for start, end in left_to_right(closed_fences(text)):
        yield _BLANK_LINES.sub("\n\n", text[place:start])
        yield text[start:end]
        place = end
    yield _BLANK_LINES.sub("\n\n", text[place:])


def titles_in(keys: Iterable[str]) -> int:
    """How many of the nine titles are among the keys of sections; either title of section 9 is one (rules F9, Z2)."""
    return len(set(keys) - {"immediateTask"})


def _titles(text: str) -> int:
    """How many of the nine titles a text has as headings."""
    found = (heading(line) for line, fenced in marked_lines(text) if not fenced)
    return titles_in(title[0] for title in found if title)


# The sections of a detailed summary: a summary's text into them, and back.


_NUMBERED = 9
_KEYS = tuple(map(key_of, TITLES))


def parse_detailed(summary: str) -> dict[str, str]:
    """The text of each section by its title in camelCase; a section that is met twice goes on."""
    sections: dict[str, str] = {}
    for key, text in _stretches(summary):
        sections[key] = "\n\n".join(filter(None, (sections.get(key), text)))
    return sections


def render_detailed(sections: Mapping[str, object]) -> str:
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


# Brief summaries: the reply itself.


def format_brief(text: str) -> Reply:
    """The reply, trimmed, without a scratchpad and the tags of another style; a blank one is refused (rule F10)."""
    text = readable(text).strip()
    if not text.startswith(("<analysis", "<summary")):
        return Reply(text)
    body = "\n\n".join(filter(None, map(str.strip, find_blocks(text).bodies)))
    return Reply(readable(body) if body else text)


def parse_brief(_summary: str) -> None:
    """Nothing: a brief summary has no sections of its own."""


def render_brief(_sections: Mapping[str, object]) -> NoReturn:
    """Refuse: a brief summary cannot be made of sections."""
    raise InvalidParams.at("$.style", "expected a style that has sections: detailed, checkpoint or structured")
