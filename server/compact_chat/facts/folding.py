"""Variants of one command or error, which are one fact, and the words by which a summary says what a command did."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

from compact_chat.facts.checks import check_words
from compact_chat.facts.errors import parts_of
from compact_chat.facts.runs import WITH
from compact_chat.facts.state import subject_mark, subjects_of
from compact_chat.facts.words import fold

# Suffixes that only limit or silence the output: a command with another one is the same command.
_LIMITS = re.compile(
    r"\s*(?:\|\s*(?:head|tail|cat|less|more)\b[^|;&\n]{0,40}|2>\s?(?:&1|/dev/null)|\|\|\s*true)(?=\s|$)"
)
_RANGE = re.compile(
    r"(\bsed -n ['\"]?)\d{1,9}(?:,\d{1,9})?(?=p\b)|(\s-{1,2}(?:[A-Za-z][\w-]{0,30}[= ]?)?)\d{1,9}(?=[\s|;&]|$)"
)
_TEXT = re.compile(r"\"[^\"\n]{40,}\"|'[^'\n]{40,}'")  # what a call posts, or a long filter
_ID = re.compile(r"\d{6,20}")
_NUMBER = re.compile(r"\d{1,20}")
LONGEST_COMMAND, MOST_VARIANTS = 2000, 20  # characters; longer ones have no variants


class Found(Struct, frozen=True):
    """A fact before it has an id: the message it counts from, the one that first stated it, and what identifies it."""

    text: str
    message: str
    first: str = ""
    key: str = ""  # its text without one
    marks: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()


def same_command(text: str) -> str:
    """Normalize a command for comparison: one that shows another part or posts another text is the same."""
    if len(text) > LONGEST_COMMAND:
        return fold(text)
    return fold(_ID.sub("0", _TEXT.sub('""', _RANGE.sub(r"\1\2", _LIMITS.sub("", text)))))


def same_error(text: str) -> str:
    """Normalize an error for comparison: repeated at another place or with another count, it is the same."""
    return _NUMBER.sub("0", fold(text))


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
        names = [one.rpartition("/")[2].lower() for one in _ARGUMENT.findall(part[len(name) :])][:MOST_ARGUMENTS]
        found += [f"{verb}{WITH}{one}" for one in names if len(one) > 1 for verb in verbs]
    return tuple(found[:MOST_EFFECTS])
