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
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import accumulate, groupby
from operator import itemgetter
from textwrap import dedent
from typing import Any

from msgspec import structs

from compact_chat.errors import NoSummary
from compact_chat.facts import without_bullet
from compact_chat.styles.markdown import EDGES, Line, Titles, escaped, find_blocks, is_none, read_value
from compact_chat.styles.style import (
    MENDED,
    SHORTEST,
    Material,
    Request,
    Slot,
    Summary,
    SummaryStyle,
    Task,
    blocks,
    readable,
    texts_in,
)
from compact_chat.text import (
    HANDED_OVER,
    HANDED_WORDS,
    HANDOVER,
    KEPT_TURN,
    QUOTES,
    RELATIVE_TO,
    counted,
    marked_lines,
    turn_heading,
)

_KEYS = "whereWeAre", "next", "rules", "decisions", "watchOut", "open", "files", "record"
SHARES = dict(zip(HANDOVER, (15, 7, 5, 13, 8, 7, 5, 40), strict=True))  # of a model's text, in percent
_TITLES = Titles(zip(HANDOVER, _KEYS, strict=True))
LEAST_SECTIONS, LONGEST_CODE = 3, 3  # of another style, to be taken for it; and lines
_HEADINGS_OF_OTHERS = tuple(
    re.compile(rf"(?:{form})(?P<rest>{rest})" if "number" in form else rf"(?P<number>)(?:{form})(?P<rest>{rest})")
    for form, rest in (
        (r"##?[ \t]+(?:\d{1,2}[.)][ \t]*)?(?P<title>[^\n]{2,80})", ""),
        (r"###[ \t]+(?:\d{1,2}[.)][ \t]*)?(?P<title>[^\n]{2,80})", ""),
        (r"(?P<number>\d{1,2})[.)][ \t]+(?P<title>(?:\*\*)?[A-Z][^*\n]{2,60}(?:\*\*:?|:\*\*|:))[ \t]*", ""),
        (r"(?P<title>\*\*[^*\n]{2,60}\*\*:?)[ \t]*", ""),
        (r"[ \t]*<(?P<title>[a-z]\w{2,40})>", ".*"),
    )
)
_DEEPER = re.compile(r"^#{1,6}[ \t]+(\S(?:.*[^ \t])?)[ \t]*$")
_END_OF_ELEMENT = re.compile(r"(?<![ \t])[ \t]*</[a-z]\w{2,40}>[ \t]*\Z")  # tried once in a run of blanks
_MEANS = tuple(  # the sections of a hand-over, by words in titles of others
    (key, re.compile(words))
    for key, words in (
        ("decisions", r"decision|rationale|trade-?off"),
        ("next", r"\bnext\b|\bplan\b"),
        ("rules", r"constraint|\brules?\b|preference|instruction"),
        ("watchOut", r"warning|caveat|gotcha|pitfall|\brisks?\b"),
        ("open", r"pending|to-?do|\btasks?\b|remaining|\bopen\b|unresolved|outstanding|blocke"),
        ("files", r"\bfiles?\b|artifact|code (?:change|section)"),
        (
            "whereWeAre",
            (
                r"goal|objective|request|intent|current|state\b|status|progress|recent|overview|context\b"
                r"|previous|background|summary|complet|accomplish|\bdone\b"
            ),
        ),
    )
)
_SAYS_ITS_KIND = re.compile(
    r"[^\n]{0,250}(?:summary|hand-?over|handoff|conversation|session|snapshot)[^\n]{0,250}", re.IGNORECASE
)
_SCRATCHPAD = re.compile(r"<(scratchpad|thinking)>.*?</\1>\s*", re.DOTALL | re.IGNORECASE)
_SCRATCH = re.compile(r"\A[^\n]{0,400}\s{0,4}^Analysis:\n.*?^(?=Summary:[ \t]*\n)", re.MULTILINE | re.DOTALL)
_WRAPPED = re.compile(
    r"(?:(?!```|~~~|#)[^\n]{0,400}\n){0,5}(?P<run>```+|~~~+)[ \t]*+(?:(?:markdown|md|text)[ \t]*+)?\n(?P<inner>.*)"
    r"\n(?P=run)[ \t]*(?:\n[^\n#]{0,400}){0,5}",
    re.DOTALL | re.IGNORECASE,
)
_TURN = re.compile(r"[ \t]*+###(?!#)[ \t]*+")
_NUMBERED = re.compile(r"### (?:Turn (\d{1,9})|Before turn 1)\b")


