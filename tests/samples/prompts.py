"""The prompts of all styles, and helpers to inspect them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

import pytest

from compact_chat.plan import Direction
from compact_chat.prompt import compose_request, cut_portions
from compact_chat.redact import MaskedMessage
from compact_chat.styles import Request, Task
from compact_chat.wire import Style
from tests.samples.chats import a, u
from tests.samples.styles import as_summary

DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
STYLES: tuple[Style, ...] = get_args(Style)
ROOM = 10_000_000
CHAT = (u("fix it"), a("done"))

each_style = pytest.mark.parametrize("style", STYLES)
each_direction = pytest.mark.parametrize("direction", DIRECTIONS)


def asked(
    style: Style,
    messages: Sequence[MaskedMessage] = CHAT,
    direction: Direction = "all",
    previous: str | None = None,
    **wishes: Any,
) -> Request:
    """Return the request for a chat that fits at once."""
    task = Task(tuple(messages), style, direction, **wishes)
    (portion,) = cut_portions(task, ROOM)
    return compose_request(task, portion, as_summary(previous) if previous else None)
