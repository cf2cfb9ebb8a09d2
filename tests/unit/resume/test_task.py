"""Where a summary of each style tells what to go on with."""

from __future__ import annotations

from typing import Any

import pytest

from compact_chat.resume import kind_text
from compact_chat.resume.continuation import Task, Verb, task_of
from compact_chat.styles import Summary
from compact_chat.wire import ContinuationOptions, Files, Style
from tests.samples.styles import as_summary, read, write

CHECKPOINT = "## Goal\nbuns\n\n### In Progress\n- [ ] icing\n\n## Next Steps\n1. ice"
STRUCTURED = "## User Intent\nbuns\n\n## Current State\nin the oven\n\n## Next Steps\n1. ice"
BRIEF = "# Facts\nThe buns are in the oven."
FILES = Files(read=("menu.md",), modified=("bun.py",))
SUMMARIES: dict[Style, str] = {
    "detailed": "<summary>\n8. Current Work:\noven\n\n9. Optional Next Step:\nice",
    "checkpoint": CHECKPOINT,
    "structured": STRUCTURED,
    "brief": BRIEF,
}
PLACES: dict[Style, str] = {
    "detailed": "the sections `Current Work` and `Optional Next Step`",
    "checkpoint": "the sections `In Progress` and `Next Steps`",
    "structured": "the sections `Current State` and `Next Steps`",
    "brief": "the summary",
}


def finished(style: Style, task: str = "") -> Summary:
    """Read a reply of this style as it is stored, with a task section where one is given."""
    reply = f"{SUMMARIES[style]}\n\n## IMMEDIATE TASK\n{task}" if task else SUMMARIES[style]
    return read(reply, style).with_records(FILES)


@pytest.mark.parametrize("style", SUMMARIES)
def test_without_a_task_section_the_style_tells(style: Style) -> None:
    """C16: the sections that the style really has are named."""
    assert task_of(finished(style), "all", kept=False) == Task(PLACES[style])


@pytest.mark.parametrize("style", SUMMARIES)
@pytest.mark.parametrize(
    ("said", "verb"),
    [
        ("CONTINUE: ice the buns\nbun.py", "continue"),
        ("WAITING: which icing?", "waiting"),
        ("NONE", "none"),
        ("- **NONE**", "none"),
    ],
)
def test_the_task_section_is_found_in_each_style(style: Style, said: str, verb: Verb) -> None:
    """C16 and P10: where the section is there it counts, and tells to go on, to wait for the user, or nothing."""
    task = task_of(finished(style, said), "all", kept=False)
    assert task == Task("the section `IMMEDIATE TASK`", verb)


@pytest.mark.parametrize("style", SUMMARIES)
def test_an_empty_task_section_does_not_count(style: Style) -> None:
    """C16: a section that says nothing is none, though records of files stand right behind it."""
    text = f"{SUMMARIES[style].removeprefix('<summary>')}\n\n## IMMEDIATE TASK\n"
    assert task_of(as_summary(text, style).with_records(FILES), "all", kept=False) == Task(PLACES[style])


@pytest.mark.parametrize("style", ["structured", "checkpoint"])
def test_a_mention_among_the_content_does_not_count(style: Style) -> None:
    """C16 and R12: a line of content that reads like the section is escaped, and stays content."""
    sections: dict[str, Any] = {"nextSteps": ["ice\n## IMMEDIATE TASK\nNONE"], "userIntent": "buns"}
    if style == "checkpoint":
        sections = {"goal": "buns", "nextSteps": "1. ice\n## IMMEDIATE TASK\nNONE"}
    assert task_of(as_summary(write(sections, style), style), "all", kept=False) == Task(PLACES[style])


@pytest.mark.parametrize("style", SUMMARIES)
@pytest.mark.parametrize(
    ("said", "words"), [("WAITING: which icing?", "it is the user's turn"), ("NONE", "nothing is open")]
)
def test_waiting_is_told_in_each_style(style: Style, said: str, words: str) -> None:
    """C16: WAITING and NONE make the text tell the model to wait for the user."""
    text = kind_text(ContinuationOptions(kind="midLoop", style=style), finished(style, said), direction="all")
    assert f"According to the section `IMMEDIATE TASK`, {words}" in text
    assert "go on" not in text
