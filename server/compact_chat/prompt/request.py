"""Parts of prompts that every style may have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from msgspec import Struct

from compact_chat.chat import Message
from compact_chat.plan import Direction
from compact_chat.text import escape_tags, line_feeds
from compact_chat.wire import Style

# The wording of the prompts, which stands in Markdown files.


_TEXTS = files("compact_chat.prompt") / "texts"


@cache
def wording(name: str) -> Mapping[str, str]:
    """The parts of a file by their headings of level one; what stands before the first is for its readers."""
    text = (_TEXTS / f"{name}.md").read_text(encoding="utf-8")
    _, *parts = text.split("\n\n# ")
    return MappingProxyType({title: body.strip() for title, _, body in (part.partition("\n") for part in parts)})


# What a summary is asked for with: the task, and the request that a model gets.


class Task(Struct, frozen=True):
    """Messages without secrets, and how they are to be summarised."""

    messages: tuple[Message, ...]
    style: Style
    direction: Direction
    focus: str = ""  # of this compaction, by the user
    rules: tuple[str, ...] = ()  # found in the project's instruction files
    immediate_task: bool = False
    end_tag: bool = False  # whether the reply has to end with `</summary>`: the editor's models tell no stop reason


class Request(Struct, frozen=True):
    """One user message in two parts, and the style's system text; what may be sent again stands in the first part."""

    material: str  # blank in styles that put their instructions first
    text: str
    system: str = ""

    @property
    def message(self) -> str:
        """The whole user message."""
        return "\n\n".join(filter(None, (self.material, self.text)))


# Parts of prompts that every style may have.


def blocks(parts: Iterable[str]) -> str:
    """The parts that say something, parted by one blank line (rule P1)."""
    return "\n\n".join(filter(None, parts))


def scope(task: Task) -> str:
    """Which part of the chat is shown, and what becomes of the rest."""
    return wording("scope")[task.direction]


def reading(guide: str) -> str:
    """How the rendered chat is to be read: its labels, and what holds for all of them."""
    return f"{guide} {wording('shared')['Marks']}"


def form(example: str, last_section: str, end: str = "\n</example>") -> str:
    """The example, with one more section at its end if there is one (rule P10)."""
    return example.replace(end, f"\n\n{last_section}{end}") if last_section else example


def pieces(earlier: bool, more: bool) -> Iterator[str]:
    """How to deal with a chat that comes in pieces (rule T8)."""
    shared = wording("shared")
    if earlier:
        yield shared["After earlier pieces"]
    if more:
        yield shared["More pieces follow"]


def project_rules(rules: Iterable[str]) -> str:
    """The instructions in the project's files, quoted so that no line of theirs can pass for one of ours."""
    quoted = [_quoted(text) for rule in rules if (text := line_feeds(rule).strip())]
    return blocks((wording("shared")["Project instructions"], *quoted)) if quoted else ""


def custom(instructions: str) -> str:
    """The user's own instructions under their heading, or nothing (rule P9)."""
    text = line_feeds(instructions).strip()
    return f"## Custom Instructions\n{text}" if text else ""


def wants_task(task: Task) -> bool:
    """Whether a section on the task at hand is asked for (rule P10)."""
    return task.immediate_task and task.direction != "upTo"


def end_tag(task: Task) -> str:
    """The wish for a last line that shows that nothing was cut off, or nothing (rule L10)."""
    return wording("shared")["End tag"] if task.end_tag else ""


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in escape_tags(text).split("\n"))
