"""The detailed style: a reply becomes a summary, a summary its sections, and sections a text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.errors import NoSummary
from compact_chat.plan import Direction
from tests.samples.prompts import asked
from tests.samples.styles import as_summary, parse, read, write

FENCE = "```"
KEYS = (
    *("primaryRequestAndIntent", "keyTechnicalConcepts", "filesAndCodeSections", "errorsAndFixes", "problemSolving"),
    *("allUserMessages", "pendingTasks", "currentWork", "optionalNextStep", "contextForContinuingWork"),
    "immediateTask",
)

PIECES = (
    *("<analysis>", "</analysis>", "<summary>", "</summary>", "<Summary a='b'>", "</ANALYSIS >", "<sum", "mary>"),
    *("Summary:", "\n", "\n\n\n", " \t", "`", "``", "\n```\n", "\n```py\n", "\n~~~\n", "\ufeff", "\r\n", "\u2028"),
    *("\ud800", "word", "\n1. Current Work:\n", "\n## Pending Tasks\n", "\nProblem Solving: x\n"),
)


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_a_summary_is_never_blank_and_stays_what_it_is(text: str) -> None:
    """F1 to F11: a summary has a body, and wrapped again comes out as it was, unless it reads like two blocks."""
    try:
        summary = read(text).text
    except NoSummary:
        return

    body = summary.removeprefix("Summary:\n")
    assert body != summary
    assert body == body.strip() != ""
    assert "\r" not in body
    if not re.search("</summary.*<summary", summary, re.IGNORECASE | re.DOTALL):
        assert read(f"<summary>\n{summary}\n</summary>").text == summary


WORDS = st.text("abc \n</>é", max_size=12)


@given(st.lists(st.tuples(st.sampled_from(["chatter", "analysis", "summary"]), WORDS), min_size=1, max_size=8))
def test_chatter_and_analysis_never_come_through(parts: list[tuple[str, str]]) -> None:
    """F1, F3 and F8: of blocks and the text between them only the summaries come out, each of them, in order."""
    marked = [(kind, f"{kind.upper()}{number} {words}") for number, (kind, words) in enumerate(parts)]
    text = "".join(words if kind == "chatter" else f"<{kind}>{words}</{kind}>" for kind, words in marked)
    facts = [words.split()[0] for kind, words in marked if kind == "summary"]
    if not facts:
        return

    summary = read(text).text

    assert "CHATTER" not in summary
    assert "ANALYSIS" not in summary
    assert [word for word in summary.split() if word.startswith("SUMMARY")] == facts


@pytest.mark.parametrize(("direction", "last"), [("all", 8), ("from", 8), ("upTo", 9)])
def test_titles_are_those_that_the_prompt_asks_for(direction: Direction, last: int) -> None:
    """P6 and P7: the prompt shows each title as a heading that is read back."""
    assert parse(asked("detailed", direction=direction).text).keys() == {*KEYS[:8], KEYS[last]}


LINES = (
    *("", "word", "  indented", "\ttab", "Current Work", "## 3. Files & Code Sections:", "**Pending Tasks:** more"),
    *("IMMEDIATE TASK: NONE", "\\Current Work: x", "  \\\\Current Work", "\x0bProblem Solving", "* Current Work"),
    *("```", "```py", "````", "~~~", "\\```", "```a`b", "Summary:", "</summary>", "`", "\u2028\ud800"),
)
TEXTS = st.lists(st.sampled_from(LINES), max_size=12).map("\n".join)


@given(st.dictionaries(st.sampled_from(KEYS), TEXTS.map(str.strip)).filter(lambda sections: any(sections.values())))
def test_sections_survive_the_round_trip(sections: dict[str, str]) -> None:
    """R13: sections that are rendered and parsed again are the same."""
    assert parse(write(sections)) == sections


@given(TEXTS)
def test_rendering_is_a_fixed_point(text: str) -> None:
    """R13 and F11: what was parsed and rendered once stays; as a reply it loses blank lines at most."""
    try:
        once = write(parse(f"Current Work\n{text}"))
    except NoSummary:
        return

    assert write(parse(once)) == once
    again = read(f"<summary>\n{once}\n</summary>").text
    assert [line for line in again.split("\n") if line.strip()] == [line for line in once.split("\n") if line.strip()]


@pytest.mark.parametrize(
    ("summary", "task"),
    [
        ("## Next Steps\n1. ice\n\n## IMMEDIATE TASK\nCONTINUE: ice\nin bun.py", "CONTINUE: ice\nin bun.py"),
        ("IMMEDIATE TASK\nold\n\n## IMMEDIATE TASK\nnew", "new"),
        (f"{FENCE}\nIMMEDIATE TASK\nquoted\n{FENCE}", ""),
        ("the IMMEDIATE TASK is baking", ""),
    ],
)
def test_immediate_task_is_found_in_any_style(summary: str, task: str) -> None:
    """P10: the last section of that title tells the task at hand, whatever the style of the summary."""
    assert as_summary(summary).task == as_summary(summary, "brief").task == task
