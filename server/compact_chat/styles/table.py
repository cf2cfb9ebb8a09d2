"""The table of styles: a new one is a module with one class, and a row here. Brief has no sections, and is here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compact_chat.errors import InvalidParams, NoSummary
from compact_chat.styles.checkpoint import Checkpoint
from compact_chat.styles.detailed import Detailed, last_task
from compact_chat.styles.handoff import Handoff
from compact_chat.styles.markdown import find_blocks
from compact_chat.styles.structured import Structured
from compact_chat.styles.style import (
    HEADER,
    Material,
    Request,
    Slot,
    Summary,
    SummaryStyle,
    Task,
    blocks,
    readable,
)
from compact_chat.text import line_feeds
from compact_chat.wire import Style


class Brief(SummaryStyle):
    """Free text: the reply itself."""

    name = "brief"
    next_step = "the summary"
    transcript = "roles"
    most_tokens = 2000
    unheaded = "rules"
    slots = (
        Slot("Request", ("intent", "quotes")),
        Slot("Rules", ("rules",)),
        Slot("Files", ("modified", "read", "oldFiles")),
        Slot("Errors", ("openErrors", "fixedErrors", "oldErrors")),
        Slot("Outcomes", ("decisions", "terms", "commands", "results", "lookups", "reported")),
        Slot("State", ("todos", "state", "context", "oldTodos")),
        Slot("Next", ("next",)),
        Slot("IMMEDIATE TASK", ("task",)),
    )

    def prompt(self, task: Task, about: Material) -> Request:
        """Write the instructions, then the frames, then the closing reminders (rule P32)."""
        words = self.words()
        text = blocks(
            (
                *task.introduction(words, more=about.more, earlier=bool(about.earlier)),
                words["What to keep"],
                *task.conduct(words, {"each section": 30}),
                about.frames,
                task.instructions,
                words["Immediate task"] if task.wants_task else "",
                task.closing(words["Closing"]),
            )
        )
        return Request("", text)

    def read(self, reply: str) -> Summary:
        """Return the reply, trimmed, without a scratchpad and the tags of another style (rule F10)."""
        text = readable(reply).strip()
        if not text.startswith(("<analysis", "<summary")):
            return Summary(self, text)
        body = "\n\n".join(filter(None, map(str.strip, find_blocks(text).bodies)))
        return Summary(self, readable(body) if body else text)

    def parse(self, text: str) -> None:
        """Return nothing: the text has no sections."""

    def write(self, sections: Mapping[str, object]) -> Summary:
        """Refuse sections, and name the styles that have some."""
        others = sorted(style.name for style in SummaryStyle.__subclasses__() if style is not Brief)
        raise InvalidParams.at("$.style", f"expected a style that has sections: {', '.join(others)}")

    def task(self, summary: Summary) -> str:
        """Return the last section on the current task."""
        return last_task(summary.text)

    def compose(self, sections: Mapping[str, Any], *, blank_sections: bool) -> Summary:
        """Write each non-empty section under its title."""
        written = blocks(f"## {title}\n{text}" for title, text in sections.items() if text)
        return Summary(self, line_feeds(written).strip())


_DEFAULT, _FREE_TEXT = Detailed(), Brief()
_ALL: tuple[SummaryStyle, ...] = (_DEFAULT, Checkpoint(), Structured(), _FREE_TEXT, Handoff())
STYLES: Mapping[Style, SummaryStyle] = {style.name: style for style in _ALL}


def style_named(name: str | None) -> SummaryStyle:
    """Return the style by the name that a host gives; the default one without a name."""
    wanted = (name or "").strip()
    found = next((style for style in _ALL if style.name == wanted), None) if wanted else _DEFAULT
    if found is None:
        raise InvalidParams.at("$.style", f"expected one of {', '.join(STYLES)}")
    return found


def handed_in(text: str, style: str | None) -> Summary:
    """Return a host's summary, of the style that it names; raise NoSummary if blank."""
    if not text.strip().removeprefix(HEADER).strip():
        raise NoSummary("The summary is blank.", "emptySummary")
    return Summary(style_named(style), text)


def summary_of_unknown_style(text: str) -> Summary:
    """Return a summary from elsewhere: one with our header is parsed by its sections, others are free text."""
    return Summary(_DEFAULT if text.startswith(HEADER) else _FREE_TEXT, text)
