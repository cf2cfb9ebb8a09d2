"""Where the work stands: the last wish, what the assistant said last, and the last steps."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from compact_chat.chat import Message
from compact_chat.facts.errors import target
from compact_chat.facts.steps import Step
from compact_chat.facts.user import Request

LAST_STEPS = 3


class Work(Struct, frozen=True):
    """The end of a chat; a wish or a saying is None where there is none."""

    wish: Request | None
    said: Request | None
    steps: tuple[Step, ...]


def work_of(messages: Sequence[Message], wished: Sequence[Request], taken: Sequence[Step]) -> Work:
    """Read the state that the newest messages show: the last steps are the newest with different targets, in order."""
    spoken = (Request(m.text.strip(), m.id) for m in reversed(messages) if m.role == "assistant" and m.text.strip())
    newest: dict[str, Step] = {}
    for step in reversed(taken):
        if len(newest) == LAST_STEPS:
            break
        if about := target(step):
            newest.setdefault(about, step)
    return Work(wished[-1] if wished else None, next(spoken, None), tuple(newest.values())[::-1])
