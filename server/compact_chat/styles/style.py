"""The interface of styles, the wording of prompts that they share, and a summary in one."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

from msgspec import Struct, structs
from msgspec.structs import replace

from compact_chat.chat import Warning
from compact_chat.errors import InvalidParams, NoSummary
from compact_chat.plan import Direction
from compact_chat.styles.markdown import (
    EDGES,
    Line,
    Titles,
    escaped,
    find_blocks,
    read_text,
    read_value,
    write_value,
)
from compact_chat.text import CONTINUED, OPENING, escape_tags, line_feeds, quote, strip_summary_wrappers
from compact_chat.wire import Files, Style

if TYPE_CHECKING:
    from compact_chat.redact import MaskedMessage, MaskedText, Redactor

TASK = "immediateTask"  # the section on the current task, an option (rule P10)
HEADER = "Summary:"  # beginning of a summary that came between tags
MOST_PROBLEMS = 1000
SHORTEST = 200  # characters of a reply without form that is taken after all
MENDED = Warning("mended", "The reply had not the form that was asked for; its text was put under the style's titles.")
_OPENING_TAG = re.compile(r"\s*+<summary[^\S\n]*+>[^\S\n]*+\n", re.IGNORECASE)
_END_TAG = re.compile(r"</summary[^\S\n]*+>\Z", re.IGNORECASE)
_HOST_END = re.compile(  # the words of a tool to its model
    r"\n[ \t]*+(?:If you need specific details from before compaction|(?:Please c|C)ontinue the conversation from"
    r" where)[^\n]{0,1000}(?:\n[^\n]{0,1000}){0,8}\Z"
)
_FENCED = re.compile(r"\s*+(```+|~~~+)[^\n`]*+\n(.*)\n\1\Z", re.DOTALL)

# What the offline writer writes, and what it takes over from an earlier summary.
Topic = Literal[
    "intent",
    "rules",
    "quotes",
    "terms",
    "modified",
    "read",
    "openErrors",
    "fixedErrors",
    "commands",
    "lookups",
    "reported",
    "doubts",
    "todos",
    "state",
    "decisions",
    "results",
    "next",
    "context",
    "task",
    "oldFiles",
    "oldErrors",
    "oldTodos",
]
Heritage = Literal["intent", "terms", "files", "errors", "outcomes", "state", "context", "quotes", "todos"]
LEAST_WORDS, WORDS_OF_TOKENS = 150, 70  # of a summary, and of 100 tokens: prose with paths and commands in it
_TEXTS = Path(__file__).parent / "texts"


class Slot(Struct, frozen=True):
    """How the offline writer fills a section, and what that means in an earlier summary."""

    key: str
    topics: tuple[Topic, ...]
    heritage: Heritage | None = None
    bullet: str = "- "  # prefix of items in its text
    items: bool = False  # a list of texts instead of one text
    members: tuple[str, ...] = ()  # of its entries, if it is a list of them


class Summary(Struct, frozen=True, dict=True):
    """A summary in one style; its text is parsed once, unless its writer supplied the sections."""

    style: SummaryStyle
    text: str
    warnings: tuple[Warning, ...] = ()
    given: Mapping[str, Any] | None = None  # the sections, if the text was written from them

    @cached_property
    def sections(self) -> dict[str, Any] | None:
        """The sections as on the wire; None in a style without sections."""
        return self.style.parse(self.text) if self.given is None else dict(self.given)

    @cached_property
    def task(self) -> str:
        """The section on the current task, blank without one (rule P10)."""
        return self.style.task(self)

    @property
    def reply(self) -> str:
        """The reply with which a model would give this summary."""
        body = self.text.removeprefix(f"{self.style.header}\n")
        return f"<summary>\n{body}\n</summary>" if self.style.header else self.text

    def with_text(self, text: str) -> Summary:
        """Return the summary with another text, to be parsed again."""
        return self if text == self.text else Summary(self.style, text, self.warnings)

    def masked(self, redactor: Redactor) -> MaskedSummary:
        """Return the summary, masked."""
        redactor.learn((), [self.text])
        return cast("MaskedSummary", self.with_text(redactor(self.text)))

    def with_records(self, files: Files) -> Summary:
        """Return the summary with the file records at the end, in a style that keeps them (rule T23)."""
        return Summary(self.style, self.style.with_records(self.text, files), self.warnings, self.given)


class MaskedSummary(Summary, frozen=True, dict=True):
    """A masked summary, for type checkers: `Summary.masked` returns a plain one."""


class SummaryStyle(ABC):
    """How summaries of one style are requested, parsed, written, laid out offline and passed on.

    A style is a module with one subclass, and a row in `table.py`; nothing else in the house names a style.
    """

    name: ClassVar[Style]

    # How it is requested.

    transcript: ClassVar[Literal["labels", "numbers", "roles"]] = "labels"
    updates: ClassVar[bool] = False  # a summary at the start of the chat is updated (rule P23)
    most_records: ClassVar[int] = 0  # characters of file records in a request; its summaries end with them (rule T23)

    @abstractmethod
    def prompt(self, task: Task, about: Material) -> Request:
        """Write the request for a summary."""

    def words(self, *parts: str) -> Mapping[str, str]:
        """Return the parts of this style's prompt, and of more files."""
        return wording("shared", "scope", self.name, *parts)

    # How a model's reply is parsed, and sections are written: by the titles of the sections, if the style has any.

    titles: ClassVar[Titles] = Titles(())
    catch_all: ClassVar[str] = ""  # the section for the text of a reply without form
    header: ClassVar[str] = ""  # beginning of its summaries, which as replies have tags around them

    def read(self, reply: str) -> Summary:
        """Write the summary from the sections of a model's reply; raise NoSummary if there are none."""
        text = self.bare(self.titles.without_tags(readable(reply)))
        if not self.titles.keys_in(text):
            raise NoSummary("The reply has none of the headings that were asked for.", "noSections")
        return self.write(self.parse(text) or {})

    def bare(self, text: str) -> str:
        """Strip what is around the sections: a fence."""
        return self.titles.without_fence(text)

    def blank(self) -> dict[str, Any]:
        """Return every section, empty; that on the current task is None."""
        empty = {slot.key: [] if slot.items or slot.members else "" for slot in self.slots}
        return empty | ({TASK: None} if TASK in empty else {})

    def parse(self, text: str) -> dict[str, Any] | None:
        """Parse every section, empty if the summary has nothing for it; None in a style without sections."""
        sections, slots = self.blank(), {slot.key: slot for slot in self.slots}
        for key, _, lines in self.titles.sections(self.bare(line_feeds(text))):
            found = self.read_section(slots[key], lines)
            if isinstance(found, list):
                sections[key] += found
            else:
                sections[key] = "\n\n".join(filter(None, (sections[key], found))) or sections[key]
        return sections

    def read_section(self, slot: Slot, lines: Sequence[Line]) -> str | list[Any]:
        """Read the lines of a section; the `NONE` of a task is a word."""
        return (read_text if slot.key == TASK else read_value)(lines, self.titles.is_structure)

    def write(self, sections: Mapping[str, object]) -> Summary:
        """Write typed sections; raise InvalidParams with the path of each wrong value, NoSummary without any text."""
        blank, checked = self.blank(), checked_sections(sections, {slot.key: slot for slot in self.slots})
        given = blank | {key: value or blank.get(key, value) for key, value in checked.items()}
        if not any(texts_in(given)):
            raise NoSummary("The sections hold nothing.", "emptySummary")
        return Summary(self, self.text_of(given), given=given)

    def text_of(self, sections: Mapping[str, Any]) -> str:
        """Write sections that were checked, each under its title."""
        raise NotImplementedError

    def write_section(self, slot: Slot, value: Any) -> str:
        """Write what goes below a section's heading."""
        return (escaped if slot.key == TASK else write_value)(value, self.titles.is_structure)

    def mend(self, reply: str) -> Summary:
        """Read a reply; one without the style's form gets it, its text in the section that takes any.

        Raise NoSummary if there is too little text to be one.
        """
        try:
            return self.read(reply)
        except NoSummary:
            found = find_blocks(readable(reply))
            text = "\n\n".join(found.bodies or (found.outside,)).strip()
            if len(text) < SHORTEST:
                raise
        sections = self.parse(text) or {}
        if sum(map(len, texts_in(sections))) < len(text) // 2:  # most of it is under no title
            sections = {self.catch_all: text}
        return structs.replace(self.write(sections), warnings=(MENDED,))

    def whole_reply(self, reply: str) -> str | None:
        """Remove the line `</summary>` from the end of a reply; None without it, since the reply is cut off (L10).

        A line `<summary>` at the beginning goes with it: a model that is to close a tag likes to open it. So does a
        fence around all of it. A style whose replies have tags keeps the tag where it closes the summary's own block:
        there it may follow words on its line, and without it the block would count as cut off (rule F7).
        """
        text = line_feeds(reply).rstrip()
        if fenced := _FENCED.match(text):
            text = fenced[2].rstrip()
        end = _END_TAG.search(text)
        if end is None:
            return None
        before = text[: end.start()]
        if self.header and find_blocks(before).cut_off:
            return text
        if before.rpartition("\n")[2].strip():
            return None
        opening = None if self.header else _OPENING_TAG.match(before)
        return before[opening.end() :] if opening else before

    def lacks(self, sections: Mapping[str, Any]) -> str | None:
        """Return what every summary of this style needs and this one lacks, as a sentence."""
        return None

    # How it is passed on.

    task_place: ClassVar[str] = "the section `IMMEDIATE TASK`"
    wrapper: ClassVar[str] = ""  # the tag around its summaries within a chat (rule P26)
    next_step: ClassVar[str] = ""  # the sections that say how to continue (rule C16)

    def opening(self, title: str) -> tuple[str, ...]:
        """Return what stands above a summary that opens a chat (rule C1)."""
        return CONTINUED, OPENING

    @abstractmethod
    def task(self, summary: Summary) -> str:
        """Return the section on the current task; in a style with its own titles a mere mention does not count."""

    def next_step_of(self, summary: Summary, direction: Direction, *, kept: bool) -> str:
        """Name the sections of a summary that say how to continue; `kept` means that messages stay."""
        return self.next_step

    def with_records(self, text: str, files: Files) -> str:
        """Return a summary with its file records at the end, in place of any others (rules T20 and T23)."""
        return text

    def wrapped(self, text: str) -> str:
        """Return a summary as it is within a chat."""
        return f"<{self.wrapper}>\n{strip_summary_wrappers(text)}\n</{self.wrapper}>" if self.wrapper else text

    # How the offline writer lays it out.

    slots: ClassVar[tuple[Slot, ...]]  # in the order of the sections
    most_tokens: ClassVar[int | None] = None  # of an offline summary, whatever the budget
    repeats_requests: ClassVar[bool] = False  # also name the first and the newest request outside their list
    escapes_headings: ClassVar[bool] = True  # titles have number signs, so nothing else may have any
    by_turn: ClassVar[bool] = False  # a hand-over, which has an offline writer of its own
    unheaded: ClassVar[Topic | None] = None  # whose heading is dropped, since the section's title says as much

    def slots_for(self, direction: Direction, task: bool) -> tuple[Slot, ...]:
        """Return the sections of a summary; the one on the current task only on request (rule P10)."""
        wanted = task and direction != "upTo"
        return tuple(slot for slot in self.slots if wanted or "task" not in slot.topics)

    def compose(self, sections: Mapping[str, Any], *, blank_sections: bool) -> Summary:
        """Write the sections that the offline writer filled; `blank_sections` adds the titles of the others."""
        return self.write(sections)

    def least(self, line: str) -> Summary:
        """Write the shortest summary that holds one line."""
        return self.compose({self.slots[0].key: f"- {line}"}, blank_sections=False)


