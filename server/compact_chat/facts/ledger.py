"""The ledger: every fact of a chat, each with an id that stays the same while the chat grows."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Literal, Protocol, TypeVar, get_args

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import Message
from compact_chat.facts.calls import refusals
from compact_chat.facts.corrections import Corrections, find_corrections
from compact_chat.facts.edits import attachments
from compact_chat.facts.errors import (
    LONGEST_COMMAND,
    Error,
    find_errors,
    parts_of,
    plain_command,
    target,
    without_limits,
)
from compact_chat.facts.files import FileUse, file_name, file_uses, removed_files
from compact_chat.facts.results import NewNames, Result, new_names, used_results
from compact_chat.facts.rulebook import Rule, RuleKind, rules
from compact_chat.facts.said import Statement, decisions, given_values, open_ends
from compact_chat.facts.state import WITH, Note, check_words, hashes_of, state_of, subject_mark, subjects_of
from compact_chat.facts.steps import Step, find_steps
from compact_chat.facts.user import Inherited, Request, Todo, earlier_summaries, inherited, requests, todos
from compact_chat.facts.words import fold, one_line

# The fact classes of the wire that structure and words reveal.
Kind = Literal[
    "constraints",
    "preferences",
    "userMessages",
    "errors",
    "state",
    "decisions",
    "todos",
    "modifiedFiles",
    "values",
    "results",
    "currentWork",
    "commands",
    "readFiles",
    "attachedFiles",
]
# The cost of losing one class, in the order in which missing facts are listed. The user's words and rules cannot be
# recovered; a forgotten error is met again; a modified file is finished work; what was read or run can be read or run
# again.
WEIGHTS: Mapping[str, float] = {
    "constraints": 3,
    "preferences": 2,
    "userMessages": 3,
    "errors": 2,
    "state": 2,
    "decisions": 2,
    "todos": 2,
    "modifiedFiles": 2,
    "values": 1,
    "results": 1,
    "currentWork": 2,
    "commands": 1,
    "readFiles": 1,
    "attachedFiles": 1,
}
LAST_STEPS = 3


# Variants of one command or error, which are one fact, and the words by which a summary says what a command did.

_RANGE = re.compile(
    r"(\bsed -n ['\"]?)\d{1,9}(?:,\d{1,9})?(?=p\b)|(\s-{1,2}(?:[A-Za-z][\w-]{0,30}[= ]?)?)\d{1,9}(?=[\s|;&]|$)"
)
_TEXT = re.compile(r"\"[^\"\n]{40,}\"|'[^'\n]{40,}'")  # what a call posts, or a long filter
_ID = re.compile(r"\d{6,20}")
_NUMBER = re.compile(r"\d{1,20}")
MOST_VARIANTS = 20


class Found(Struct, frozen=True):
    """A fact before it has an id: the message it counts from, the one that first stated it, and what identifies it."""

    text: str
    message: str
    first: str = ""
    key: str = ""  # its text without one
    marks: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    note: Note | None = None


def same_command(text: str) -> str:
    """Normalize a command for comparison: one that shows another part or posts another text is the same."""
    if len(text) > LONGEST_COMMAND:
        return fold(text)
    bare = without_limits(text)
    return fold(_ID.sub("0", _TEXT.sub('""', _RANGE.sub(r"\1\2", bare) if _NUMBER.search(bare) else bare)))


def folded(found: Iterable[Found], same: Callable[[str], str]) -> Iterator[Found]:
    """Yield each group of variants once, with its newest text; a summary that has any of them has it."""
    first: dict[str, str] = {}
    variants: dict[str, dict[str, str]] = {}  # the texts of each with their last messages
    for one in found:
        key = same(one.text)
        first.setdefault(key, one.first or one.message)
        texts = variants.pop(key, {})
        texts.pop(one.text, None)
        variants[key] = texts
        if len(texts) == MOST_VARIANTS:
            del texts[next(iter(texts))]
        texts[one.text] = one.message
    for key, texts in variants.items():
        text, message = next(reversed(texts.items()))
        yield Found(text, message, first[key], key, (*texts, key) if (*texts,) != (key,) else ())


# What a summary says of a command instead of writing it down: "pushed", "staged a.py", "the tests pass".

_DID = {
    "git add": "stag",
    "git commit": "commit",
    "git merge": "merg",
    "git rebase": "rebas",
    "git reset": "reset",
    "git stash": "stash",
    "git restore": "restor",
    "git revert": "revert",
    "git tag": "tag",
    "git cherry-pick": "cherry",
    "rm": "remov",
    "mv": "mov",
    "mkdir": "creat",
    "chmod": "executable",
}
_POSTS = re.compile(
    r"\bgh api \S{0,200}/(?:replies|comments)\b(?=.{0,200}\s-f\b)|\b(?:gh|glab) (?:pr|issue|mr) comment\b", re.DOTALL
)
_ALONE = {"git push": "pushed", "git pull": "pulled", "git fetch": "fetched"}
_RUN = re.compile(r"[\w.@/-]+")  # most of these hold no argument: looking for one in each takes most of the time
_ARGUMENT = re.compile(r"[\w.@/-]*[\w-]+\.\w{1,8}|[\w.@-]+(?:/[\w.@-]+)+")
_PROGRAM = re.compile(r"(?:git(?:\s+-[cC]\s+\S+)*\s+[\w-]+|[\w./-]+)")
MOST_ARGUMENTS, MOST_EFFECTS = 6, 24


def effects(command: str) -> tuple[str, ...]:
    """Return marks of what a command did: a verb with a file, the subject of a commit, a check's outcome."""
    found = list(map(subject_mark, subjects_of(command[:LONGEST_COMMAND])))
    if _POSTS.search(command[:LONGEST_COMMAND]):
        found += [f"{verb}{WITH}comment" for verb in ("repl", "post", "respond")]
    for part in (stage.strip() for line in parts_of(command) for stage in line.split("|")):
        program = _PROGRAM.match(part)
        name = " ".join(program[0].split()) if program else ""
        name = f"git {name.split()[-1]}" if name.startswith("git ") else name.rpartition("/")[2]
        if name in _ALONE:
            found.append(_ALONE[name])
        found += check_words(part)
        verbs = dict.fromkeys(filter(None, (_DID.get(name), name)))
        runs = (one for one in _RUN.findall(part[len(name) :]) if "." in one or "/" in one)
        given = islice((one for run in runs for one in _ARGUMENT.findall(run)), MOST_ARGUMENTS)
        names = [one.rpartition("/")[2].lower() for one in given]
        found += [f"{verb}{WITH}{one}" for one in names if len(one) > 1 for verb in verbs]
    return tuple(found[:MOST_EFFECTS])


