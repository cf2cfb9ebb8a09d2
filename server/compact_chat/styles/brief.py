"""The brief style: free text under a few headings, without sections of its own (rule P32)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compact_chat.errors import InvalidParams
from compact_chat.styles.detailed import last_task
from compact_chat.styles.markdown import find_blocks
from compact_chat.styles.style import (
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
