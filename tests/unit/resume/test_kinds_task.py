"""How the kind text finds what to go on with."""

from __future__ import annotations

import pytest

from compact_chat.errors import InvalidParams
from compact_chat.plan import Direction
from compact_chat.resume import kind_text
from compact_chat.resume.continuation import Task, task_of
from compact_chat.wire import ContinuationOptions
from tests.samples.styles import as_summary

OPTIONAL = "Summary:\n8. Current Work:\noven\n\n9. Optional Next Step:\nice"
CONTEXT = "Summary:\n8. Current Work:\noven\n\n9. Context for Continuing Work:\nice"


@pytest.mark.parametrize(
    ("style", "place"),
    [
        ("checkpoint", "the sections `In Progress` and `Next Steps`"),
        ("structured", "the sections `Current State` and `Next Steps`"),
        ("brief", "the summary"),
    ],
)
def test_style_tells_the_sections(style: str, place: str) -> None:
    """C16: without a task section the text names those that the style has."""
    text = kind_text(ContinuationOptions(kind="regular", style=style), as_summary("## Goal\nbuns", style))

    assert f"Take up the task in {place} and go on exactly where it stopped." in text


@pytest.mark.parametrize(
    ("summary", "direction", "kept", "place"),
    [
        ("buns", "all", False, "the sections `Current Work` and `Optional Next Step`"),
        ("buns", "from", True, "the sections `Current Work` and `Optional Next Step`"),
        ("buns", "upTo", True, "the kept messages and the section `Context for Continuing Work`"),
        ("buns", "upTo", False, "the sections `Current Work` and `Context for Continuing Work`"),
        (OPTIONAL, "upTo", True, "the sections `Current Work` and `Optional Next Step`"),
        (CONTEXT, "all", True, "the kept messages and the section `Context for Continuing Work`"),
        (f"{CONTEXT}\n{OPTIONAL}", "all", True, "the sections `Current Work` and `Optional Next Step`"),
        (f"{CONTEXT}\n{OPTIONAL}", "upTo", True, "the kept messages and the section `Context for Continuing Work`"),
    ],
)
def test_detailed_sections_are_those_of_the_summary(summary: str, direction: Direction, kept: bool, place: str) -> None:
    """C16: the summary's own title of section 9 decides, and else the direction."""
    assert task_of(as_summary(summary), direction, kept) == Task(place)


@pytest.mark.parametrize("style", ["detailed", "checkpoint", "structured", "brief", " ", None])
@pytest.mark.parametrize("heading", ["IMMEDIATE TASK:", "## IMMEDIATE TASK", "**IMMEDIATE TASK**"])
def test_task_section_is_named_in_every_style(style: str | None, heading: str) -> None:
    """C16: where the summary has the section, it is what counts."""
    assert task_of(as_summary(f"{OPTIONAL}\n\n{heading}\nCONTINUE: ice", style), "all", kept=False) == Task(
        "the section `IMMEDIATE TASK`"
    )


@pytest.mark.parametrize(
    ("said", "verb"),
    [
        ("CONTINUE: ice the buns, waiting: no", "continue"),
        ("ice the buns", "continue"),
        ("None of the tests ran yet", "continue"),
        ("Waiting for the oven", "continue"),
        ("WAITING: which icing?", "waiting"),
        ("- **WAITING**: which icing?", "waiting"),
        ("**Waiting:** which icing?", "waiting"),
        ("`WAITING` for the user", "waiting"),
        ("waiting", "waiting"),
        ("NONE", "none"),
        ("NONE: all is baked", "none"),
        ("- None.", "none"),
        ("(none)\nbun.py", "none"),
        ("N/A", "none"),
    ],
)
def test_verb_is_read(said: str, verb: str) -> None:
    """C16 and P10: the section says to continue, to wait for the user, or that nothing is open."""
    assert task_of(as_summary(f"{OPTIONAL}\n\nIMMEDIATE TASK:\n{said}"), "all", kept=False).verb == verb


@pytest.mark.parametrize(
    "section", ["IMMEDIATE TASK:", "the IMMEDIATE TASK is icing", "```\nIMMEDIATE TASK: NONE\n```"]
)
def test_empty_or_quoted_task_section_does_not_count(section: str) -> None:
    """C16: a section that says nothing, a mention and a quotation are no task section."""
    assert task_of(as_summary(f"{OPTIONAL}\n\n{section}"), "all", kept=False) == Task(
        "the sections `Current Work` and `Optional Next Step`"
    )


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("WAITING: which icing?", "it is the user's turn: wait for the user, and start no work before the answer."),
        ("NONE", "nothing is open: wait for the user, and start no work before the next message."),
    ],
)
def test_waiting_is_told(said: str, words: str) -> None:
    """C16: WAITING and NONE tell the model to wait for the user instead of going on."""
    text = kind_text(ContinuationOptions(kind="midLoop"), as_summary(f"{OPTIONAL}\n\nIMMEDIATE TASK:\n{said}"))

    assert f"According to the section `IMMEDIATE TASK`, {words}" in text
    assert "go on" not in text


def test_wrong_style_is_refused() -> None:
    """G4: an unknown style is an error at its path."""
    with pytest.raises(InvalidParams) as refusal:
        kind_text(ContinuationOptions(kind="manual", style="haiku"), as_summary(OPTIONAL))

    assert refusal.value.data["problems"][0]["path"] == "$.style"