# All facts of a chat.


class Fact(Struct, frozen=True):
    """Something that a summary should contain: its full text, and the id of its message.

    A text contains it if it has any one of `marks`, most of `parts`, or the text itself. An attached file is named by
    its path, and contained only if its contents, the one mark, are there whole.
    """

    id: str
    kind: Kind
    text: str
    message: str
    marks: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    note: Note | None = None  # where it is one of the state

    @property
    def whole(self) -> str:
        """What is added to have it back."""
        return "\n".join((self.text, *self.marks)) if self.kind == "attachedFiles" else self.text


class Work(Struct, frozen=True):
    """The state of the work: the last request, the assistant's last words, and the last steps."""

    wish: Request | None
    said: Request | None
    steps: tuple[Step, ...]


class Facts(Struct, frozen=True, dict=True):
    """What some messages hold, each kind found once: the source of summaries and of what is compared with them."""

    messages: Sequence[Message]
    inherited: Inherited
    removed: frozenset[str]  # files
    corrections: Corrections
    requests: tuple[Request, ...]
    rules: tuple[Rule, ...]
    summaries: tuple[Request, ...]  # of earlier compactions, whose originals are not among the messages
    steps: tuple[Step, ...]
    uses: tuple[FileUse, ...]
    errors: tuple[Error, ...]
    todos: tuple[Todo, ...]
    notes: tuple[Note, ...]
    decisions: tuple[Statement, ...]
    open_ends: tuple[Statement, ...]
    results: tuple[Result, ...]  # except those that `notes` already tell
    new_names: tuple[NewNames, ...]

    @cached_property
    def said(self) -> tuple[Request, ...]:
        """All known words of the user, also those that only earlier summaries have, without what was corrected."""
        words = (*self.inherited.words, *self.requests)
        return tuple(Request(self.current(one.text, one.message), one.message) for one in words)

    @cached_property
    def edits(self) -> tuple[FileUse, ...]:
        """Where files were written or edited."""
        return tuple(use for use in self.uses if use.kind != "read")

    @cached_property
    def waiting(self) -> list[Todo]:
        """The tasks that are not done, the one in progress first."""
        return sorted((one for one in self.todos if one.status != "done"), key=lambda one: one.status != "doing")

    @property
    def answered(self) -> bool:
        """Whether the assistant has ended its turn."""
        last = next((message for message in reversed(self.messages) if not message.by_host), None)
        return last is not None and last.role == "assistant" and not last.calls

    def current(self, text: str, message: str) -> str:
        """Return a text of a message, with a note in place of values that were corrected later."""
        return self.corrections.marked(text, message) if self.corrections else text

    def stated_in(self, part: Sequence[Message]) -> Facts:
        """Return what a part of the messages was the first to state, each fact in its newest state."""
        ids = {message.id for message in part}

        def own(found: Iterable[F]) -> tuple[F, ...]:
            return tuple(one for one in found if (getattr(one, "first", "") or one.message) in ids)

        before = Inherited(own(self.inherited.words), own(self.inherited.rules))
        kinds = {name: own(getattr(self, name)) for name in self.__struct_fields__[4:]}
        return Facts(part, before, self.removed, self.corrections, **kinds)


