"""Answers of the assistant, abridged to a length."""

from __future__ import annotations

from pathlib import Path

import pytest

from compact_chat.offline.answers import abridged, abridged_lines, announced, outline
from tests.oracles.snapshots import check_parts
from tests.samples.scenes import written_out


def test_answers_are_abridged(accept: bool) -> None:
    """H20: each to the number of characters before its name."""

    def rows(name: str, lines: list[str]) -> list[str]:
        return [abridged("\n".join(map(written_out, lines)), int(name.partition(":")[0]))]

    check_parts(Path(__file__).with_name("answers.txt"), rows, accept=accept)


def test_the_points_that_the_user_chose_stay() -> None:
    """H20: with the title of their option, and of the others only the titles."""
    options = "\n".join(
        f"### Option {n}: tray {n}\n- It holds rye {n}, and some {n}00 buns.\n- It is flat." for n in range(1, 5)
    )
    text = abridged_lines(outline(f"All trays are hot.\n{options}"), 160, wanted={"3"})

    assert "Option 3: tray 3:\n- It holds rye 3, and some 300 buns.\n- It is flat." in text
    assert "rye 2" not in text


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("The oven is hot. Let me open the door.", "Let me open the door."),
        ("I'll bake first. Then it is done. Bye.", ""),
        ("It is done.", ""),
    ],
)
def test_the_step_that_was_announced(text: str, step: str) -> None:
    """H8: the last words say what comes next, or nothing does."""
    assert announced(text) == step
