"""The sections for summaries in a project's instruction file."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.facts import instruction_sections
from compact_chat.facts.instructions import LONGEST


@pytest.mark.parametrize(
    ("text", "sections"),
    [
        pytest.param("# Bakery\n\n## Compact Instructions\n\nkeep prices\n", ("keep prices",), id="to the end"),
        pytest.param("# Summary instructions\na\n# Other\nb", ("a",), id="the other title"),
        pytest.param(
            "## Compact Instructions\na\n### Detail\nb\n## Next\nc", ("a\n### Detail\nb",), id="deeper inside"
        ),
        pytest.param("### Compact Instructions\na\n# Higher\nb", ("a",), id="up to a higher one"),
        pytest.param("###### COMPACT  instructions\na", ("a",), id="any level and case"),
        pytest.param("## 3. **Compact Instructions:** ##\na", ("a",), id="number, marks, colon"),
        pytest.param("  ## Compact Instructions\r\na\r\nb\rc", ("a\nb\nc",), id="G3 line ends"),
        pytest.param("\ufeff## Compact Instructions\na", ("a",), id="byte order mark"),
        pytest.param("## Compact Instructions\na\n## Summary instructions\nb", ("a", "b"), id="both"),
        pytest.param(
            "# Compact Instructions\na\n## Summary instructions\nb", ("a\n## Summary instructions\nb",), id="one"
        ),
        pytest.param(
            "## Compact Instructions\n```\n# no heading\n```\nb", ("```\n# no heading\n```\nb",), id="fence in it"
        ),
        pytest.param("```\n## Compact Instructions\na\n```\n", (), id="in a fence"),
        pytest.param("```\n## Compact Instructions\na", ("a",), id="R5 a fence that is never closed"),
        pytest.param(
            "## Compact Instructions\n#hashtag\n####### seven", ("#hashtag\n####### seven",), id="no headings"
        ),
        pytest.param("## Compact Instructions\n \t\n## Next\nx", (), id="G6 blank"),
        pytest.param("Compact Instructions\na\n**Compact Instructions**\nb", (), id="no number sign"),
        pytest.param("## On Compact Instructions\na", (), id="another title"),
        pytest.param("    ## Compact Instructions\na", (), id="indented code"),
        pytest.param("## Compact Instructions\u2028a\nb", (), id="G3 only line feeds part lines"),
        pytest.param("", (), id="nothing"),
    ],
)
def test_sections_are_found_by_their_heading(text: str, sections: tuple[str, ...]) -> None:
    """P8: what stands under a heading for summaries, up to the next heading that is not below it, is a section."""
    assert instruction_sections(text) == sections


def test_a_section_is_bounded() -> None:
    """P8: a section that is too long ends with a whole line, or is cut where it has but one."""
    (lines,) = instruction_sections("# Compact Instructions\n" + "keep this\n" * 10_000)
    (line,) = instruction_sections("# Compact Instructions\n" + "x" * 100_000)

    assert LONGEST - 20 < len(lines) <= LONGEST
    assert lines.endswith("\nkeep this")
    assert line == "x" * LONGEST


@given(st.text(st.sampled_from("#`~ \nCompact Instructions:*\r"), max_size=200))
def test_any_text_can_be_looked_through(text: str) -> None:
    """G5: sections are trimmed pieces of the text, and none is blank."""
    for section in instruction_sections(text):
        assert section
        assert section == section.strip()
        assert section in text.replace("\r\n", "\n").replace("\r", "\n")


@pytest.mark.parametrize("unit", [" ", "\n", "#", "# ", "`", "```\n", "## Compact Instructions\n", "# a\n```\n"])
def test_work_is_linear(unit: str) -> None:
    """G5: a megabyte of anything is looked through in a moment."""
    begin = time.process_time()
    instruction_sections(unit * (1_000_000 // len(unit)))
    assert time.process_time() - begin < 3
