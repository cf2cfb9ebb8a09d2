"""The ledger: every fact that a chat's structure shows, and which of them a text still contains.

A fact counts as kept if it is written there, whether or not a reader would understand it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from compact_chat.chat import Message
from compact_chat.facts.errors import find_errors, target
from compact_chat.facts.files import file_uses
from compact_chat.facts.steps import Step, commands, find_steps
from compact_chat.facts.user import Request, requests, rules, todos
from compact_chat.facts.words import fold, sentences, shortened
from compact_chat.wire import Lost, Survival, SurvivalClass

# The fact classes of the wire that structure reveals; `decisions` and `values` it does not.
Kind = Literal[
    "userMessages", "constraints", "modifiedFiles", "readFiles", "commands", "errors", "todos", "currentWork"
]
# The cost of losing one class. The user's words and rules cannot be recovered; a forgotten error is met
# again; a modified file is finished work; what was read or run can be read or run again.
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
LAST_STEPS = 3
LONGEST_SHOWN = 300  # characters of a lost fact


class Fact(Struct, frozen=True):
    """Something that a summary should contain: its full text, and the id of its message."""

    id: str
    kind: Kind
    text: str
    message: str


class Work(Struct, frozen=True):
    """The state of the work: the last request, the assistant's last words, and the last steps."""

    wish: Request | None
    said: Request | None
    steps: tuple[Step, ...]


def collect(messages: Sequence[Message]) -> tuple[Fact, ...]:
    """Collect the facts in force: each command's last outcome, open errors and todos, rules not superseded."""
    said, taken = requests(messages), find_steps(messages)
    uses = file_uses(taken)
    used = {use.path: use.message for use in uses}
    modified = {use.path: use.message for use in uses if use.kind != "read"}
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
        for number, (text, message) in enumerate((one for one in found if fold(one[0])), 1)  # more than quotation marks
    )


def work_of(messages: Sequence[Message], wished: Sequence[Request], taken: Sequence[Step]) -> Work:
    """Read the state of the work from the newest messages; of several steps with one target the newest counts."""
    spoken = (Request(m.text.strip(), m.id) for m in reversed(messages) if m.role == "assistant" and m.text.strip())
    newest: dict[str, Step] = {}
    for step in reversed(taken):
        if len(newest) == LAST_STEPS:
            break
        if about := target(step):
            newest.setdefault(about, step)
    return Work(wished[-1] if wished else None, next(spoken, None), tuple(newest.values())[::-1])


def survival(facts: Sequence[Fact], text: str, clean: Callable[[str], str]) -> Survival:
    """Compare the redacted facts with a text; a class without facts is omitted."""
    masked = [(fact, clean(fact.text)) for fact in facts]
    mentions = Mentions(text, [own for fact, own in masked if fact.kind in ("modifiedFiles", "readFiles")])
    classes, kept, weights = [], 0.0, 0.0
    for kind, weight in WEIGHTS.items():
        of_kind = [(fact, own) for fact, own in masked if fact.kind == kind]
        if not of_kind:
            continue
        lost = tuple(
            Lost(fact.id, shortened(own, LONGEST_SHOWN), fact.message)
            for fact, own in of_kind
            if not mentions.of(kind, own)
        )
        found = len(of_kind) - len(lost)
        classes.append(SurvivalClass(name=kind, total=len(of_kind), kept=found, restored=0, lost=lost))
        kept += weight * found / len(of_kind)
        weights += weight
    return Survival(kept=round(kept / weights, 4) if classes else 1.0, classes=tuple(classes))


# Whether a text mentions a fact; each class has its own test.

SHORT = 24  # characters: shorter texts must match whole words, so that `yes` is not found in `yesterday`
LONG = 300  # characters: of a longer message, most sentences are enough
ENOUGH, MOST_SENTENCES = 0.7, 64
LONGEST_FORM, MOST_NAMES = 500, 12  # characters and names in the short form of a path
COMMAND_HEAD, ERROR_HEAD = 160, 200  # long ones match by their beginning
MOST_PLACES = 1000
_IN_WORD = re.compile(r"\w")
_IN_PATH, _IN_PATH_BEHIND = re.compile(r"[\w./\\~-]"), re.compile(r"[\w/\\-]|\.\w")
_PATH = re.compile(r"[^\s\"'`(),;:<>|*?{}\[\]]{1,4096}+")


class Mentions:
    """A text prepared for finding facts; `paths` are all of the chat's paths, to tell which short forms are unique."""

    def __init__(self, text: str, paths: Sequence[str]) -> None:
        self._text = fold(text)
        self._tokens = {token.strip(".").removeprefix("./") for token in _PATH.findall(self._text) if "/" in token}
        self._forms = Counter(form for path in set(paths) for form in _short_forms(path))

    def of(self, kind: str, text: str) -> bool:
        """Whether the text mentions this fact: entirely or, for a long message, most of its sentences."""
        match kind:
            case "modifiedFiles" | "readFiles":
                return self._path(text)
            case "commands":
                return self._words(command_head(text))
            case "errors":
                return self._words(error_head(text))
            case "currentWork" if self._path(text) or self._words(command_head(text)):
                return True
        if self._words(text.strip().rstrip(".!") or text):
            return True
        parts = [part for part in sentences(text) if len(part) > 1] if len(text) >= LONG else []
        sample = parts[:: 1 + len(parts) // MOST_SENTENCES]
        return bool(sample) and sum(map(self._words, sample)) >= ENOUGH * len(sample)

    def _path(self, path: str) -> bool:
        """Whether the text has the whole path, or an ending that no other path of the chat shares."""
        whole = fold(path)
        if whole in self._tokens or self._stands_alone(whole, _IN_PATH, _IN_PATH_BEHIND):
            return True
        return any(form in self._tokens for form in _short_forms(whole) if self._forms[form] == 1)

    def _words(self, text: str) -> bool:
        words = fold(text)
        return self._stands_alone(words, _IN_WORD, _IN_WORD) if len(words) < SHORT else words in self._text

    def _stands_alone(self, words: str, before: re.Pattern[str], behind: re.Pattern[str]) -> bool:
        """Whether the words occur outside longer words; only the first matches are checked."""
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
    """Return the part of a command that a summary must contain: all of it, or the beginning of a long one."""
    return shortened(fold(text[: 2 * COMMAND_HEAD]), COMMAND_HEAD).removesuffix("…")


def error_head(text: str) -> str:
    """Return the part of an error that a summary must contain."""
    return shortened(fold(text), ERROR_HEAD).removesuffix("…")


def _short_forms(path: str) -> Iterator[str]:
    """Yield the endings of a path with at least two names, up to a limit."""
    names = fold(path[-LONGEST_FORM:]).replace("\\", "/").split("/")[1:][-MOST_NAMES:]
    yield from ("/".join(names[start:]) for start in range(len(names) - 1))
