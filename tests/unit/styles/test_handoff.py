"""Hand-overs: a reply into sections and turns, and back."""

from __future__ import annotations

from typing import Any

import pytest

from compact_chat.styles import STYLES
from tests.samples.styles import parse, read, refused_as

HANDOFF = STYLES["handoff"]
KEYS = ("whereWeAre", "next", "rules", "decisions", "watchOut", "open", "files")
BOTH = "## Where we are\nBaking.\n## Next\n1. Cool."


def filled(text: str) -> dict[str, Any]:
    """The sections of a reply that hold something."""
    return {key: value for key, value in (read(text, "handoff").sections or {}).items() if value}


@pytest.mark.parametrize(
    ("reply", "sections"),
    [
        (BOTH, {"whereWeAre": "Baking.", "next": "1. Cool."}),
        (f"```markdown\n{BOTH}\n```", {"whereWeAre": "Baking.", "next": "1. Cool."}),
        (f"<summary>\n{BOTH}\n</summary>\nDone.", {"whereWeAre": "Baking.", "next": "1. Cool."}),
        (f"<SUMMARY>\n{BOTH}\n</SUMMARY>\nDone.", {"whereWeAre": "Baking.", "next": "1. Cool."}),
        (
            "<summary>\n## Next\n1. Cool.\n</summary>\nand\n<summary>\n## Next\n2. Sell.\n</summary>",
            {"next": "1. Cool.\n\n2. Sell."},
        ),
        ("## WHERE WE ARE:\nx\n**Watch out**\n- y\n## Rules\nNone", {"whereWeAre": "x", "watchOut": "- y"}),
        ("## Where we are\n\\## Next\n`<summary>`", {"whereWeAre": "## Next\n`<summary>`"}),
        (
            (
                "## Record\nfirst\n### Turn 1\n> a\n```\n### no turn\n```\n  ###\tTurn 2\n\\### b\n#### c\n### \n"
                "## Record\n### Turn 3"
            ),
            {"record": ["first", "Turn 1\n> a\n```\n### no turn\n```", "Turn 2\n### b\n#### c", "Turn 3"]},
        ),
    ],
)
def test_a_reply_is_read_by_its_titles(reply: str, sections: dict[str, Any]) -> None:
    """H15 and H16: titles in any dress, one text per turn, fences and escapes hide both."""
    assert filled(reply) == sections
    assert parse(read(reply, "handoff").text, "handoff") == read(reply, "handoff").sections
    assert read(reply, "handoff").warnings == ()


def test_what_has_no_titles_stays_whole_if_it_is_long_enough() -> None:
    """H16: under the first one, with a warning; the state or the next step has to be there."""
    assert refused_as("I do not know.", "handoff") == "noSections"
    found = HANDOFF.mend(f"\ufeffAll is\r\nbaked. {'It cools. ' * 30}")

    assert found.text.startswith("## Where we are\nAll is\nbaked. It cools.")
    assert [one.code for one in found.warnings] == ["mended"]
    needs = {"## Where we are\nx": True, "## Next\nx": True, "## Rules\nx": False}
    assert {text: HANDOFF.lacks(parse(text, "handoff")) is None for text in needs} == needs
