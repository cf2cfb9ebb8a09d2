"""Hand-overs: a reply into sections and turns, and back."""

from __future__ import annotations

import pytest

from compact_chat.styles import STYLES
from compact_chat.wire import Style
from tests.samples.styles import parse, refused_as

HANDOFF = STYLES["handoff"]
BOTH = "## Where we are\nBaking.\n## Next\n1. Cool."


def test_what_has_no_titles_stays_whole_if_it_is_long_enough() -> None:
    """H16: under the first one, with a warning; the state or the next step has to be there."""
    assert refused_as("I do not know.", "handoff") == "noSections"
    found = HANDOFF.mend(f"\ufeffAll is\r\nbaked. {'It cools. ' * 30}")

    assert found.text.startswith("## Where we are\nAll is\nbaked. It cools.")
    assert [one.code for one in found.warnings] == ["mended"]
    assert HANDOFF.mend(f"{BOTH}{' It cools.' * 30}").warnings == ()
    needs = {"## Where we are\nx": True, "## Next\nx": True, "## Rules\nx": False}
    assert {text: HANDOFF.lacks(parse(text, "handoff")) is None for text in needs} == needs


@pytest.mark.parametrize("style", STYLES)
def test_what_a_host_says_behind_its_summary_is_not_the_summary_s(style: Style) -> None:
    """H2: its words to its model would pass for a next step."""
    text = "## Goal\nBuns.\n\n## Next Steps\n1. Bake." if style == "checkpoint" else f"{BOTH} {'It cools. ' * 30}"
    end = "\n\nIf you need specific details from before compaction, read it at: /t.jsonl\nPlease continue."

    assert STYLES[style].mend(f"{text}{end}").text == STYLES[style].mend(text).text
    assert (
        STYLES[style].mend(f"{text}\nContinue the conversation from where it left off.").text
        == STYLES[style].mend(text).text
    )