class _Stated(Protocol):
    @property
    def message(self) -> str:
        """The id of the message that states it."""


F = TypeVar("F", bound=_Stated)


def find_facts(messages: Sequence[Message], restored: Container[str] = ()) -> Facts:
    """Find what messages hold; summaries in `restored`, by message id, only quote what is among them itself."""
    before, own, taken = inherited(messages, restored), requests(messages), find_steps(messages)
    said, stated = (*before.words, *own), rules((*before.rules, *own))
    notes = state_of(taken, [message.text for message in messages if message.by_host])
    known = " ".join(note.text for note in notes)
    corrections = find_corrections(messages, said, stated)
    stated = tuple(
        replace(one, superseded=one.superseded or corrections.marked(one.text, one.message) != one.text)
        for one in stated
    )
    results = used_results(messages, taken)
    refused = {message for message, _ in refusals(taken)}
    return Facts(
        messages=messages,
        inherited=before,
        removed=removed_files(taken),
        corrections=corrections,
        requests=own,
        rules=stated,
        summaries=tuple(one for one in earlier_summaries(messages) if one.message not in restored),
        steps=taken,
        uses=file_uses(taken),
        errors=find_errors(taken),
        todos=todos(taken),
        notes=notes,
        decisions=tuple(
            one
            for one in decisions(messages, said, frozenset(rule.text for rule in stated), refused)
            if not corrections or corrections.marked(one.text, one.message) == one.text
        ),
        open_ends=tuple(open_ends(messages, taken)),
        results=tuple(one for one in results if any(value not in known for value in one.values)),
        new_names=tuple(new_names(taken)),
    )


def in_force(facts: Facts) -> tuple[Fact, ...]:
    """List the facts in force: each command's last outcome, open errors and todos, rules not superseded."""
    errors = (Found(error.text, error.message, error.first) for error in facts.errors if not error.fixed)
    classes: dict[Kind, Iterable[Found]] = {
        "constraints": _rules(facts.rules, "constraints"),
        "preferences": _rules(facts.rules, "preferences"),
        "userMessages": _said(facts),
        "errors": folded(errors, lambda text: _NUMBER.sub("0", fold(text))),  # at another place it is the same
        **_files(facts.uses),
        "state": (Found(one.text, one.message, one.first, one.key, one.marks, note=one) for one in facts.notes),
        "decisions": _stated(facts.decisions),
        "todos": (
            *(Found(todo.text, todo.message, todo.first) for todo in facts.todos if todo.status != "done"),
            *_stated(facts.open_ends),
        ),
        "values": _values(facts.said, facts.new_names),
        "results": _results(facts.results, facts.notes),
        "currentWork": _current(work_of(facts)),
        "commands": _commands(facts.steps),
        "attachedFiles": _attached(facts),
    }
    return tuple(fact for kind in get_args(Kind) for fact in _identified(kind, classes[kind]))


