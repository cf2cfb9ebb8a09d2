"""The commands that were run in a shell, each once, with its last outcome."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from compact_chat.facts.steps import COMMAND_TOOLS, Step

_ARGUMENTS = ("command", "cmd", "commandLine", "script", "code")
_SHELL_FLAGS = ("-c", "-lc", "-Command")


class Command(Struct, frozen=True):
    """A command as it was given, the step of its last run, and how often it ran."""

    text: str
    step: Step
    runs: int


def commands(taken: Sequence[Step]) -> tuple[Command, ...]:
    """The commands in the order of their last runs."""
    last: dict[str, Command] = {}
    for step in taken:
        if text := command_text(step):
            before = last.pop(text, None)
            last[text] = Command(text, step, 1 + (before.runs if before else 0))
    return tuple(last.values())


def command_text(step: Step) -> str:
    """The command that a step ran, trimmed; empty where it ran none."""
    given = step.call.input if step.tool in COMMAND_TOOLS else {}
    value = next((given[name] for name in _ARGUMENTS if given.get(name)), "")
    if isinstance(value, list):
        words = [word for word in value if isinstance(word, str)]
        value = words[2] if len(words) == 3 and words[1] in _SHELL_FLAGS else " ".join(words)
    return value.strip() if isinstance(value, str) else ""
