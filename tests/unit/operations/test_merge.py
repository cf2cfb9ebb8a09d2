"""Three-way merge: what a person changed is carried over to a new text, or nothing is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.operations.draft import merge

BASE = "# Next\n1. Count.\n2. Bake.\n\n# Rules\n- No salt.\n- No sugar."
CASES = {
    "nothing was changed": (BASE, "# Next\n1. Sell.", "# Next\n1. Sell."),
    "nothing is new": (BASE.replace("Bake", "Knead"), BASE, BASE.replace("Bake", "Knead")),
    "an added line goes behind its neighbor": (
        BASE.replace("2. Bake.", "2. Bake.\n3. Sell."),
        BASE.replace("- No sugar.", "- No sugar.\n- No nuts."),
        BASE.replace("2. Bake.", "2. Bake.\n3. Sell.").replace("- No sugar.", "- No sugar.\n- No nuts."),
    ),
    "or before the other one": (
        BASE.replace("1. Count.", "0. Wait.\n1. Count.").replace("# Next", "# Next"),
        BASE.replace("# Next", "# What comes next"),
        BASE.replace("# Next", "# What comes next").replace("1. Count.", "0. Wait.\n1. Count."),
    ),
    "or to the end of its section": (
        BASE.replace("1. Count.", "1. Count.\n1b. Twice."),
        "# Next\n1. Knead.\n\n# Rules\n- No eggs.",
        "# Next\n1. Knead.\n1b. Twice.\n\n# Rules\n- No eggs.",
    ),
    "a changed line is replaced where it still is": (
        BASE.replace("- No salt.", "- Little salt."),
        BASE.replace("2. Bake.", "2. Rest.\n3. Bake."),
        BASE.replace("2. Bake.", "2. Rest.\n3. Bake.").replace("- No salt.", "- Little salt."),
    ),
    "a changed line that is gone cannot be merged": (
        BASE.replace("1. Count.", "1. Count twice."),
        BASE.replace("1. Count.", "1. Knead."),
        None,
    ),
    "a line deleted in both is gone": (
        BASE.replace("2. Bake.\n", ""),
        BASE.replace("2. Bake.\n", "").replace("No salt", "No eggs"),
        BASE.replace("2. Bake.\n", "").replace("No salt", "No eggs"),
    ),
    "of another text nothing can be merged": ("My own words.\nAll of them.", "# Next\n1. Sell.", None),
}


@pytest.mark.parametrize("case", CASES)
def test_what_was_changed_is_carried_over(case: str) -> None:
    """Lines that were added, changed and deleted are so in the new text, too."""
    mine, theirs, merged = CASES[case]

    assert merge(BASE, mine, theirs) == merged


LINES = st.lists(st.sampled_from(["# A", "# B", "a", "b", "c", ""]), max_size=12).map("\n".join)


@given(base=LINES, mine=LINES, theirs=LINES)
def test_no_added_line_is_lost(base: str, mine: str, theirs: str) -> None:
    """A merged text has as many of each line as a person added, and all that nobody changed."""
    merged = merge(base, mine, theirs)

    assert merge(base, base, theirs) == theirs
    assert merge(base, mine, base) == mine
    if merged is not None:
        for line in {*mine.split("\n")} - {*base.split("\n")}:
            assert merged.split("\n").count(line) >= mine.split("\n").count(line)


def test_long_texts_are_merged_where_little_differs() -> None:
    """Only the lines that differ are matched, and too many of them are not."""
    base = "\n".join(f"line {number}" for number in range(20_000))

    assert merge(base, f"first\n{base}", f"{base}\nlast") == f"first\n{base}\nlast"
    assert merge(base, f"first\n{base}", base.replace("line", "row")) is None


def test_blank_lines_between_changed_ones_take_no_time() -> None:
    """Every second line is blank, nearly all others changed: the time grows with the text alone."""
    base, theirs = ("\n\n".join(f"{word} {n}" for n in range(100_000)) for word in ("line", "row"))
    own = base.replace("line 7\n", "line 7\nmine\n")

    assert merge(base, own, f"# Top\n{theirs}\n\nline 7\n\nend") == f"# Top\n{theirs}\n\nline 7\nmine\n\nend"
