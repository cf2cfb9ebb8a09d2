"""Which lines are headings."""

from __future__ import annotations

import pytest

from compact_chat.plan import Direction
from compact_chat.styles.detailed import TITLES, key_of
from tests.samples.prompts import asked
from tests.samples.styles import parse


@pytest.mark.parametrize(
    "line",
    [
        "8. Current Work:",
        "8) Current Work",
        "Current Work",
        "  ## 8. Current Work",
        "###### CURRENT   work ##",
        "**Current Work**",
        "**8. Current Work:**",
        "8. **Current Work**:",
        "**8.** _Current Work_ :",
        "__Current Work:__",
        "### *Current Work*:",
    ],
)
def test_title_is_known_in_any_dress(line: str) -> None:
    """R3: number signs, a number, bold or italic marks, a colon, case and blanks do not matter."""
    assert parse(line) == {"currentWork": ""}


@pytest.mark.parametrize(
    ("line", "rest"),
    [
        ("8. Current Work: the oven", "the oven"),
        ("**Current Work:** the *oven*", "the *oven*"),
        ("**Current Work**: **the oven**", "**the oven**"),
        ("**Current Work: the oven**", "the oven"),
        ("Current Work: **the oven**", "**the oven**"),
        ("Current Work: 12:30", "12:30"),
        ("Current Work*** : x", "x"),
    ],
)
def test_text_behind_the_colon_belongs_to_the_section(line: str, rest: str) -> None:
    """R3: what stands behind the colon is the section's, without the end of a bold mark around the title."""
    assert parse(line) == {"currentWork": rest}


@pytest.mark.parametrize(
    "line",
    [
        "",
        "Current Working",
        "My Current Work",
        "- Current Work",
        "* Current Work",
        "Current Work is done",
        "Current\u2028",
        "\\Current Work",
        "> Current Work",
    ],
)
def test_other_lines_are_no_headings(line: str) -> None:
    """R3 and R4: a line that holds more than the title, or a list item, is content."""
    assert parse(line) == {}


def test_ampersand_is_and() -> None:
    """R3: `&` equals `and`."""
    assert parse("3. Files & Code Sections") == {"filesAndCodeSections": ""}
    assert parse("Errors&Fixes:") == {"errorsAndFixes": ""}


def test_keys_are_titles_in_camel_case() -> None:
    """P6: each title has a key of its own, as the contract names it."""
    assert [key_of(title) for title in TITLES] == [
        "primaryRequestAndIntent",
        "keyTechnicalConcepts",
        "filesAndCodeSections",
        "errorsAndFixes",
        "problemSolving",
        "allUserMessages",
        "pendingTasks",
        "currentWork",
        "optionalNextStep",
        "contextForContinuingWork",
        "immediateTask",
    ]


@pytest.mark.parametrize(("direction", "last"), [("all", TITLES[8]), ("from", TITLES[8]), ("upTo", TITLES[9])])
def test_titles_are_those_that_the_prompt_asks_for(direction: Direction, last: str) -> None:
    """P6 and P7: the prompt shows each title as a heading that is read back."""
    prompt = asked("detailed", direction=direction).text

    assert parse(prompt).keys() == {key_of(title) for title in (*TITLES[:8], last)}
