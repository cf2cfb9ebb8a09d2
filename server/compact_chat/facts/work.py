"""Where the work stands: the last wish, what the assistant said last, and the last steps."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from compact_chat.chat import Message
from compact_chat.facts.commands import command_text
from compact_chat.facts.requests import Request, requests
from compact_chat.facts.steps import Step

LAST_STEPS = 3


class Work(Struct, frozen=True):
    """The end of a chat; a wish or a saying is None where there is none."""

    wish: Request | None
    said: Request | None
    steps: tuple[Step, ...]


def work_of(messages: Sequence[Message], taken: Sequence[Step]) -> Work:
    """The state that the newest messages show."""
    wished = requests(messages)
    spoken = (m for m in reversed(messages) if m.role == "assistant" and m.text.strip())
    last = next(spoken, None)
    return Work(
        wish=wished[-1] if wished else None,
        said=Request(last.text.strip(), last.id) if last else None,
        steps=_last_steps(taken),
    )


def target(step: Step) -> str:
    """What a step was about: its command, its file, or the first words that it was given."""
    texts = [value for value in step.call.input.values() if isinstance(value, str) and value.strip()]
    path = next((v for k, v in step.call.input.items() if "path" in k.lower() and isinstance(v, str)), "")
    return command_text(step) or path or next(iter(texts), "")


def _last_steps(taken: Sequence[Step]) -> tuple[Step, ...]:
    """The newest steps with different targets, in their order."""
    newest: dict[str, Step] = {}
    for step in reversed(taken):
        if len(newest) == LAST_STEPS:
            break
        if target(step):
            newest.setdefault(target(step), step)
    return tuple(newest.values())[::-1]
