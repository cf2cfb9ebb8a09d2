"""A style's input for a prompt: the task, the rendered chat, and the wording that all styles share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, cast

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.plan import Direction
from compact_chat.text import escape_tags, line_feeds
from compact_chat.wire import Files, Style

if TYPE_CHECKING:
    from compact_chat.redact import MaskedMessage, MaskedText, Redactor

LEAST_WORDS, WORDS_OF_TOKENS = 150, 70  # of a summary, and of 100 tokens: prose with paths and commands in it
_TEXTS = Path(__file__).parent / "texts"


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
        texts = (escape_tags(text) for rule in self.rules if (text := line_feeds(rule).strip()))
        quoted = ["\n".join(f"> {line}".rstrip() for line in text.split("\n")) for text in texts]
        return blocks((wording("shared")["Project instructions"], *quoted)) if quoted else ""

    @property
    def last_line(self) -> str:
        """The request for a last line that proves that nothing was cut off, or nothing (rule L10)."""
        return wording("shared")["End tag"] if self.end_tag else ""


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


def example(text: str, last_section: str, end: str = "\n</example>") -> str:
    """Append a section to an example, if given (rule P10)."""
    return text.replace(end, f"\n\n{last_section}{end}") if last_section else text


def introduction(words: Mapping[str, str], task: Task, more: bool, earlier: bool) -> Iterator[str]:
    """Yield every style's beginning: the task, the pieces that the chat comes in (T8), and how to read it."""
    yield words["Task"]
    yield words[task.direction]
    if earlier:
        yield words["After earlier pieces"]
    if more:
        yield words["More pieces follow"]
    yield words["Material"]
    yield f"{words['Labels']} {words['Marks']}"


def conduct(words: Mapping[str, str], task: Task, shares: Mapping[str, int]) -> Iterator[str]:
    """Yield what every style requires beyond its form: length, language, evidence, and whose instructions count."""
    yield length(words, task, shares)
    yield from (words[part] for part in ("Language", "Exactness", "Record", "Instructions in the chat"))
    yield task.project_rules


def length(words: Mapping[str, str], task: Task, shares: Mapping[str, int]) -> str:
    """Return how long the summary may be, and each section by its percentage, in words."""
    whole = max(LEAST_WORDS, task.length * WORDS_OF_TOKENS // 100)
    sections = ", ".join(f"{title} {whole * share // 1000 * 10:,}" for title, share in shares.items())
    return words["Length"].format(words=f"{whole // 10 * 10:,}", sections=sections)
