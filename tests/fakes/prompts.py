"""The prompts of the three directions, and ways to look into them."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from compact_chat.plan.outcome import Direction
from compact_chat.prompt.detailed import detailed_prompt

DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
TITLES = [
    "Primary Request and Intent",
    "Key Technical Concepts",
    "Files and Code Sections",
    "Errors and fixes",
    "Problem Solving",
    "All user messages",
    "Pending Tasks",
    "Current Work",
    "Optional Next Step",
]

each_direction = pytest.mark.parametrize("direction", DIRECTIONS)
each_form = pytest.mark.parametrize(
    ("direction", "instructions", "immediate_task"),
    [(direction, text, task) for direction in DIRECTIONS for text in ("", "keep SQL") for task in (False, True)],
)


def titles(direction: Direction) -> list[str]:
    """The nine titles of a direction."""
    return [*TITLES[:8], "Context for Continuing Work"] if direction == "upTo" else TITLES


def section(direction: Direction, number: int) -> str:
    """What the prompt asks for in one section."""
    found = re.search(rf"^{number}\. [^\n]+", detailed_prompt(direction), re.MULTILINE)
    assert found
    return found[0]


def skeleton(prompt: str) -> str:
    """The example of a prompt."""
    return prompt.partition("\n<example>\n")[2].partition("\n</example>\n")[0]
