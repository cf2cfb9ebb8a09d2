"""Structured summaries: a reply into the fields of the model, and back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.errors import InvalidParams, NoSummary
from tests.samples.styles import parse, read, refused_as, write

FENCE = "```"
EMPTY: dict[str, Any] = parse("", "structured")
FILE, ERROR = ("file", "change", "rationale", "impact"), ("error", "location", "solution", "prevention")


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("**next steps:**\n1) ship", {"nextSteps": ["ship"]}),
        ("## 8) Next Steps ##\n- ship", {"nextSteps": ["ship"]}),
        ("###### **Errors & Solutions**:\n### None\n## User Intent\nx", {"userIntent": "x"}),
        ("## Current State\n# Notes\nfine", {"currentState": "# Notes\nfine"}),
        ("## Current State\nNext Steps\nfine", {"currentState": "Next Steps\nfine"}),
        ("## Current State\n3. **Next Steps**", {"currentState": "3. **Next Steps**"}),
        ("## User Intent\na\n## Next Steps\n1. b\n## User Intent\nc", {"userIntent": "a\n\nc", "nextSteps": ["b"]}),
        (f"## Current State\n{FENCE}\n## Next Steps\n{FENCE}", {"currentState": f"{FENCE}\n## Next Steps\n{FENCE}"}),
        (f"## Current State\n{FENCE}\n## Next Steps\n- a", {"currentState": FENCE, "nextSteps": ["a"]}),
        ("## User Intent\np1\n\np2", {"userIntent": "p1\n\np2"}),
        ("## User Intent\r\na\u2028b\r\n", {"userIntent": "a\u2028b"}),
        ("## IMMEDIATE TASK\nNONE", {"immediateTask": "NONE"}),
        ("## IMMEDIATE TASK\nWAITING: for an answer", {"immediateTask": "WAITING: for an answer"}),
    ],
)
def test_headings_are_known_and_others_are_content(text: str, fields: dict[str, Any]) -> None:
    """R3 to R5 and R9: known titles in any dress part the sections; fences hide them, prose stays as it is."""
    assert {key: value for key, value in parse(text, "structured").items() if value} == fields


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("7. a\n* b\n  more", ["a", "b\nmore"]),
        ("1. a\n2. b\n10. c\n• d\n+ e", ["a", "b", "c", "d", "e"]),
        ("    - a\n      more\n    - b", ["a\nmore", "b"]),
        ("- a\n  - deeper\n - b", ["a\n- deeper", "b"]),
        ("plain\nmore", ["plain\nmore"]),
        ("- a\n\nplain\n\n  still", ["a", "plain\n\nstill"]),
        (f"- a\n\n{FENCE}\n- code\n{FENCE}", [f"a\n\n{FENCE}\n- code\n{FENCE}"]),
        ("- None.\n- N/A\n- (none)\n- **None**", []),
        ("None", []),
        ("- None of the tests ran", ["None of the tests ran"]),
        ("- \\None", ["None"]),
        ("-5 degrees\n- 2", ["-5 degrees", "2"]),
        ("-\n- \n- a", ["a"]),
    ],
)
def test_items_are_read(text: str, items: list[str]) -> None:
    """R6 and R8: any bullet or number begins an item, other lines go on with it, and `None` is nothing."""
    assert parse(f"## Next Steps\n{text}", "structured")["nextSteps"] == items


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("### File: z.go\n- **Change:** new flag", [("z.go", "new flag", "", "")]),
        ("### `z.go`\nchange: a\n* __Impact__: b\nIMPACT: c", [("z.go", "a", "", "b\nc")]),
        ("### **File: File: `z.go`**\n- Rationale: r\n  more\n\nloose", [("z.go", "loose", "r\nmore", "")]),
        ("- **Change**: c", [("", "c", "", "")]),
        ("loose\n- **Change**: c", [("", "loose\nc", "", "")]),
        ("###\n- **Change**: c", [("", "c", "", "")]),
        ("### File:\n- **Impact**: None", [("", "", "", "")]),
        ("### None", []),
        ("None", []),
        (
            f"### a\n- **Impact**: i\n  {FENCE}\nImpact: x\n  {FENCE}",
            [("a", "", "", f"i\n{FENCE}\nImpact: x\n{FENCE}")],
        ),
        ("### a\n## b\n#### c", [("a", "## b\n#### c", "", "")]),
    ],
)
def test_entries_are_read(text: str, entries: list[tuple[str, ...]]) -> None:
    """R7: level-3 headings open entries, labels in any dress fill their fields, the rest is the change."""
    changes = parse(f"## Code Changes\n{text}", "structured")["codeChanges"]
    assert changes == [dict(zip(FILE, entry, strict=True)) for entry in entries]


def test_entries_exist_in_their_own_section_only() -> None:
    """R7: a heading of an entry elsewhere is content, and unlabelled text on an error is its solution."""
    assert parse("## Next Steps\n### File: ghost", "structured")["codeChanges"] == []
    errors = parse("## Errors and Solutions\n### Error: E\nretry", "structured")["errorsAndSolutions"]
    assert errors == [{"error": "E", "location": "", "solution": "retry", "prevention": ""}]


@pytest.mark.parametrize(
    "text",
    [
        f"{FENCE}markdown\n# Summary\n## User Intent\nx\n{FENCE}py\n1\n{FENCE}\n## Next Steps\n1. y\n{FENCE}",
        f"Here:\n{FENCE}\n## User Intent\nx\n## Next Steps\n1. y\n{FENCE}\nDone.",
        "\ufeffSure!\n\n## User Intent\nx\n## Next Steps\n1. y",
    ],
)
def test_outer_shell_is_removed(text: str) -> None:
    """R2: a fence around the whole, or around the block that holds it, and text ahead of it are no part of it."""
    fields = parse(read(text, "structured").text, "structured")
    assert (fields["userIntent"].split("\n")[0], fields["nextSteps"]) == ("x", ["y"])


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I would rather not.", "noSections"),
        (f"{FENCE}\n## User Intent\n{FENCE}", "emptySummary"),
        ("## User Intent\nNone\n## Key Decisions\n- N/A", "emptySummary"),
    ],
)
def test_reply_without_content_is_refused(text: str, kind: str) -> None:
    """R10 and F10: no known heading, and nothing below any, are errors of their own."""
    assert refused_as(text, "structured") == kind


def test_rendering_follows_the_model() -> None:
    """R11: the order and spacing of the sections; two of them are always there, empty fields of entries too."""
    sections = {
        "nextSteps": ["a\nb", "c"],
        "codeChanges": [{"file": "z.go", "change": "x"}, {"file": ""}],
        "keyDecisions": ["d"],
        "userIntent": " i\r\nj ",
        "immediateTask": "NONE",
    }
    assert write(sections, "structured") == (
        "# Conversation Summary\n\n## User Intent\ni\nj\n\n## Key Decisions\n- d\n\n"
        "## Code Changes\n### File: z.go\n- **Change**: x\n- **Rationale**:\n- **Impact**:\n\n"
        "### File:\n- **Change**:\n- **Rationale**:\n- **Impact**:\n\n"
        "## Current State\n\n## Next Steps\n1. a\n  b\n2. c\n\n## IMMEDIATE TASK\nNONE\n"
    )


@pytest.mark.parametrize(
    ("sections", "paths"),
    [
        ({"mood": "good"}, ["$.sections"]),
        ({"userIntent": None, "immediateTask": None}, ["$.sections.userIntent"]),
        ({"keyDecisions": "a", "nextSteps": ["a", 1]}, ["$.sections.keyDecisions", "$.sections.nextSteps[1]"]),
        (
            {"codeChanges": [{"file": "a", "why": "b"}, {"change": 1}, "c"]},
            ["$.sections.codeChanges[0]", "$.sections.codeChanges[1].change", "$.sections.codeChanges[2]"],
        ),
    ],
)
def test_wrong_sections_are_named(sections: dict[str, Any], paths: list[str]) -> None:
    """G4: each wrong value is named with its path, and an unknown name by its place."""
    with pytest.raises(InvalidParams) as refusal:
        write(sections, "structured")
    assert [problem["path"] for problem in refusal.value.data["problems"]] == paths


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
