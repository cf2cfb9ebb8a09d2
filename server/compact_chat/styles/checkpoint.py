"""The checkpoint style: headings from which another model continues, and file records (rules P20 to P26)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compact_chat.errors import NoSummary
from compact_chat.facts import record_blocks, without_records
from compact_chat.styles.detailed import last_task
from compact_chat.styles.markdown import Titles
from compact_chat.styles.style import (
    TASK,
    Material,
    Request,
    Slot,
    Summary,
    SummaryStyle,
    Task,
    blocks,
    example,
    readable,
    texts_in,
)
from compact_chat.text import line_feeds, strip_summary_wrappers
from compact_chat.wire import Files

_SHARES = {  # percent of the words
    "Goal": 15,
    "Constraints & Preferences": 15,
    "Progress": 25,
    "Key Decisions": 15,
    "Next Steps": 10,
    "Critical Context": 20,
}
_HOLDER = "## Progress"  # text directly below it goes to `In Progress`
_HEADINGS = (
    ("## Goal", "goal"),
    ("## Constraints & Preferences", "constraints"),
    (_HOLDER, "inProgress"),
    ("### Done", "done"),
    ("### In Progress", "inProgress"),
    ("### Blocked", "blocked"),
    ("## Key Decisions", "decisions"),
    ("## Next Steps", "nextSteps"),
    ("## Critical Context", "context"),
    ("## IMMEDIATE TASK", TASK),
)
_TITLES = Titles((heading.strip("# "), key) for heading, key in _HEADINGS)
_NEEDED = {"goal": "## Goal", "nextSteps": "## Next Steps"}


class Checkpoint(SummaryStyle):
    """Headings from goal to critical context; a summary at the start of the chat is updated."""

    name = "checkpoint"
    titles = _TITLES
    catch_all = "context"
    next_step = "the sections `In Progress` and `Next Steps`"
    updates = True
    most_records = 8000  # longer ones would fill the reply
    wrapper = "context-summary"
    unheaded = "rules"
    slots = (
        Slot("goal", ("intent", "quotes"), "intent"),
        Slot("constraints", ("rules",), "intent"),
        Slot("done", ("modified", "fixedErrors"), "outcomes", bullet="- [x] "),  # records are for files only read (T23)
        Slot("inProgress", ("todos", "state"), "state"),
        Slot("blocked", ("openErrors",), "errors"),
        Slot("decisions", ("decisions",), "terms"),
        Slot("nextSteps", ("next",), "todos", bullet="1. "),
        Slot(
            "context",
            ("terms", "commands", "results", "lookups", "reported", "context", "oldFiles", "oldErrors", "oldTodos"),
            "context",
        ),
        Slot(TASK, ("task",)),
    )

    def prompt(self, task: Task, about: Material) -> Request:
        """Write the frames, the prompt, the focus and the file records (rules P21, P22 and P24)."""
        words = self.words(f"checkpoint-{'update' if about.earlier else 'create'}")
        focus, records = line_feeds(task.focus).strip(), record_blocks(about.files)
        text = blocks(
            (
                *task.introduction(words, more=about.more, earlier=False),
                words["What to do"],
                example(words["Form"], words["Immediate task section"] if task.wants_task else ""),
                words["Closing"],
                *task.conduct(words, _SHARES),
                task.last_line,
                f"Additional focus: {focus}" if focus else "",
                # Lists too long for a reply are only added to it afterwards (rule T20).
                *((words["Records"], records) if 0 < len(records) <= self.most_records else ()),
            )
        )
        return Request(about.frames, text, words["System"])

    def read(self, reply: str) -> Summary:
        """Return the reply as it is if it has the required headings, without records by a model (rules P26 and T23)."""
        text = self.bare(_TITLES.without_tags(readable(reply)))
        found = _TITLES.keys_in(text)
        if missing := [heading for key, heading in _NEEDED.items() if key not in found]:
            raise NoSummary(f"The reply is no checkpoint: it lacks {' and '.join(missing)}.")
        if not any(texts_in(self.parse(text))):
            raise NoSummary("The sections of the checkpoint hold nothing.", "emptySummary")
        return Summary(self, text)

    def bare(self, text: str) -> str:
        """Strip a fence or wrapper around a checkpoint, and records."""
        return without_records(strip_summary_wrappers(super().bare(text)))

    def text_of(self, sections: Mapping[str, Any]) -> str:
        """Write the sections under all headings."""
        slots = {slot.key: slot for slot in self.slots}
        texts = {key: text and self.write_section(slots[key], text) for key, text in sections.items()}
        return "\n\n".join(
            heading if heading == _HOLDER else f"{heading}\n{texts[key] or '(none)'}"
            for heading, key in _HEADINGS
            if texts[key] or key != TASK
        )

    def task(self, summary: Summary) -> str:
        """Return the section on the current task, or one under a heading that is not a checkpoint's."""
        own: str | None = (summary.sections or {})[TASK]
        return own or last_task(without_records(summary.text))

    def with_records(self, text: str, files: Files) -> str:
        """Put the file records at the end, in place of any others."""
        return blocks((without_records(text), record_blocks(files)))

    def least(self, line: str) -> Summary:
        """Write a goal, and an empty next step."""
        given = self.blank() | {"goal": f"- {line}"}
        return Summary(self, f"## Goal\n- {line}\n\n## Next Steps\n(none)", given=given)