def readable(text: str) -> str:
    """Normalize line ends, drop a byte order mark and what a host put behind a summary of its own.

    Refuse a text without a word (rules G3, F10 and F11).
    """
    text = _HOST_END.sub("", line_feeds(text.removeprefix("\ufeff")))
    if not text.strip():
        raise NoSummary("The reply is blank.", "emptySummary")
    return text


def texts_in(value: Any) -> Iterator[str]:
    """Yield every non-empty text of a section, or of all sections."""
    if isinstance(value, str):
        if value.strip():
            yield value
    elif value is not None:
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from texts_in(item)


def checked_sections(sections: Mapping[str, object], slots: Mapping[str, Slot]) -> dict[str, Any]:
    """Return the given sections in order, trimmed and without empty items; raise with the path of each wrong value.

    That on the current task may be null.
    """
    problems: list[dict[str, str]] = []

    def known(values: Mapping[str, object], path: str, names: Iterable[str]) -> Iterator[tuple[str, object]]:
        for place, (name, value) in enumerate(values.items()):
            if name in names:
                yield name, value
            else:  # identified by position: the name is the caller's own, and may be anything
                message = f"unknown name at place {place}; expected some of {', '.join(names)}"
                problems.append({"path": path, "message": message})

    def checked(value: object, path: str, members: Sequence[str] = ()) -> Any:
        if members and isinstance(value, dict):
            own = {name: checked(one, f"{path}.{name}") for name, one in known(value, path, members)}
            return dict.fromkeys(members, "") | own
        if not members and isinstance(value, str):
            return line_feeds(value).strip(EDGES)
        expected = f"an object of {', '.join(members)}" if members else "text"
        problems.append({"path": path, "message": f"expected {expected}"})
        return ""

    found: dict[str, Any] = {}
    for key, value in known(sections, "$.sections", slots):
        path, slot = f"$.sections.{key}", slots[key]
        if not (slot.items or slot.members):
            found |= {} if value is None and key == TASK else {key: checked(value, path)}
        elif isinstance(value, list):
            items = (checked(item, f"{path}[{at}]", slot.members) for at, item in enumerate(value))
            found[key] = list(filter(None, items))
        else:
            problems.append({"path": path, "message": "expected a list"})
    if problems:
        raise InvalidParams(problems[:MOST_PROBLEMS])
    return {key: found[key] for key in slots if key in found}