def _identified(kind: Kind, found: Iterable[Found]) -> Iterator[Fact]:
    """Give each fact its id, from its class, its text and the message that first stated it; one id is one fact."""
    seen = set()
    for one in found:
        text = fold(one.key or one.text)
        if not text:  # nothing but quotation marks
            continue
        parts = "\0".join((kind, text, one.first or one.message))
        digest = hashlib.blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
        if digest not in seen:
            seen.add(digest)
            yield Fact(f"{kind}:{digest}", kind, one.text, one.message, one.marks, one.parts, one.note)


def _said(facts: Facts) -> Iterator[Found]:
    """Yield the user's words as they hold; as they were written they count too."""
    for one, written in zip(facts.said, (*facts.inherited.words, *facts.requests), strict=True):
        yield Found(one.text, one.message, key=written.text, marks=(written.text,) if one.text != written.text else ())


def _stated(said: Iterable[Statement]) -> Iterator[Found]:
    for one in said:
        yield Found(one.text, one.message, marks=(one.mark,) if one.mark else ())


def _values(said: Sequence[Request], added: Sequence[NewNames]) -> Iterator[Found]:
    """Yield the values that the user gave, and the names that edits added to files."""
    for value, text, message in given_values(said):
        yield Found(text, message, key=value, marks=(value,))
    for new in added:
        name = file_name(new.path)
        yield Found(f"New in {name}: {', '.join(new.names)}", new.message, key=f"new in {new.path}", parts=new.names)


def _results(results: Sequence[Result], notes: Sequence[Note]) -> Iterator[Found]:
    known = " ".join(note.text for note in notes)
    for one in results:
        values = tuple(value for value in one.values if value not in known)
        yield Found(one.text, one.message, key=" ".join(one.values), marks=values)


def _rules(stated: Sequence[Rule], kind: RuleKind) -> Iterator[Found]:
    for rule in stated:
        if rule.kind == kind and not rule.superseded:
            yield Found(rule.text, rule.message, rule.first, rule.text.lower())


def _commands(taken: Sequence[Step]) -> Iterator[Found]:
    """Yield the commands by their last runs; what a summary says they did shows them too."""
    commits = {step.command: hashes_of(step.answer) for step in taken if step.answer and "commit" in step.command}
    for one in folded((Found(step.command, step.message) for step in taken if step.command), same_command):
        plain = plain_command(one.text)
        forms = (plain, one_line(plain)) if plain != one.text else ()
        own = dict.fromkeys(text for text in forms if text not in one.marks)
        yield replace(one, marks=(*one.marks, *own, *effects(one.text), *commits.get(one.text, ())))


def _files(uses: Sequence[FileUse]) -> dict[Kind, Iterable[Found]]:
    """List the files that were modified, and those only read, from their first and last use as such."""
    read: dict[str, Found] = {}
    modified: dict[str, Found] = {}
    for use in uses:
        files = read if use.kind == "read" else modified
        before = files.get(use.path)
        files[use.path] = Found(use.path, use.message, before.first if before else use.message)
    return {
        "modifiedFiles": modified.values(),
        "readFiles": [found for path, found in read.items() if path not in modified],
    }


def _attached(facts: Facts) -> Iterator[Found]:
    """Yield the files that went along with the user's words, each as it was last, unless it was removed."""
    found: dict[str, Found] = {}
    for path, text, message in attachments(facts.messages):
        if text.strip() and path not in facts.removed:
            before = found.get(path)
            found[path] = Found(path, message, before.first if before else message, marks=(text,))
    yield from found.values()


def _current(work: Work) -> Iterator[Found]:
    if work.said:
        yield Found(work.said.text.rpartition("\n\n")[2].strip(), work.said.message)
    yield from (Found(target(step), step.message, marks=effects(step.command)) for step in work.steps)


def work_of(facts: Facts) -> Work:
    """Read the state of the work from the newest messages; of several steps with one target the newest counts."""
    spoken = (m for m in reversed(facts.messages) if m.role == "assistant" and m.text.strip())
    newest: dict[str, Step] = {}
    for step in reversed(facts.steps):
        if len(newest) == LAST_STEPS:
            break
        if about := target(step):
            newest.setdefault(about, step)
    last = next((Request(message.text.strip(), message.id) for message in spoken), None)
    return Work(facts.said[-1] if facts.said else None, last, tuple(newest.values())[::-1])
