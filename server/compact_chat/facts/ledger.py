"""The ledger: every fact of a chat that its structure tells, each with an id and the message it stands in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from compact_chat.chat import Message
from compact_chat.facts.commands import commands
from compact_chat.facts.errands import target
from compact_chat.facts.errors import errors
from compact_chat.facts.files import file_uses
from compact_chat.facts.requests import requests
from compact_chat.facts.rules import rules
from compact_chat.facts.steps import steps
from compact_chat.facts.todos import todos
from compact_chat.facts.words import fold
from compact_chat.facts.work import Work, work_of

# The survival classes of the contract that structure can tell; `decisions` and `values` it cannot.
Kind = Literal[
    "userMessages", "constraints", "modifiedFiles", "readFiles", "commands", "errors", "todos", "currentWork"
]


class Fact(Struct, frozen=True):
    """Something that a summary should hold: its text whole, and the message that it stands in."""

    id: str
    kind: Kind
    text: str
    message: str


def collect(messages: Sequence[Message], check: Callable[[], None] = lambda: None) -> tuple[Fact, ...]:
    """The facts that are in force: the last outcome of a command, open errors and todos, rules as they stand."""
    said, taken = requests(messages), steps(messages)
    used = {use.path: use.message for use in file_uses(taken)}
    modified = {use.path: use.message for use in file_uses(taken) if use.kind != "read"}
    classes: dict[Kind, Iterable[tuple[str, str]]] = {
        "userMessages": ((request.text, request.message) for request in said),
        "constraints": ((rule.text, rule.message) for rule in rules(said, check) if not rule.superseded),
        "modifiedFiles": modified.items(),
        "readFiles": ((path, message) for path, message in used.items() if path not in modified),
        "commands": ((command.text, command.step.message) for command in commands(taken)),
        "errors": ((error.text, error.message) for error in errors(taken) if not error.fixed),
        "todos": ((todo.text, todo.message) for todo in todos(taken) if todo.status != "done"),
        "currentWork": _current(work_of(messages, said, taken)),
    }
    return tuple(
        Fact(f"{kind}:{number}", kind, text, message)
        for kind, found in classes.items()
        for number, (text, message) in enumerate(filter(_says_something, found), 1)
    )


def _current(work: Work) -> Iterator[tuple[str, str]]:
    """The last paragraph that the assistant said, and what the last steps were about."""
    if work.said:
        yield work.said.text.rpartition("\n\n")[2].strip(), work.said.message
    yield from ((target(step), step.message) for step in work.steps)


def _says_something(found: tuple[str, str]) -> bool:
    """Leave out what is nothing but marks of quoting: no text can be told to hold it or not."""
    return bool(fold(found[0]))
