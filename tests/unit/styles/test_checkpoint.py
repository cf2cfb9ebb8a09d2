"""Checkpoints: what is one, its sections, and its records of files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.styles import STYLES
from compact_chat.wire import Files
from tests.samples.styles import parse, read, write

CHECKPOINT = STYLES["checkpoint"]

REPLY = "## Goal\nbuns\n\n## Progress\n### Done\n- [x] dough\n\n## Next Steps\n1. bake"
KEYS = ("goal", "constraints", "inProgress", "done", "blocked", "decisions", "nextSteps", "context", "immediateTask")


def test_sections_are_parted() -> None:
    """P21 and P10: every heading has its section; `(none)` is nothing, but the `NONE` of a task is a word."""
    text = (
        f"{REPLY}\n\n## Constraints and Preferences\n(none)\n## IMMEDIATE TASK\nNONE\n\n<read-files>\na\n</read-files>"
    )
    assert parse(text, "checkpoint") == dict.fromkeys(KEYS, "") | {
        "goal": "buns",
        "done": "- [x] dough",
        "nextSteps": "1. bake",
        "immediateTask": "NONE",
    }
    assert parse("## Progress\nslow\n## Done\nx\n## In Progress\nmore", "checkpoint")["inProgress"] == "slow\n\nmore"
    assert parse("", "checkpoint")["immediateTask"] is None


LINES = st.sampled_from(
    ["", "word", "## Next Steps", "**Goal**", "```", "(none)", "\\None", "- [x] a", "\\## Done", "<b>"]
)
TEXTS = st.lists(LINES, max_size=5).map("\n".join).map(str.strip)


@given(st.fixed_dictionaries(dict.fromkeys(KEYS, TEXTS)).filter(lambda sections: any(sections.values())))
def test_sections_survive_the_round_trip(sections: dict[str, str]) -> None:
    """R12: whatever a section holds comes back as it was."""
    text = write(sections, "checkpoint")
    assert parse(text, "checkpoint") == sections | {"immediateTask": sections["immediateTask"] or None}
    assert read(text, "checkpoint").text == text


@pytest.mark.parametrize(
    "records",
    [
        "<read-files>\nold\n</read-files>\n\n<modified-files>\nold\n</modified-files>",
        "<read-files>\n\nold\n\n</read-files>",
    ],
)
def test_records_of_the_model_are_replaced(records: str) -> None:
    """T23: record blocks in the reply go, and the computed ones stand at the end."""
    summary = read(f"{REPLY}\n{records}\n## Critical Context\nwarm", "checkpoint").text
    assert summary.replace("\n\n#", "\n#") == f"{REPLY}\n## Critical Context\nwarm".replace("\n\n#", "\n#")
    files = Files(read=("a.md", "b.md"), modified=("c.md",))
    expected = f"{REPLY}\n\n<read-files>\na.md\nb.md\n</read-files>\n\n<modified-files>\nc.md\n</modified-files>"
    assert CHECKPOINT.with_records(f"{REPLY}\n{records}", files) == expected
    assert CHECKPOINT.with_records(expected, files) == expected


@pytest.mark.parametrize("text", [REPLY, "the `<read-files>` tag", "a <read-files> tag", "<read-files>\nunfinished"])
def test_mentioned_tags_stay(text: str) -> None:
    """T20 and T23: a tag alone, or in the middle of a line, is no record; lists without paths have no blocks."""
    assert CHECKPOINT.with_records(text, Files(read=(), modified=())) == text
