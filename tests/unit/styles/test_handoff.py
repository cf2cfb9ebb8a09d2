"""Hand-overs: a reply into sections and turns, and back."""

from __future__ import annotations

from textwrap import indent

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


PARTS = {
    "current_work": "Baking buns.",
    "key_technical_concepts": "- 1. steam",
    "relevant_files": "- oven.py\n```\nheat()\n```",
    "open_questions": "(none)",
    "next_steps": "1. Cool:\n2. Sell:",
}
TITLED = {key.replace("_", " ").capitalize(): text for key, text in PARTS.items()}
OTHERS = {
    "headings": "Here is the summary:\n\n" + "\n".join(f"## {title}\n{text}" for title, text in TITLED.items()),
    "numbers": "\n\n".join(f"{number}. {title}:\n{TITLED[title]}" for number, title in enumerate(TITLED, 1)),
    "bold lines": "**Summary**\n\n" + "\n\n".join(f"**{title}:**\n{text}" for title, text in TITLED.items()),
    "elements": "<scratchpad>\nnone of it\n</scratchpad>\n<state_snapshot>\n"
    + "\n".join(f"  <{key}>\n{indent(text, '    ')}\n  </{key}>" for key, text in PARTS.items())
    + "\n</state_snapshot>",
}


@pytest.mark.parametrize("form", OTHERS)
def test_summaries_of_other_forms_are_sorted(form: str) -> None:
    """H16: by the words of their titles; what no title stands for is told in the record, and code is in files."""
    found = HANDOFF.mend(OTHERS[form])

    assert {key: value for key, value in (found.sections or {}).items() if value} == {
        "whereWeAre": "Baking buns.",
        "next": "1. Cool:\n2. Sell:",
        "files": "- oven.py\n[1 line of code]",
        "record": ["Key technical concepts\n- 1. steam"],
    }
    assert [one.code for one in found.warnings] == ["mended"]


def test_sections_of_one_kind_keep_their_titles() -> None:
    """H16: two that go to one section say what they are, and so do those within them."""
    text = "## Goal\nBuns.\n## Progress\n### Done\n- dough\n## Key decisions and constraints\n- rye\n## Next\n1. Bake."
    found = HANDOFF.mend(text).sections or {}

    assert found["whereWeAre"] == "Goal:\nBuns.\n\nProgress:\n**Done**\n- dough"
    assert (found["decisions"], found["next"], found["rules"]) == ("- rye", "1. Bake.", "")


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
