"""Structured summaries: a reply into the fields of the model, and back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.errors import NoSummary
from tests.samples.styles import parse, read, write

FENCE = "```"
EMPTY: dict[str, Any] = parse("", "structured")
FILE, ERROR = ("file", "change", "rationale", "impact"), ("error", "location", "solution", "prevention")


@pytest.mark.parametrize(
    "text",
    [
        *("a\n## Next Steps\n1. b", f"see\n{FENCE}\nopen", f"{FENCE}\n## Next Steps\n{FENCE}", "\\- dash", "- dash"),
        *("None", "\\None", "**N/A**.", f"{FENCE}None.", f"\\{FENCE}(none)", "Change: x\n- **Impact**: y"),
        *(f"see\n{FENCE}\n## Next Steps\n{FENCE}", "a\n### File: b", "a\n\n\nb"),
    ],
)
def test_content_never_becomes_structure(text: str) -> None:
    """R12 and R13: whatever a field holds comes back as it was, and nothing of it gets into another field."""
    sections = EMPTY | {
        "userIntent": text,
        "keyDecisions": [text, text],
        "codeChanges": [dict.fromkeys(FILE, text) | {"file": "f"}],
        "nextSteps": [str(number) for number in range(12)],
    }
    assert parse(write(sections, "structured"), "structured") == sections


WORDS = st.sampled_from(
    [
        *("", "", "word", "  deeper", "\ttab", "## Next Steps", "**Key Decisions:**", "### File: x", "### Error: y"),
        *("- dash", "* star", "• dot", "12. number", "- **Change**: c", "Impact: i", "_Solution_: s", "### None"),
        *("```", "```py", "````", "~~~", "  ```", "- ```", "`", "\\", "\\\\None", "\\## User Intent", "\\```", "None"),
        *("n/a", "(none)", "- None.", "# Conversation Summary", "Next Steps", "1) **Next Steps**", "\u2028\ud800", "#"),
    ]
)
TEXTS = st.lists(WORDS, max_size=7).map("\n".join)
VALUES = TEXTS.map(lambda text: "\n".join(line.rstrip(" \t") for line in text.split("\n")).strip(" \t\n"))
ITEMS = st.lists(VALUES.filter(bool), max_size=4)
NAMES = st.sampled_from(["", "a.py", "None", "\\None", "## x", "C#", "\\File: a", "a `b`", "* a *", "\\`x`", "_x_"])
SECTION_TITLES = ["User Intent", "Key Decisions", "Code Changes", "Errors and Solutions", "Current State", "Next Steps"]


def entries(members: tuple[str, ...]) -> st.SearchStrategy[list[dict[str, str]]]:
    """Make entries of any content."""
    return st.lists(st.fixed_dictionaries({members[0]: NAMES} | dict.fromkeys(members[1:], VALUES)), max_size=3)


MODELS = st.fixed_dictionaries(
    {
        "userIntent": VALUES,
        "keyDecisions": ITEMS,
        "codeChanges": entries(FILE),
        "errorsAndSolutions": entries(ERROR),
        "debuggingSteps": ITEMS,
        "warningsAndNotes": ITEMS,
        "currentState": VALUES,
        "nextSteps": ITEMS,
        "immediateTask": VALUES.map(lambda text: text or None),
    }
)


@given(MODELS)
def test_model_survives_the_round_trip(model: dict[str, Any]) -> None:
    """R13: a normalised model that is rendered and parsed again is the same."""
    try:
        text = write(model, "structured")
    except NoSummary:
        return
    assert parse(text, "structured") == model
    assert read(text, "structured").text == text


@given(st.lists(st.tuples(st.sampled_from(SECTION_TITLES), TEXTS), max_size=5), TEXTS)
def test_rendering_is_a_fixed_point(sections: list[tuple[str, str]], before: str) -> None:
    """R13: what was parsed and rendered once does not change any more."""
    text = "\n".join([before, *(f"## {title}\n{content}" for title, content in sections)])
    try:
        once = read(text, "structured").text
    except NoSummary:
        return
    assert read(once, "structured").text == once
    assert parse(once, "structured") == parse(text, "structured")