# The input of a prompt.


class Task(Struct, frozen=True):
    """Messages, and how they are to be summarized."""

    messages: tuple[MaskedMessage, ...]
    style: Style
    direction: Direction
    focus: MaskedText | Literal[""] = ""  # of this compaction, from the user
    rules: tuple[MaskedText, ...] = ()  # found in the project's instruction files
    immediate_task: bool = False
    length: int = 4000  # tokens of the finished summary
    end_tag: bool = False  # whether the reply has to end with `</summary>`: the editor's models report no stop reason

    @property
    def wants_task(self) -> bool:
        """Whether the summary gets a section on the current task (rule P10)."""
        return self.immediate_task and self.direction != "upTo"

    @property
    def instructions(self) -> str:
        """The user's own instructions under their heading, or nothing (rule P9)."""
        text = line_feeds(self.focus).strip()
        return f"## Custom Instructions\n{text}" if text else ""

    @property
    def project_rules(self) -> str:
        """The instructions in the project's files, quoted so that none of their lines can pass for the prompt's."""
        quoted = [quote(escape_tags(text)) for rule in self.rules if (text := line_feeds(rule).strip())]
        return blocks((wording("shared")["Project instructions"], *quoted)) if quoted else ""

    @property
    def last_line(self) -> str:
        """The request for a last line that proves that nothing was cut off, or nothing (rule L10)."""
        return wording("shared")["End tag"] if self.end_tag else ""

    def introduction(self, words: Mapping[str, str], *, more: bool, earlier: bool) -> Iterator[str]:
        """Yield every style's beginning: the task, the pieces that the chat comes in (T8), and how to read it."""
        yield words["Task"]
        yield words[self.direction]
        if earlier:
            yield words["After earlier pieces"]
        if more:
            yield words["More pieces follow"]
        yield words["Material"]
        yield f"{words['Labels']} {words['Marks']}"

    def conduct(self, words: Mapping[str, str], shares: Mapping[str, int]) -> Iterator[str]:
        """Yield what every style requires beyond its form: length, language, evidence, and whose instructions count.

        The `shares` of the sections are in percent.
        """
        whole = max(LEAST_WORDS, self.length * WORDS_OF_TOKENS // 100)
        sections = ", ".join(f"{title} {whole * share // 1000 * 10:,}" for title, share in shares.items())
        yield words["Length"].format(words=f"{whole // 10 * 10:,}", sections=sections)
        yield from (words[part] for part in ("Language", "Exactness", "Record", "Instructions in the chat"))
        yield self.project_rules

    def closing(self, words: str) -> str:
        """Return the last paragraph of a request."""
        return " ".join(filter(None, (words, self.last_line)))


class Material(Struct, frozen=True):
    """The rendered chat, the summary of what precedes it, and the files of both (rule P25)."""

    chat: str
    earlier: str = ""  # the summary of what precedes, or nothing
    more: bool = False  # whether another request continues the chat
    files: Files = Files((), ())

    @property
    def earlier_frame(self) -> str:
        """The summary in its frame, or nothing."""
        return f"<previous-summary>\n{self.earlier}\n</previous-summary>" if self.earlier else ""

    @property
    def frames(self) -> str:
        """Both frames, the summary's first (rule P24)."""
        return blocks((self.earlier_frame, f"<conversation>\n{self.chat}\n</conversation>"))


class Request(Struct, frozen=True):
    """One user message in two parts, and the style's system text; the first part may be sent again."""

    material: str  # blank in styles that put their instructions first
    text: str
    system: str = ""

    @property
    def message(self) -> str:
        """The whole user message."""
        return blocks((self.material, self.text))

    def masked(self, redactor: Redactor) -> MaskedRequest:
        """Mask again: a transcript puts names in front of values that had none."""
        safe = replace(self, material=redactor(self.material), text=redactor(self.text))
        return cast("MaskedRequest", safe)


class MaskedRequest(Request, frozen=True):
    """A masked request, for type checkers; models accept no other."""


@cache
def wording(*names: str) -> Mapping[str, str]:
    """Read the parts of prompts by their level-one headings; text before the first heading is not sent.

    A part in a later file replaces the part of the same name in an earlier one.
    """
    texts = ((_TEXTS / f"{name}.md").read_text(encoding="utf-8") for name in names)
    parts = (part.partition("\n") for text in texts for part in text.split("\n\n# ")[1:])
    return MappingProxyType({title: body.strip() for title, _, body in parts})


def blocks(parts: Iterable[str]) -> str:
    """Join the non-empty parts with blank lines (rule P1)."""
    return "\n\n".join(filter(None, parts))


def example(text: str, last_section: str) -> str:
    """Append a section to an example, if given (rule P10)."""
    return text.replace("\n</example>", f"\n\n{last_section}\n</example>") if last_section else text
