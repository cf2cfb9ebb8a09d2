"""The ledger: every fact of a chat that its structure tells, each with an id and the message it stands in."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from compact_chat.chat import Message
from compact_chat.facts.commands import commands
from compact_chat.facts.errors import errors
from compact_chat.facts.files import file_uses
from compact_chat.facts.requests import Request, requests
from compact_chat.facts.rules import rules
from compact_chat.facts.steps import Step, steps
from compact_chat.facts.todos import todos
from compact_chat.facts.work import target, work_of

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


class Ledger(Struct, frozen=True):
    """The facts of a chat, class by class, in the order in which they came up."""

    facts: tuple[Fact, ...]

    def of(self, messages: Collection[str]) -> Ledger:
        """The facts that stand in these messages, given by their ids."""
        return Ledger(tuple(fact for fact in self.facts if fact.message in messages))


def collect(messages: Sequence[Message]) -> Ledger:
    """The facts that are in force: the last outcome of a command, open errors and todos, rules as they stand."""
    said, taken = requests(messages), steps(messages)
    classes: tuple[tuple[Kind, Iterable[tuple[str, str]]], ...] = (
        ("userMessages", ((request.text, request.message) for request in said)),
        ("constraints", ((rule.text, rule.message) for rule in rules(said) if not rule.superseded)),
        *_files(taken),
        ("commands", ((command.text, command.step.message) for command in commands(taken))),
        ("errors", ((error.text, error.message) for error in errors(taken) if not error.fixed)),
        ("todos", ((todo.text, todo.message) for todo in todos(taken) if todo.status != "done")),
        ("currentWork", _work(messages, taken)),
    )
    return Ledger(tuple(fact for kind, found in classes for fact in _numbered(kind, found)))


def _numbered(kind: Kind, found: Iterable[tuple[str, str]]) -> Iterator[Fact]:
    for number, (text, message) in enumerate(found, 1):
        yield Fact(f"{kind}:{number}", kind, text, message)


def _files(taken: Sequence[Step]) -> tuple[tuple[Kind, list[tuple[str, str]]], tuple[Kind, list[tuple[str, str]]]]:
    """Each file once, with the message that used it last."""
    modified: dict[str, str] = {}
    used: dict[str, str] = {}
    for use in file_uses(taken):
        used[use.path] = use.message
        if use.kind != "read":
            modified[use.path] = use.message
    read = {path: message for path, message in used.items() if path not in modified}
    return ("modifiedFiles", list(modified.items())), ("readFiles", list(read.items()))


def _work(messages: Sequence[Message], taken: Sequence[Step]) -> Iterator[tuple[str, str]]:
    work = work_of(messages, taken)
    if work.said:
        yield closing(work.said), work.said.message
    yield from ((target(step), step.message) for step in work.steps)


def closing(said: Request) -> str:
    """The last paragraph of what was said."""
    return said.text.rpartition("\n\n")[2].strip()
