"""Survival: which facts of a ledger a text still holds. Retained means written there, not understood by a reader."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from compact_chat.chat import Message
from compact_chat.facts.errors import find_errors, target
from compact_chat.facts.files import file_uses
from compact_chat.facts.steps import commands, find_steps
from compact_chat.facts.user import requests, rules, todos
from compact_chat.facts.words import fold, sentences, shortened
from compact_chat.facts.work import work_of
from compact_chat.wire import Lost, Survival, SurvivalClass

# Whether a text mentions a fact, each class in its own way.


SHORT = 24  # characters: shorter words must stand alone, so that `yes` is not found in `yesterday`
LONG = 300  # characters: a longer message is held where most of its sentences are
ENOUGH = 0.7
MOST_SENTENCES = 64
LONGEST_FORM, MOST_NAMES = 500, 12  # characters and names of the short form of a path
COMMAND_HEAD, ERROR_HEAD = 160, 200  # of long ones, the beginning counts

MOST_PLACES = 1000
_IN_WORD = re.compile(r"\w")
_IN_PATH, _IN_PATH_BEHIND = re.compile(r"[\w./\\~-]"), re.compile(r"[\w/\\-]|\.\w")
_PATH = re.compile(r"[^\s\"'`(),;:<>|*?{}\[\]]{1,4096}+")


class Mentions:
    """A text made ready for looking facts up; `paths` are all of the chat, to know which short forms are clear."""

    def __init__(self, text: str, paths: Sequence[str] = ()) -> None:
        self._text = fold(text)
        self._tokens = {token.strip(".").removeprefix("./") for token in _PATH.findall(self._text) if "/" in token}
        self._forms = Counter(form for path in set(paths) for form in _short_forms(path))

    def of(self, kind: str, text: str) -> bool:
        """Whether the text holds this fact."""
        match kind:
            case "modifiedFiles" | "readFiles":
                return self._path(text)
            case "commands":
                return self._words(command_head(text))
            case "errors":
                return self._words(error_head(text))
            case "currentWork":
                return self._path(text) or self._words(command_head(text)) or self._most(text)
        return self._most(text)

    def _path(self, path: str) -> bool:
        """Whether the path is there as a whole, or its end where that belongs to no other path of the chat."""
        whole = fold(path)
        if whole in self._tokens or self._stands_alone(whole, _IN_PATH, _IN_PATH_BEHIND):
            return True
        return any(form in self._tokens for form in _short_forms(whole) if self._forms[form] == 1)

    def _words(self, text: str) -> bool:
        words = fold(text)
        return self._stands_alone(words, _IN_WORD, _IN_WORD) if len(words) < SHORT else words in self._text

    def _most(self, text: str) -> bool:
        """Whether a text is there as a whole or, if long, most of its sentences."""
        if self._words(text.strip().rstrip(".!") or text):
            return True
        if len(text) < LONG:
            return False
        parts = [part for part in sentences(text) if len(part) > 1]
        sample = parts[:: 1 + len(parts) // MOST_SENTENCES]
        return bool(sample) and sum(map(self._words, sample)) >= ENOUGH * len(sample)

    def _stands_alone(self, words: str, before: re.Pattern[str], behind: re.Pattern[str]) -> bool:
        """Whether the words are there without being part of longer ones; only so many places are looked at."""
        at = self._text.find(words)
        for _ in range(MOST_PLACES):
            if at < 0:
                return False
            end = at + len(words)
            if not (at and before.match(self._text, at - 1)) and not behind.match(self._text, end):
                return True
            at = self._text.find(words, at + 1)
        return False


def command_head(text: str) -> str:
    """The part of a command that a summary must hold: all of it, or the beginning of a long one."""
    return shortened(fold(text[: 2 * COMMAND_HEAD]), COMMAND_HEAD).removesuffix("…")


def error_head(text: str) -> str:
    """The part of an error that a summary must hold."""
    return shortened(fold(text), ERROR_HEAD).removesuffix("…")


def _short_forms(path: str) -> Iterator[str]:
    """The ends of a path that have at least two names, and not too many."""
    names = fold(path[-LONGEST_FORM:]).replace("\\", "/").split("/")[1:][-MOST_NAMES:]
    yield from ("/".join(names[start:]) for start in range(len(names) - 1))


# The ledger: every fact of a chat that its structure tells, each with an id and the message it stands in.


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


def collect(messages: Sequence[Message]) -> tuple[Fact, ...]:
    """Collect the facts in force: the last outcome of a command, open errors and todos, rules as they stand."""
    said, taken = requests(messages), find_steps(messages)
    used = {use.path: use.message for use in file_uses(taken)}
    modified = {use.path: use.message for use in file_uses(taken) if use.kind != "read"}
    work = work_of(messages, said, taken)
    current = [(target(step), step.message) for step in work.steps]
    if work.said:
        current.insert(0, (work.said.text.rpartition("\n\n")[2].strip(), work.said.message))
    classes: dict[Kind, Iterable[tuple[str, str]]] = {
        "userMessages": ((request.text, request.message) for request in said),
        "constraints": ((rule.text, rule.message) for rule in rules(said) if not rule.superseded),
        "modifiedFiles": modified.items(),
        "readFiles": ((path, message) for path, message in used.items() if path not in modified),
        "commands": ((command.text, command.step.message) for command in commands(taken)),
        "errors": ((error.text, error.message) for error in find_errors(taken) if not error.fixed),
        "todos": ((todo.text, todo.message) for todo in todos(taken) if todo.status != "done"),
        "currentWork": current,
    }
    return tuple(
        Fact(f"{kind}:{number}", kind, text, message)
        for kind, found in classes.items()
        for number, (text, message) in enumerate((one for one in found if fold(one[0])), 1)  # not only marks of quoting
    )


# Survival: which facts of a ledger a text still holds. Retained means written there, not understood by a reader.


# What it costs to lose one class. Words and rules of the person cannot be had again; an error that is forgotten is met
# again, a modified file is work that was done; what was read or run can be read or run once more.
WEIGHTS: Mapping[str, float] = {
    "userMessages": 3,
    "constraints": 3,
    "modifiedFiles": 2,
    "errors": 2,
    "todos": 2,
    "currentWork": 2,
    "commands": 1,
    "readFiles": 1,
}
LONGEST_SHOWN = 300


def survival(facts: Sequence[Fact], text: str, clean: Callable[[str], str]) -> Survival:
    """Compare the facts, as the redactor leaves them, with a text; a class without facts is absent."""
    paths = [clean(fact.text) for fact in facts if fact.kind in ("modifiedFiles", "readFiles")]
    mentions = Mentions(text, paths)
    classes, kept = [], 0.0
    for kind, weight in WEIGHTS.items():
        own = [(fact, clean(fact.text)) for fact in facts if fact.kind == kind]
        missing = tuple(
            Lost(fact.id, shortened(masked, LONGEST_SHOWN), fact.message)
            for fact, masked in own
            if not mentions.of(kind, masked)
        )
        if own:
            found = len(own) - len(missing)
            classes.append(SurvivalClass(name=kind, total=len(own), kept=found, restored=0, lost=missing))
            kept += weight * found / len(own)
    weights = sum(WEIGHTS[found.name] for found in classes)
    return Survival(kept=round(kept / weights, 4) if classes else 1.0, classes=tuple(classes))
