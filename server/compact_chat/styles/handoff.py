"""The handoff style: where the work is, what comes next, what holds, and a record of the turns (rules H1 to H15).

## Where we are
> Round the tax per line.          the user's words are quoted
## Next
1. Run the tests.
## Record
### Turn 3
> And never touch till.py.
- Edited `tax.py` (+12 −3)
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from msgspec import structs

from compact_chat.errors import NoSummary
from compact_chat.facts import without_bullet
from compact_chat.styles.markdown import Line, Titles, escaped, find_blocks, read_value, write_value
from compact_chat.styles.style import (
    MENDED,
    Material,
    Request,
    Slot,
    Summary,
    SummaryStyle,
    Task,
    blocks,
    checked_sections,
    conduct,
    introduction,
    readable,
    texts_in,
    wording,
)
from compact_chat.text import HANDED_OVER, HANDED_WORDS, HANDOVER, line_feeds, marked_lines

_KEYS = "whereWeAre", "next", "rules", "decisions", "watchOut", "open", "files", "record"
_HEADINGS = dict(zip(_KEYS, HANDOVER, strict=True))
SHARES = dict(zip(HANDOVER, (15, 7, 5, 13, 8, 7, 5, 40), strict=True))  # of a model's text, in percent
_TITLES = Titles((title, key) for key, title in _HEADINGS.items())
LEAST_SECTIONS, LONGEST_CODE = 3, 3  # of another style, to be taken for it; and lines
_TAKEN_OVER = {
    "intent": "whereWeAre",
    "state": "whereWeAre",
    "context": "whereWeAre",
    "todos": "open",
    "files": "files",
}
_SCRATCH = re.compile(r"\A[^\n]{0,400}\s{0,4}^Analysis:\n.*?^(?=Summary:[ \t]*\n)", re.MULTILINE | re.DOTALL)
_TURN = re.compile(r"[ \t]*+###(?!#)[ \t]*+")


class Handoff(SummaryStyle):
    """A text to go on from: a brief first, then what it rests on."""

    name = "handoff"
    by_turn = True
    catch_all = "whereWeAre"
    next_step = task_place = "the sections `Where we are` and `Next`"
    slots = (
        Slot("whereWeAre", ("intent", "state", "context"), "state"),
        Slot("next", ("next",), bullet="1. "),
        Slot("rules", ("rules",), "intent"),
        Slot("decisions", ("decisions",), "terms"),
        Slot("watchOut", ("doubts",)),
        Slot("open", ("todos", "openErrors", "oldTodos"), "todos"),
        Slot("files", ("modified", "read", "oldFiles"), "files"),
        Slot("record", ("quotes", "fixedErrors", "commands", "results", "lookups", "reported"), "outcomes", items=True),
    )

    def prompt(self, task: Task, about: Material) -> Request:
        """Write the frames, then what is asked for (rule H16)."""
        words = wording("shared", "scope", "handoff")
        text = blocks(
            (
                *introduction(words, task, about.more, bool(about.earlier)),
                words["What to do"],
                words["Form"],
                *conduct(words, task, SHARES),
                task.instructions,
                " ".join(filter(None, (words["Closing"], task.last_line))),
            )
        )
        return Request(about.frames, text)

    def read(self, reply: str) -> Summary:
        """Parse the sections of a reply (rule H16)."""
        text = readable(reply)
        body = "\n\n".join(map(str.strip, find_blocks(text).bodies))
        if body and _TITLES.keys_in(body) >= _TITLES.keys_in(text):  # else the tags are only mentioned
            text = readable(body)
        text = _TITLES.without_fence(text)
        if not _TITLES.keys_in(text):
            raise NoSummary("The reply has none of the headings of a hand-over.", "noSections")
        return self.write(_read(text))

    def mend(self, reply: str) -> Summary:
        """Read a reply; the sections of another style go under these headings, without long code (rule H16)."""
        try:
            return self.read(reply)
        except NoSummary:
            found = find_blocks(readable(reply))
            text = _SCRATCH.sub("", "\n\n".join(found.bodies or (found.outside,)).strip())
        for other in SummaryStyle.__subclasses__():
            parsed = other().parse(text) or {}
            told = {slot: parsed[slot.key] for slot in other.slots if parsed.get(slot.key)}
            if len(told) >= LEAST_SECTIONS and sum(map(len, texts_in(list(told.values())))) > len(text) // 2:
                return structs.replace(self.write(_taken_over(told)), warnings=(MENDED,))
        return super().mend(without_long_code(text))

    def parse(self, text: str) -> dict[str, Any]:
        """Parse every section, empty if the summary has nothing for it."""
        return _read(_TITLES.without_fence(line_feeds(text)))

    def write(self, sections: Mapping[str, object]) -> Summary:
        """Write the sections that hold something."""
        given = _no_sections() | checked_sections(sections, {slot.key: slot for slot in self.slots})
        if not any(texts_in(given)):
            raise NoSummary("The sections of the summary hold nothing.", "emptySummary")
        written = (
            f"## {title}\n{_turns(given[key]) if key == 'record' else write_value(given[key], _TITLES.is_structure)}"
            for key, title in _HEADINGS.items()
            if given[key]
        )
        return Summary(self, "\n\n".join(written), given=given)

    def lacks(self, sections: Mapping[str, Any]) -> str | None:
        """Require the state or the next step."""
        if sections["whereWeAre"] or sections["next"]:
            return None
        return "The summary says neither where the work is nor what comes next."

    def opening(self, title: str) -> tuple[str, ...]:
        """Return the title of the chat, and what follows."""
        return f"# {title or 'Chat'}{HANDED_OVER}", HANDED_WORDS

    def task(self, summary: Summary) -> str:
        """Return what comes next, without its number."""
        return without_bullet((summary.sections or {}).get("next", ""))


def _taken_over(told: Mapping[Slot, Any]) -> dict[str, Any]:
    """Sort the sections of another style under the headings of a hand-over; the rest is told in the record."""
    sections: dict[str, Any] = {}
    for slot, value in told.items():
        lines = [value] if isinstance(value, str) else [f"- {'; '.join(texts_in(one))}" for one in value]
        text = without_long_code("\n".join(lines))
        key = "next" if "next" in slot.topics else _TAKEN_OVER.get(slot.heritage or "")
        if key:
            sections[key] = "\n\n".join(filter(None, (sections.get(key), text)))
        else:
            words = re.sub(r"([A-Z])", lambda upper: f" {upper[0].lower()}", slot.key).capitalize()
            sections.setdefault("record", []).append(f"{words}\n{text}")
    return sections


def without_long_code(text: str) -> str:
    """Return a text with a note in place of long code, which files hold."""
    pieces = []
    for fenced, group in groupby(marked_lines(text), key=itemgetter(1)):
        lines = [line for line, _ in group]
        indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
        pieces += [f"{indent}[{len(lines) - 2} lines of code]"] if fenced and len(lines) > LONGEST_CODE + 2 else lines
    return "\n".join(pieces)


def _no_sections() -> dict[str, Any]:
    return {key: [] if key == "record" else "" for key in _HEADINGS}


def _read(text: str) -> dict[str, Any]:
    sections = _no_sections()
    for key, _, lines in _TITLES.sections(text):
        if key == "record":
            sections[key] += _read_turns(lines)
        else:
            found = read_value(lines, _TITLES.is_structure)
            sections[key] = "\n\n".join(filter(None, (sections[key], found)))
    return sections


def _read_turns(lines: Sequence[Line]) -> list[str]:
    """Read one text per heading of a turn; what stands before the first is one, too."""
    turns: list[list[Line]] = [[]]
    for line, fenced in lines:
        heading = None if fenced else _TURN.match(line)
        if heading:
            turns.append([(line[heading.end() :], False)])
        else:
            turns[-1].append((line, fenced))
    return [text for turn in turns if (text := read_value(turn, _is_structure))]


def _turns(turns: Sequence[str]) -> str:
    written = []
    for turn in turns:
        title, _, rest = turn.partition("\n")
        written.append(f"### {title}\n{escaped(rest, _is_structure)}".rstrip())
    return "\n\n".join(written)


def _is_structure(line: str) -> bool:
    return _TITLES.is_structure(line) or _TURN.match(line) is not None
