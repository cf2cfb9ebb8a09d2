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
from compact_chat.text import (
    HANDED_OVER,
    HANDED_WORDS,
    HANDOVER,
    KEPT_TURN,
    QUOTES,
    RELATIVE_TO,
    line_feeds,
    marked_lines,
    turn_heading,
)

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
_NUMBERED = re.compile(r"### (?:Turn (\d{1,9})|Before turn 1)\b")


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


class RecordedTurns:
    """The text of a hand-over as lines, and where its record and the turns in it are."""

    def __init__(self, text: str) -> None:
        plain = [("" if fenced else line, line) for line, fenced in marked_lines(text.strip())]
        self._lines = [line for _, line in plain]
        titles = [place for place, (line, _) in enumerate(plain) if line.startswith("## ")]
        self._record = next((place for place in titles if plain[place][0].rstrip() == f"## {HANDOVER[-1]}"), None)
        after = (place for place in titles if self._record is not None and place > self._record)
        self._end = next(after, len(plain))
        turns = ((place, _NUMBERED.match(plain[place][0])) for place in range(self._record or 0, self._end))
        self._places = [(place, int(turn[1] or 0)) for place, turn in turns if turn]

    @property
    def last(self) -> int:
        """The number of the newest turn, 0 without one."""
        return max((number for _, number in self._places), default=0)

    @property
    def quoted(self) -> frozenset[str]:
        """The quotes before the record."""
        return frozenset(found[0] for found in QUOTES.finditer("\n".join(self._lines[: self._record])))

    @property
    def folder(self) -> str:
        """The folder that paths are relative to, or nothing."""
        return next((line[len(RELATIVE_TO) :].strip("`:") for line in self._lines if line.startswith(RELATIVE_TO)), "")

    def with_kept(self, turns: Sequence[tuple[int, str]], *, first: bool) -> str:
        """Add turns that stay word for word, each behind what the record tells of it; or before that, if `first`."""
        if not turns:
            return "\n".join(self._lines)

        def place_of(turn: tuple[int, str]) -> int:
            return next((place for place, number in self._places if number > turn[0] - first), self._end)

        pieces, done = list[str](), 0
        for place, group in groupby(sorted(turns, key=itemgetter(0)), key=place_of):
            pieces += ["\n".join(self._lines[done:place]).strip("\n")]
            pieces += [f"## {HANDOVER[-1]}"] if self._record is None else []
            pieces += [f"### {turn_heading(number)}{KEPT_TURN}\n{text}" for number, text in group]
            done = place
        return "\n\n".join(filter(None, (*pieces, "\n".join(self._lines[done:]))))


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
