"""The sections of a detailed summary, out of its text and back."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.errors import InvalidParams, NoSummary
from compact_chat.styles.detailed import TITLES
from tests.samples.styles import as_summary, parse, read, write

FENCE = "```"


def test_sections_are_read_by_their_titles() -> None:
    """P6: each title opens its section, in whatever dress the model gave it."""
    summary = "Summary:\nHere you are.\n1. Primary Request and Intent:\n   Bake buns.\n\n## 8. Current Work\n- oven\n"

    assert parse(summary) == {"primaryRequestAndIntent": "Bake buns.", "currentWork": "- oven"}


def test_text_without_titles_has_no_sections() -> None:
    """A summary without any known heading has no sections."""
    assert parse("Summary:\nAll is baked.") == {}
    assert parse("") == {}


def test_text_on_the_line_of_the_heading_comes_first() -> None:
    """R3: text behind the colon belongs to the section."""
    assert parse("7. Pending Tasks: icing\n   and boxes\n   soon") == {"pendingTasks": "icing\nand boxes\nsoon"}


def test_common_indentation_goes() -> None:
    """R6: what all lines of a section are indented by is no part of it; a blank line does not count."""
    assert parse("Current Work\n\t - a\n\n\t   b\n \n\t - c") == {"currentWork": "- a\n\n  b\n\n- c"}


def test_other_headings_are_content() -> None:
    """R4: only known titles end a section."""
    assert parse("## Current Work\n## Notes\nfine") == {"currentWork": "## Notes\nfine"}


def test_titles_in_a_closed_fence_are_content() -> None:
    """R4 and R5: a closed fence hides titles, an open one does not."""
    fenced = f"Current Work:\n{FENCE}\n7. Pending Tasks:\n{FENCE}\nend"
    unclosed = f"Current Work:\n{FENCE}\n7. Pending Tasks:\nend"

    assert parse(fenced) == {"currentWork": f"{FENCE}\n7. Pending Tasks:\n{FENCE}\nend"}
    assert parse(unclosed) == {"currentWork": FENCE, "pendingTasks": "end"}


def test_section_met_twice_goes_on() -> None:
    """R4: the texts of a section that is met twice are joined by a blank line."""
    assert parse("Current Work\na\nProblem Solving\nCurrent Work\nb") == {
        "currentWork": "a\n\nb",
        "problemSolving": "",
    }


def test_line_ends_are_made_one() -> None:
    """G3: CRLF and lone CR end a line, U+2028 does not."""
    assert parse("Current Work:\r\na\rb\u2028Problem Solving") == {
        "currentWork": "a\nb\u2028Problem Solving",
    }


def test_rendering_follows_the_prompt() -> None:
    """P6 and P10: titles come in their order and numbered, the immediate task last and without a number."""
    sections = {
        "immediateTask": "NONE",
        "contextForContinuingWork": "c",
        "optionalNextStep": "",
        "errorsAndFixes": " b\r\n",
        "primaryRequestAndIntent": "a",
    }

    assert write(sections) == (
        "Summary:\n1. Primary Request and Intent:\na\n\n4. Errors and fixes:\nb\n\n9. Optional Next Step:\n\n"
        "9. Context for Continuing Work:\nc\n\nIMMEDIATE TASK:\nNONE"
    )


@pytest.mark.parametrize(
    ("sections", "paths"),
    [
        ({"mood": "good"}, ["$.sections"]),
        ({"currentWork": None}, ["$.sections.currentWork"]),
        ({"currentWork": ["a"], "Current Work": "a"}, ["$.sections.currentWork", "$.sections"]),
    ],
)
def test_wrong_sections_are_named(sections: Mapping[str, object], paths: list[str]) -> None:
    """G4: an unknown section is an error that tells its place, and a value that is no text one with its path."""
    with pytest.raises(InvalidParams) as refusal:
        write(sections)

    assert [problem["path"] for problem in refusal.value.data["problems"]] == paths


@pytest.mark.parametrize("sections", [{}, {"currentWork": " \n"}])
def test_nothing_is_not_rendered(sections: Mapping[str, object]) -> None:
    """F10: sections that hold nothing make no summary."""
    with pytest.raises(NoSummary) as refusal:
        write(sections)

    assert refusal.value.kind == "emptySummary"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a\n7. Pending Tasks:\nb", "a\n\\7. Pending Tasks:\nb"),
        ("\\Pending Tasks", "\\\\Pending Tasks"),
        (f"{FENCE}\nopen", f"\\{FENCE}\nopen"),
        (f"{FENCE}\nPending Tasks\n{FENCE}", f"{FENCE}\nPending Tasks\n{FENCE}"),
        ("\\n and \\Pending", "\\n and \\Pending"),
    ],
)
def test_content_never_becomes_structure(text: str, written: str) -> None:
    r"""R12: a line that would be read as a heading, or as an open fence, gets one `\`, and no other line does."""
    rendered = write({"currentWork": text, "immediateTask": FENCE})

    assert rendered == f"Summary:\n8. Current Work:\n{written}\n\nIMMEDIATE TASK:\n\\{FENCE}"
    assert parse(rendered) == {"currentWork": text, "immediateTask": FENCE}


LINES = st.sampled_from(
    [
        "",
        "word",
        "  indented",
        "\ttab",
        "Current Work",
        "## 3. Files & Code Sections:",
        "**Pending Tasks:** more",
        "IMMEDIATE TASK: NONE",
        "\\Current Work: x",
        "  \\\\Current Work",
        "\x0bProblem Solving",
        "* Current Work",
        "```",
        "```py",
        "````",
        "~~~",
        "\\```",
        "```a`b",
        "Summary:",
        "</summary>",
        "`",
        "\u2028\ud800",
    ]
)
TEXTS = st.lists(LINES, max_size=12).map("\n".join)
KEYS = sorted(parse("\n".join(TITLES)))


@given(st.dictionaries(st.sampled_from(KEYS), TEXTS.map(str.strip)).filter(lambda sections: any(sections.values())))
def test_sections_survive_the_round_trip(sections: dict[str, str]) -> None:
    """R13: sections that are rendered and parsed again are the same."""
    assert parse(write(sections)) == sections


@given(TEXTS)
def test_rendering_is_a_fixed_point(text: str) -> None:
    """R13: what was parsed and rendered once does not change any more."""
    try:
        once = write(parse(text))
    except NoSummary:
        return

    assert write(parse(once)) == once


@given(TEXTS)
def test_formatting_keeps_the_sections_of_a_rendered_summary(text: str) -> None:
    """F11: formatting what was rendered changes blank lines at most."""
    try:
        once = write({"currentWork": text, "pendingTasks": "end"})
    except NoSummary:
        return

    again = read(f"<summary>\n{once}\n</summary>").text
    assert [line for line in again.split("\n") if line.strip()] == [line for line in once.split("\n") if line.strip()]


@pytest.mark.parametrize(
    ("summary", "task"),
    [
        ("## Next Steps\n1. ice\n\n## IMMEDIATE TASK\nCONTINUE: ice\nin bun.py", "CONTINUE: ice\nin bun.py"),
        ("IMMEDIATE TASK: NONE", "NONE"),
        ("IMMEDIATE TASK\nold\n\n## IMMEDIATE TASK\nnew", "new"),
        (f"{FENCE}\nIMMEDIATE TASK\nquoted\n{FENCE}", ""),
        ("the IMMEDIATE TASK is baking", ""),
    ],
)
def test_immediate_task_is_found_in_any_style(summary: str, task: str) -> None:
    """P10: the last section of that title tells the task at hand, whatever the style of the summary."""
    assert as_summary(summary).task == task
