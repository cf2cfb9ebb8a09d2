"""The table of styles."""

from __future__ import annotations

import pytest

from compact_chat.errors import InvalidParams, NoSummary
from compact_chat.styles import STYLES
from compact_chat.wire import Style
from tests.samples.styles import parse, read, write


@pytest.mark.parametrize(
    ("style", "text", "summary"),
    [
        ("detailed", "<summary> buns </summary>", "Summary:\nbuns"),
        ("checkpoint", "## Goal\nbuns\n## Next Steps\nbake\n", "## Goal\nbuns\n## Next Steps\nbake"),
        ("structured", "**User Intent**\nbuns", "# Conversation Summary\n\n## User Intent\nbuns\n\n## Current State\n"),
        ("brief", "\ufeff\r\n# Facts\r\nbuns\n", "# Facts\nbuns"),
    ],
)
def test_each_style_reads_its_own_replies(style: Style, text: str, summary: str) -> None:
    """F1, P26, R11 and F10: a reply is made presentable by the rules of its style."""
    assert read(text, style).text == summary


@pytest.mark.parametrize("style", STYLES)
def test_a_blank_reply_is_no_summary(style: Style) -> None:
    """F10: a blank reply is an error in every style."""
    with pytest.raises(NoSummary) as refusal:
        read("\ufeff \n", style)
    assert refusal.value.kind == "emptySummary"


def test_a_brief_summary_has_no_sections() -> None:
    """A brief summary is text: it has no sections, and cannot be made of any."""
    assert STYLES["brief"].parse("# Facts\nbuns") is None
    with pytest.raises(InvalidParams) as refusal:
        write({"goal": "buns"}, "brief")
    assert refusal.value.data["problems"][0]["path"] == "$.style"


@pytest.mark.parametrize(
    ("style", "key"), [("detailed", "currentWork"), ("checkpoint", "goal"), ("structured", "userIntent")]
)
def test_sections_go_there_and_back(style: Style, key: str) -> None:
    """R13: what is rendered in a style is parsed in it."""
    assert parse(write({key: "buns"}, style), style)[key] == "buns"


def test_a_brief_reply_loses_the_tags_of_another_style() -> None:
    """A model that answers in blocks all the same has its summary taken out of them."""
    text = "<analysis>notes</analysis>\n<summary>\n## Outcome\nTrays are counted.\n</summary>"

    assert read(text, "brief").text == "## Outcome\nTrays are counted."
    assert read("## Outcome\nThe <summary> tag.", "brief").text == "## Outcome\nThe <summary> tag."
