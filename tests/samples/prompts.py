"""The prompts of all styles, and ways to look into them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, get_args

import pytest

from compact_chat.plan import Direction
from compact_chat.prompt import compose_request
from compact_chat.prompt import cut_portions as portions
from compact_chat.redact import MaskedMessage
from compact_chat.styles import Request, Task
from compact_chat.wire import Style
from tests.samples.chats import a, u
from tests.samples.styles import as_summary
from tests.samples.titles import EARLIER_TITLES, TITLES

DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
STYLES: tuple[Style, ...] = get_args(Style)
ROOM = 10_000_000
CHAT = (u("fix it"), a("done"))

each_style = pytest.mark.parametrize("style", STYLES)
each_direction = pytest.mark.parametrize("direction", DIRECTIONS)
each_form = pytest.mark.parametrize(
    ("direction", "instructions", "immediate_task"),
    [(direction, text, task) for direction in DIRECTIONS for text in ("", "keep SQL") for task in (False, True)],
)


def asked(
    style: Style,
    messages: Sequence[MaskedMessage] = CHAT,
    direction: Direction = "all",
    previous: str | None = None,
    **wishes: Any,
) -> Request:
    """The request for a chat that fits at once."""
    task = Task(tuple(messages), style, direction, **wishes)
    (portion,) = portions(task, ROOM)
    return compose_request(task, portion, as_summary(previous) if previous else None)


def detailed_prompt(direction: Direction = "from", instructions: str = "", immediate_task: bool = False) -> str:
    """The detailed prompt alone."""
    return asked("detailed", direction=direction, focus=instructions, immediate_task=immediate_task).text


def titles(direction: Direction) -> list[str]:
    """The nine titles of a direction."""
    return list(EARLIER_TITLES if direction == "upTo" else TITLES)


def section(direction: Direction, number: int) -> str:
    """What the prompt asks for in one section."""
    found = re.search(rf"^{number}\. [^\n]+", detailed_prompt(direction), re.MULTILINE)
    assert found
    return found[0]


def skeleton(prompt: str) -> str:
    """The example of a prompt."""
    return prompt.partition("\n<example>\n")[2].partition("\n</example>\n")[0]