class Handoff(SummaryStyle):
    """A text to go on from: a brief first, then what it rests on."""

    name = "handoff"
    titles = _TITLES
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
        words = self.words()
        text = blocks(
            (
                *task.introduction(words, more=about.more, earlier=bool(about.earlier)),
                words["What to do"],
                words["Form"],
                *task.conduct(words, SHARES),
                task.instructions,
                task.closing(words["Closing"]),
            )
        )
        return Request(about.frames, text)

    def mend(self, reply: str) -> Summary:
        """Read a reply; sections with other titles go where they belong, without long code (rule H16)."""
        own = None
        with suppress(NoSummary):
            own = self.read(reply)
        has_most = own is not None and _has_most(own.sections, reply)
        if own and has_most and self.lacks(own.sections or {}) is None:
            return own
        parts = find_blocks(_unwrapped(readable(reply)))
        text = _SCRATCH.sub("", "\n\n".join(parts.bodies or (parts.outside,)).strip())
        for heading in _HEADINGS_OF_OTHERS:
            sections = _sorted(_parted(_SCRATCHPAD.sub("", text), heading))
            if sections:
                return structs.replace(self.write(sections), warnings=(MENDED,))
        text = without_long_code(text)
        if own and (has_most or len(text) < SHORTEST):
            return own
        if len(text) < SHORTEST:
            raise NoSummary("The reply has none of the headings of a hand-over.", "noSections")
        return structs.replace(self.write({self.catch_all: text}), warnings=(MENDED,))

    def read_section(self, slot: Slot, lines: Sequence[Line]) -> str | list[Any]:
        """Read a text; of the record, one per turn."""
        return _read_turns(lines) if slot.items else super().read_section(slot, lines)

    def text_of(self, sections: Mapping[str, Any]) -> str:
        """Write the sections that hold something."""
        titled = zip(HANDOVER, self.slots, strict=True)
        return "\n\n".join(
            f"## {title}\n{self.write_section(slot, sections[slot.key])}"
            for title, slot in titled
            if sections[slot.key]
        )

    def write_section(self, slot: Slot, value: Any) -> str:
        """Write a text, or a heading per turn."""
        return _turns(value) if slot.items else super().write_section(slot, value)

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

        newest = list(accumulate((number for _, number in self._places), max))  # up to each turn of the record

        def place_of(turn: tuple[int, str]) -> int:
            at = bisect_right(newest, turn[0] - first)
            return self._places[at][0] if at < len(newest) else self._end

        pieces, done = list[str](), 0
        for place, group in groupby(sorted(turns, key=itemgetter(0)), key=place_of):
            pieces += ["\n".join(self._lines[done:place]).strip("\n")]
            pieces += [f"## {HANDOVER[-1]}"] if self._record is None else []
            pieces += [f"### {turn_heading(number)}{KEPT_TURN}\n{text}" for number, text in group]
            done = place
        return "\n\n".join(filter(None, (*pieces, "\n".join(self._lines[done:]))))


def _unwrapped(text: str) -> str:
    """Return what a fence around all but some words before and behind it holds, else the text."""
    found = _WRAPPED.fullmatch(text)
    return found["inner"] if found and len(found["inner"]) > len(text) // 2 else text


def _has_most(sections: Mapping[str, Any] | None, text: str) -> bool:
    return sum(map(len, texts_in(sections))) > len(text) // 2


def _parted(text: str, heading: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Yield the titles of a text with what is below each; of numbers, only those that count on are titles."""
    title, number, lines = "", 0, list[str]()
    for line, fenced in marked_lines(text):
        found = None if fenced else heading.fullmatch(line)
        if found and (not found["number"] or int(found["number"]) == number + 1):
            yield title, dedent("\n".join(lines)).strip(EDGES)
            title, number = found["title"].strip(" *_:"), int(found["number"] or 0)
            lines = [_END_OF_ELEMENT.sub("", found["rest"])]
        elif fenced or not _END_OF_ELEMENT.fullmatch(line):
            lines.append(line if fenced else _DEEPER.sub(r"**\1**", line))
    yield title, dedent("\n".join(lines)).strip(EDGES)


def _sorted(parts: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Sort the sections of another form under the headings of a hand-over; nothing if these are too few."""
    found = [
        (_key_of(title), title.replace("_", " ").capitalize(), text)
        for title, text in parts
        if text and not is_none(text)
    ]
    if found and not found[0][1] and _SAYS_ITS_KIND.fullmatch(found[0][2]):
        found.pop(0)
    told = [one for one in found if one[1]]
    if len(told) < LEAST_SECTIONS or len({key for key, _, _ in told} - {"record"}) < 2:
        return {}
    sections: dict[str, Any] = {}
    for key, title, text in found:
        text = without_long_code(text, 0 if key == "files" else LONGEST_CODE)
        if key == "record":
            sections.setdefault(key, []).append(f"{title}\n{text}")
            continue
        is_shared = title and sum(key == other for other, _, _ in found) > 1
        text = f"{title}:\n{text}" if is_shared else text
        sections[key] = f"{sections[key]}\n\n{text}" if key in sections else text
    return sections


def _key_of(title: str) -> str:
    """Return the section that a title of another form stands for."""
    words = title.replace("_", " ").lower()
    return next((key for key, means in _MEANS if means.search(words)), "record") if title else "whereWeAre"


def without_long_code(text: str, longest: int = LONGEST_CODE) -> str:
    """Return a text with a note in place of longer code, which files hold."""
    pieces = []
    for fenced, group in groupby(marked_lines(text), key=itemgetter(1)):
        lines = [line for line, _ in group]
        indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
        note = f"{indent}[{counted(len(lines) - 2, 'line')} of code]"
        pieces += [note] if fenced and len(lines) > longest + 2 else lines
    return "\n".join(pieces)


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
